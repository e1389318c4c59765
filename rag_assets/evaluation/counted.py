"""Counts of documents that are not made twice: a document that did not change was counted when it came.

Holds: `counts_of`, which remembers by what was counted and by which rules.
Add here: nothing: what is counted belongs to the scorer.
Never here: scores, cases: they are judged anew each time.
"""

from collections.abc import Callable, Iterable, Mapping

from rag_assets.model.document import Counts
from rag_assets.store import Store

Counter = Callable[[frozenset[str]], Iterable[tuple[str, Counts]]]


def counts_of(
    store: Store | None, name: str, version: str, payloads: Mapping[str, str], count: Counter
) -> list[Counts]:
    """Counts of each source, given the hash of its payload.

    `count` is asked for the sources whose payload was not counted under this name and `version` (of the rules) before.
    Without a store all are counted.
    """
    memo = f"counts/{name}"
    known = store.read_memo(memo, dict[str, Counts], {}) if store else {}
    marks = {source: f"{version}:{payload}" for source, payload in payloads.items()}
    fresh = frozenset(source for source, mark in marks.items() if mark not in known)
    found = {mark: known[mark] for source, mark in marks.items() if source not in fresh}
    found |= {marks[source]: counts for source, counts in count(fresh)} if fresh else {}
    if store and found != known:
        store.write_memo(memo, found)
    return [found[mark] for mark in marks.values() if mark in found]
