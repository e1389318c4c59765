"""What a stage depends on besides its sources: versions of the code and the settings it reads.

Holds: for each stage a version and the settings, as short texts and as the values the lower layers take.
Add here: a setting that a stage begins to read.
Never here: which documents are due (due.py).
"""

from functools import lru_cache
from typing import NamedTuple

from rag_assets.chunking.document import CHUNKING_VERSION, ChunkSettings
from rag_assets.ingest.order import CHUNKS, INDEX, LOOKUP, NORMALIZED, PARSED, RAW, STAGES
from rag_assets.settings import Settings
from rag_assets.store.records import digest_of
from rag_assets.tables.rules import Rules

RAW_VERSION = "1"
SHORT = 12


class StageInputs(NamedTuple):
    """`version` of the code, `settings`: digest of what the stage reads of sources.yaml."""

    version: str
    settings: str


def stage_inputs(settings: Settings) -> dict[str, StageInputs]:
    versions = stage_versions()
    read = {
        RAW: {"file_mb": settings.limits.file_mb},
        PARSED: {"limits": settings.limits.model_dump(), "on_quarantine": settings.on_quarantine},
        NORMALIZED: {"rules": rules_of(settings), "on_quarantine": settings.on_quarantine},
        CHUNKS: chunk_settings_of(settings, ""),
        LOOKUP: {},
        INDEX: settings.retrieval.model_dump(),
    }
    return {stage: StageInputs(versions[stage], digest_of(read[stage])[:SHORT]) for stage in STAGES}


@lru_cache(maxsize=1)
def stage_versions() -> dict[str, str]:
    """Versions of the code of each stage; importing the readers tells theirs."""
    from rag_assets.lookup.version import LOOKUP_VERSION
    from rag_assets.retrieval.index import INDEX_VERSION
    from rag_assets.tables.normalize import TABLES_VERSION

    readers = reader_versions()
    return {
        RAW: RAW_VERSION,
        PARSED: digest_of(readers)[:SHORT],
        NORMALIZED: TABLES_VERSION,
        CHUNKS: CHUNKING_VERSION,
        LOOKUP: LOOKUP_VERSION,
        INDEX: INDEX_VERSION,
    }


@lru_cache(maxsize=1)
def reader_versions() -> dict[str, str]:
    from rag_assets.readers import formats

    return dict(formats.READER_VERSIONS)


def rules_of(settings: Settings) -> Rules:
    return Rules(
        **settings.rules.model_dump(),
        lookup_rows=settings.lookup_rows,
        hidden_policy=settings.hidden,
        record_rows=settings.record_rows,
    )


def chunk_settings_of(settings: Settings, collection: str) -> ChunkSettings:
    return ChunkSettings(
        max_tokens=settings.max_tokens,
        record_rows=settings.record_rows,
        lookup_rows=settings.lookup_rows,
        records=settings.retrieval.records,
        row_splitting=settings.retrieval.row_splitting,
        header_repeat=settings.retrieval.header_repeat,
        collection=collection,
    )
