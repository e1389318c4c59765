"""Erasing: a document leaves every kept release, every head and the content store.

Holds: re-cutting all that names the document, and the clean-up after it.
Add here: another place that keeps documents.
Never here: ordinary removals (the next ingest does those), proving that nothing is left (traces.py).
"""

from dataclasses import replace

from rag_assets.errors import BrokenChain, Refused, UnknownName
from rag_assets.ingest.candidate import check_chain
from rag_assets.ingest.listing import list_collection
from rag_assets.ingest.order import STAGES
from rag_assets.ingest.recut import cut_partition
from rag_assets.ingest.sweep import Swept, sweep
from rag_assets.settings import Project
from rag_assets.store import PartitionRelease, Release, Store
from rag_assets.store.layout import CANDIDATES, EVALUATIONS, MEMOS
from rag_assets.store.records import digest_of


def erase(project: Project, store: Store, source: str) -> Swept:
    """Take one document out of everything that is kept, and remove what nothing names then.

    Raises Refused while the file still lies in its folder (the next ingest would bring it back), UnknownName where no
    kept release has such a document. No run may be under way. What evaluations remember of earlier runs goes too, as
    they quote answers: the next one judges against the accepted baseline.
    """
    _refuse_if_there(project, source)
    numbers = [n for n in store.release_numbers() if any(e.source == source for e in store.release(n).sources)]
    heads = _cut_heads(project, store, source)
    if not numbers and not heads:
        raise UnknownName(f"no kept release has a document {source}: see `rag-assets release show`")
    for number in numbers:
        store.rewrite_release(_without(project, store, store.release(number), source))
    for folder in (CANDIDATES, EVALUATIONS, MEMOS):
        if store.place.names(folder):
            store.place.remove(folder)
    return sweep(store, max(len(store.release_numbers()), 1), grace_s=-1)


def _refuse_if_there(project: Project, source: str) -> None:
    for collection in project.collections:
        if source.startswith(f"{collection.name}/"):
            listing = list_collection(project, collection)
            here = next((f for f in listing.files if f"{collection.name}/{f.name}" == source), None)
            if here is not None:
                raise Refused(f"{source}: {here.path} still lies in its folder: remove it first")


def _without(project: Project, store: Store, release: Release, source: str) -> Release:
    keys = {entry.partition for entry in release.sources if entry.source == source}
    retrieval = project.settings.retrieval
    return replace(
        release,
        partitions={
            key: cut_partition(store, key, part, [source], retrieval) if key in keys else part
            for key, part in release.partitions.items()
        },
        sources=tuple(entry for entry in release.sources if entry.source != source),
        erased=(*release.erased, digest_of(source)[:12]),
    )


def _cut_heads(project: Project, store: Store, source: str) -> bool:
    """Heads that belong together are re-cut; others are forgotten, so that the next run starts from the release."""
    found = False
    for partition in project.partitions:
        heads = store.heads(partition.key).stages
        if not heads or partition.collection.name != source.split("/")[0]:
            continue
        found = True
        segments = {stage: heads[stage] for stage in STAGES if stage in heads}
        try:
            check_chain(store, partition.key, segments)
        except BrokenChain:
            store.forget_heads(partition.key)
            continue
        part = PartitionRelease.of(partition.collection.scope, partition.collection.name, segments)
        cut = cut_partition(store, partition.key, part, [source], project.settings.retrieval)
        for stage, digest in cut.segments.items():
            store.set_head(partition.key, stage, digest)
    return found
