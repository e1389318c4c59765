"""The settings the chunker reads.

Holds: `ChunkSettings`.
Add here: a setting that changes where a document is cut.
Never here: reading sources.yaml (settings.py).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSettings:
    """`records`, `row_splitting` and `header_repeat` are on but for an ablation."""

    max_tokens: int = 320
    record_rows: int = 500
    lookup_rows: int = 20
    records: bool = True
    row_splitting: bool = True
    header_repeat: bool = True
    collection: str = ""
