"""Shared by all tests. That it is here also puts this folder on the import path (`projects`, `chromium`)."""
