"""`prose_statements`: statements from prose, where the owner wants them and a model is configured.

Holds: the asset, which is in the graph only then, and what it reports.
Add here: another figure it reports.
Never here: asking and verifying (answering/prose_statements.py).
"""

from collections import Counter
from collections.abc import Iterable

import dagster as dg

from rag_assets.answering.model_client import ModelClient
from rag_assets.answering.prose_statements import (
    ModelUnavailable,
    ProseFound,
    cache_key,
    find_statements,
    is_worth_asking,
)
from rag_assets.corpus import ProseMemo, prose_memo_name
from rag_assets.defs import metadata
from rag_assets.defs.graph import OWNERS
from rag_assets.defs.progress import tell
from rag_assets.defs.resources import ProjectResource
from rag_assets.ingest import contents
from rag_assets.ingest.order import CHUNKS
from rag_assets.model.chunk import Chunk
from rag_assets.settings import Project

NAME = "prose_statements"
CODE_VERSION = "1"
MAX_ASKED = 2000  # chunks of a partition a run; the next one goes on
MAX_SILENT = 3  # replies missing in a row: the server is gone


def wanted(project: Project) -> bool:
    return project.settings.prose_statements and ModelClient.from_environment(project.settings.model) is not None


def prose_assets(project: Project, partitions: dg.PartitionsDefinition[str]) -> list[dg.AssetsDefinition]:
    """One asset, or none: the graph of a project that does not ask for it stays as it is."""
    return [_prose_statements(partitions)] if wanted(project) else []


def _prose_statements(partitions: dg.PartitionsDefinition[str]) -> dg.AssetsDefinition:
    @dg.asset(
        name=NAME,
        deps=[CHUNKS],
        partitions_def=partitions,
        backfill_policy=dg.BackfillPolicy.single_run(),
        group_name="search",
        kinds={"openai", "json"},
        owners=OWNERS,
        code_version=CODE_VERSION,
        description="What prose states as figures: subject, phrase, value, when, qualifiers, quote. A model proposes; "
        "each is held against the passage it quotes and dropped under a name where it does not stand up.",
    )
    def prose_statements(context: dg.AssetExecutionContext, project: ProjectResource) -> dg.MaterializeResult:
        model = ModelClient.from_environment(project.project.settings.model)
        for key in context.partition_keys:
            tell(f"{NAME}: {key}")
            segment = project.store.head(key, CHUNKS)
            chunks = [c for c in contents.chunks(segment) if is_worth_asking(c)] if segment else []
            known = project.store.read_memo(prose_memo_name(key), ProseMemo, ProseMemo())
            found, report = work(chunks, known, model)
            project.store.write_memo(prose_memo_name(key), found)
            context.add_asset_metadata(_metadata(report, found), partition_key=key)
        return dg.MaterializeResult()

    return prose_statements


def work(chunks: Iterable[Chunk], known: ProseMemo, model: ModelClient | None) -> tuple[ProseMemo, Counter[str]]:
    """What is known of these chunks afterwards, and how often it was asked for, taken from before, or not answered."""
    found: dict[str, ProseFound] = {}
    report: Counter[str] = Counter()
    silent = 0
    for chunk in chunks:
        report["prose_chunks"] += 1
        key = cache_key(chunk, model.name if model else "")
        if key in known.found:
            found[key] = known.found[key]
            report["from_cache"] += 1
        elif model is None or silent >= MAX_SILENT or report["asked"] >= MAX_ASKED:
            report["left"] += 1
        else:
            report["asked"] += 1
            try:
                found[key] = find_statements(chunk, model)
                silent = 0
            except ModelUnavailable:
                report["model_unavailable"] += 1
                silent += 1
    return ProseMemo(model.name if model else "", found), report


def _metadata(report: Counter[str], memo: ProseMemo) -> dict[str, dg.MetadataValue]:
    dropped: Counter[str] = Counter()
    for one in memo.found.values():
        dropped.update(one.dropped)
    names = ("prose_chunks", "asked", "from_cache", "model_unavailable", "left")
    counts = {name: dg.MetadataValue.int(report[name]) for name in names}
    kept = sum(len(one.statements) for one in memo.found.values())
    return {
        **counts,
        "prose_statements": dg.MetadataValue.int(kept),
        "dropped": metadata.table_of(("reason", "statements"), sorted(dropped.items())),
    }
