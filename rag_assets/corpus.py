"""A published release as a caller may see it: search, tools, lookups, answers, pinned when it was opened.

Holds: `open_corpus`, `Corpus`, and the one place where scopes decide what exists.
Add here: a question a caller may put to a release.
Never here: how passages are found, tools called or answers composed (retrieval/, lookup/, answering/).
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, Self

from rag_assets.answering.prose_statements import ProseFound
from rag_assets.errors import InputError, UnknownName
from rag_assets.ingest import contents
from rag_assets.ingest.order import CHUNKS, INDEX, LOOKUP, NORMALIZED, PARSED
from rag_assets.ingest.serving import as_served
from rag_assets.ingest.whole_stages import index_folder, warehouse_file
from rag_assets.settings import Project, find_project, load_project
from rag_assets.store import PartitionRelease, Release, Segment, SourceEntry, Store
from rag_assets.store.records import partitions_digest

if TYPE_CHECKING:
    from collections.abc import Callable

    from rag_assets.lookup.tools import Toolbox, ToolSchema
    from rag_assets.model.chunk import Chunk
    from rag_assets.model.corpus import Answer, LookupFault, LookupResult, Passage
    from rag_assets.model.document import Document
    from rag_assets.model.statement import Statement
    from rag_assets.model.table import Normalized
    from rag_assets.retrieval.search import Searcher
    from rag_assets.settings import Settings

KEPT_DECODED = 64


def open_corpus(
    project: Project | Path | str | None = None, scopes: Iterable[str] | None = None, release: int | None = None
) -> "Corpus":
    """The published release (or the one with this number) as these scopes may see it; default: `default_scopes`.

    It stays the same release however long it is open. An unknown scope is simply empty. Raises InputError where there
    is no project or nothing is published, UnknownName for a release that is not kept.
    """
    chosen = project if isinstance(project, Project) else load_project(_root(project))
    store = Store(chosen.state_url)
    found = store.current() if release is None else store.release(release)
    if found is None:
        raise InputError(f"{chosen.root}: nothing is published yet: run `rag-assets ingest`")
    return Corpus.of_release(chosen, store, found, scopes)


def _root(project: Path | str | None) -> Path:
    return find_project() if project is None else Path(project)


class Corpus:
    """What callers with these scopes may see; nothing of other scopes shows in any result, count or error."""

    def __init__(
        self,
        project: Project,
        store: Store,
        partitions: Mapping[str, PartitionRelease],
        scopes: Iterable[str] | None = None,
        sources: Iterable[SourceEntry] = (),
        number: int | None = None,
    ) -> None:
        self.project = project
        self.scopes = frozenset(project.file.default_scopes if scopes is None else scopes)
        self.release_number = number
        self._store = store
        self._partitions = {key: part for key, part in sorted(partitions.items()) if part.scope in self.scopes}
        self._decoded: dict[str, Normalized | None] = {}
        self._sources = tuple(entry for entry in sources if entry.partition in self._partitions)

    @classmethod
    def of_release(cls, project: Project, store: Store, release: Release, scopes: Iterable[str] | None = None) -> Self:
        served = as_served(project, release.serving)
        return cls(served, store, release.partitions, scopes, release.sources, release.number)

    @classmethod
    def of_partitions(
        cls,
        project: Project,
        store: Store,
        partitions: Mapping[str, PartitionRelease],
        scopes: Iterable[str] | None = None,
        sources: Iterable[SourceEntry] = (),
    ) -> Self:
        """A candidate's segments, before they are published."""
        return cls(project, store, partitions, scopes, sources)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is kept open between calls; the opened index is let go."""
        self.__dict__.pop("_searcher", None)
        self.__dict__.pop("_toolbox", None)

    @cached_property
    def digest(self) -> str:
        """Of the segments these scopes may see, and of nothing else."""
        return partitions_digest(self._partitions)

    @property
    def settings(self) -> "Settings":
        return self.project.settings

    @property
    def partitions(self) -> Mapping[str, PartitionRelease]:
        return dict(self._partitions)

    @property
    def collections(self) -> tuple[str, ...]:
        return tuple(sorted({part.collection for part in self._partitions.values()}))

    def search(
        self,
        query: str,
        k: int = 10,
        words: int | None = None,
        kinds: Iterable[str] | None = None,
        explain: bool = False,
        collections: Iterable[str] | None = None,
    ) -> "tuple[Passage, ...]":
        """Passages, best first; the first bound reached (`k` passages, `words` words) ends the list."""
        return self._searcher.search(
            query,
            k=k,
            words=words,
            kinds=None if kinds is None else frozenset(kinds),
            collections=None if collections is None else frozenset(collections),
            explain=explain,
        )

    def passage(self, chunk: str) -> "Passage | None":
        """One passage by the id of its chunk; None where these scopes see no such chunk."""
        return self._searcher.passage(chunk)

    def coverage(self, query: str, passages: "Iterable[Passage]") -> float:
        """How much of the question the passages speak of, 0..1: what the answer floor is set on."""
        return self._searcher.coverage(query, tuple(passages))

    def tools(self, k: int | None = None) -> "tuple[ToolSchema, ...]":
        """The lookup tools of the visible collections."""
        return self._toolbox.tools(k)

    def lookup(
        self, tool: str, arguments: Mapping[str, object] | None = None, today: date | None = None
    ) -> "LookupResult | LookupFault":
        """Call a lookup tool; a tool of another scope answers as one that does not exist."""
        return self._toolbox.call(tool, arguments or {}, today or today_utc())

    def ask(self, question: str, *, today: date | None = None, tell: "Callable[[str], None] | None" = None) -> "Answer":
        """An answer with citations, or a refusal with its reason. Without a model the extractive answerer serves.

        `tell` hears what is being done; the answer's own words are shown to nobody before they are checked.
        """
        from rag_assets.answering.answer import answer_question
        from rag_assets.answering.model_client import ModelClient

        began = perf_counter()
        model = ModelClient.from_environment(self.settings.model, tell)
        answer = answer_question(question, self, self.settings, model, today or today_utc(), tell)
        self._log(question, answer, (perf_counter() - began) * 1000)
        return answer

    def _log(self, question: str, answer: "Answer", latency_ms: float) -> None:
        """An answer that cannot be logged is an answer all the same."""
        from rag_assets.answering.answer_log import append_line, log_line, log_name

        folder = answer_log_folder(self.project)
        if folder is None:
            return
        at = datetime.now(UTC).isoformat(timespec="seconds")
        line = log_line(question, answer, at=at, latency_ms=latency_ms, keep_text=self.settings.log_questions)
        try:
            append_line(folder, log_name(self.scopes), line)
        except OSError as error:
            logging.getLogger(__name__).warning("the answer log cannot be written: %s", error.strerror)

    def sources(self) -> tuple[SourceEntry, ...]:
        """Every visible document, quarantined ones too."""
        if self._sources or not self._partitions:
            return self._sources
        found = [row.entry(key) for key, segment in self._segments(NORMALIZED) for row in contents.rows(segment)]
        self._sources = tuple(sorted(found, key=lambda e: e.source))
        return self._sources

    def source(self, name: str) -> SourceEntry:
        """Raises UnknownName, with names that are alike, where these scopes see no such document."""
        found = self._by_name.get(name)
        if found is not None:
            return found
        from difflib import get_close_matches

        alike = get_close_matches(name, list(self._by_name), 3)
        hint = f": did you mean {', '.join(alike)}?" if alike else ": a source is written <collection>/<path>"
        raise UnknownName(f"no source {name}{hint}")

    def document(self, source: str) -> "Document | None":
        """The document as its reader found it; None where these scopes see no such document, or nothing of it."""
        segment = self._segment_of(source, PARSED)
        return next((d for _, d in contents.documents(segment, [source])), None) if segment else None

    def normalized(self, source: str) -> "Normalized | None":
        """All that is understood of one document; None where these scopes see no such document, or nothing of it."""
        if source not in self._decoded:
            segment = self._segment_of(source, NORMALIZED)
            found = next((n for _, n in contents.normalized(segment, [source])), None) if segment else None
            while len(self._decoded) >= KEPT_DECODED:
                self._decoded.pop(next(iter(self._decoded)))
            self._decoded[source] = found
        return self._decoded[source]

    def statements_of(self, source: str, addresses: Iterable[str] | None = None) -> "tuple[Statement, ...]":
        """What the cells at these addresses say (all of the document's where none are given)."""
        wanted = None if addresses is None else set(addresses)
        found = self.normalized(source)
        return tuple(s for s in found.statements if wanted is None or s.address in wanted) if found else ()

    def prose_statements(self, source: str) -> "tuple[Statement, ...]":
        """What the model found in this document's prose and could prove; () where the project does not ask for it."""
        from rag_assets.answering.prose_statements import cache_key, is_worth_asking

        entry = self._by_name.get(source)
        if entry is None or not self.settings.prose_statements:
            return ()
        memo = self._store.read_memo(prose_memo_name(entry.partition), ProseMemo, ProseMemo())
        keys = (cache_key(chunk, memo.model) for chunk in self.chunks(source) if is_worth_asking(chunk))
        return tuple(statement for key in keys if key in memo.found for statement in memo.found[key].statements)

    def chunks(self, source: str | None = None) -> "Iterator[Chunk]":
        """Every visible chunk, or those of one document."""
        if source is not None:
            segment = self._segment_of(source, CHUNKS)
            yield from contents.chunks(segment, [source]) if segment else ()
            return
        for _, segment in self._segments(CHUNKS):
            yield from contents.chunks(segment)

    def all_normalized(self) -> Iterator[contents.NormalizedOf]:
        """Every visible document, decoded one after the other."""
        for _, segment in self._segments(NORMALIZED):
            yield from contents.normalized(segment)

    @cached_property
    def searcher(self) -> "Searcher":
        """For evaluation: ranks and chunk iteration."""
        return self._searcher

    @cached_property
    def _searcher(self) -> "Searcher":
        from rag_assets.retrieval.search import open_searcher

        return open_searcher([(k, index_folder(s)) for k, s in self._segments(INDEX)], self.settings.retrieval)

    @cached_property
    def _toolbox(self) -> "Toolbox":
        from rag_assets.lookup.tools import open_toolbox

        return open_toolbox([(key, warehouse_file(segment)) for key, segment in self._segments(LOOKUP)])

    def _segments(self, stage: str) -> Iterator[tuple[str, Segment]]:
        for key, part in self._partitions.items():
            yield key, self._store.segment(key, stage, part.segments[stage])

    @cached_property
    def _by_name(self) -> dict[str, SourceEntry]:
        return {entry.source: entry for entry in self.sources()}

    def _segment_of(self, source: str, stage: str) -> Segment | None:
        entry = self._by_name.get(source)
        if entry is None:
            return None
        key = entry.partition
        return self._store.segment(key, stage, self._partitions[key].segments[stage])


class ProseMemo(NamedTuple):
    """What `model` found in each chunk of a partition, by content, prompt and model."""

    model: str = ""
    found: dict[str, ProseFound] = {}  # noqa: RUF012 never changed


def prose_memo_name(partition: str) -> str:
    return f"prose_statements.{partition}"


def answer_log_folder(project: Project) -> Path | None:
    """Where answers are logged; None where the state is no folder, which nothing can be appended to."""
    from rag_assets.answering.answer_log import FOLDER

    protocol, _, rest = project.state_url.rpartition("://")
    return Path(rest) / FOLDER if protocol in ("", "file", "local") else None


def today_utc() -> date:
    return datetime.now(UTC).date()
