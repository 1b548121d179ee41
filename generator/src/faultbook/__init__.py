"""Faultbook: GPU failures, their proofs, and the triage that reads a log against them.

Pyodide passes through this module on its way to `faultbook.match`, so it imports nothing.
"""

__version__ = "0.1.0"
