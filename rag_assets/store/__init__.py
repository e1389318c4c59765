"""What the pipeline keeps: bytes, immutable segments, releases and the one pointer.

Holds: `Store` and the values its manifests are made of.
Add here: something that must survive a run.
Never here: what a stage computes (ingest/), what a caller is shown (corpus).
"""

from rag_assets.store.records import (
    Candidate,
    FileFacts,
    Heads,
    PartitionRelease,
    Pin,
    Release,
    Segment,
    SegmentFacts,
    SourceEntry,
)
from rag_assets.store.segments import SegmentDraft
from rag_assets.store.state import Store

__all__ = [
    "Candidate",
    "FileFacts",
    "Heads",
    "PartitionRelease",
    "Pin",
    "Release",
    "Segment",
    "SegmentDraft",
    "SegmentFacts",
    "SourceEntry",
    "Store",
]
