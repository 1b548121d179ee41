"""Data that others read: Catalog → Artifacts. One module a format; EXPORTS is the whole list.

An export is `artifacts(catalog) -> tuple[Artifact, ...]`, pure and deterministic.
"""

from . import entries, match_archive, records, sample, signature_index

EXPORTS = (signature_index, entries, match_archive, records, sample)
