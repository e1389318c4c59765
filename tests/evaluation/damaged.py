"""The example corpus built in memory by the pipeline's own functions, with one damage seeded between two of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from rag_assets.answering.answer import answer_question
from rag_assets.chunking.document import chunk_document
from rag_assets.chunking.settings import ChunkSettings
from rag_assets.evaluation.cases import CaseSet, load_cases
from rag_assets.evaluation.outcomes import SourceState, SuiteRun
from rag_assets.evaluation.suites import SuiteRequest, run_suites
from rag_assets.lookup.warehouse import LoadedDocument, build_warehouse
from rag_assets.model.chunk import Chunk
from rag_assets.model.corpus import Answer, LookupFault, LookupResult, Passage
from rag_assets.model.document import Document
from rag_assets.model.statement import Statement
from rag_assets.model.table import Normalized
from rag_assets.readers.formats import read_document
from rag_assets.readers.limits import ReadLimits
from rag_assets.retrieval.index import build_index
from rag_assets.retrieval.search import Searcher, open_searcher
from rag_assets.settings import Project, load_project
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.rules import Rules

if TYPE_CHECKING:
    from rag_assets.lookup.tools import Toolbox, ToolSchema

ROOT = Path(__file__).parents[2]
TODAY = date(2026, 11, 30)
LOADED_AT = "2026-11-30T00:00:00+00:00"


@dataclass(frozen=True, kw_only=True)
class Damage:
    """Where something is broken; by default nothing is."""

    normalized: Callable[[Normalized], Normalized] = lambda document: document
    chunks: Callable[[tuple[Chunk, ...]], tuple[Chunk, ...]] = lambda chunks: chunks
    query: Callable[[str], str] = lambda query: query
    scopes: Callable[[frozenset[str]], frozenset[str]] = lambda scopes: scopes
    tools: bool = True


@dataclass(kw_only=True)
class Example:
    """Every collection of the example project, read once; `folder` takes what each damage builds."""

    folder: Path
    project: Project = field(default_factory=lambda: load_project(ROOT))

    @cached_property
    def cases(self) -> CaseSet:
        return load_cases(self.project.evals)

    @cached_property
    def read(self) -> dict[str, Document]:
        limits = ReadLimits.of(self.project.settings.limits)
        found = {}
        for collection in self.project.collections:
            root = Path(self.project.documents_url(collection))
            for path in sorted(p for p in root.rglob("*") if p.is_file() and not p.name.endswith(".tables.yaml")):
                source = f"{collection.name}/{path.relative_to(root).as_posix()}"
                found[source] = read_document(path, source, limits)
        return found

    @cached_property
    def documents(self) -> dict[str, Normalized]:
        return {source: normalize_document(document, Rules()) for source, document in self.read.items()}

    def run(self, name: str, damage: Damage) -> SuiteRun:
        """All cases over the corpus with this damage."""
        built = _Built(example=self, damage=damage, folder=self.folder / name)
        return run_suites(
            SuiteRequest(
                cases=self.cases.cases,
                corpus=lambda scopes: DamagedCorpus(built=built, scopes=damage.scopes(scopes)),
                sources={source: SourceState(source=source, version="v1") for source in self.documents},
                scopes_of={collection.name: collection.scope for collection in self.project.collections},
                default_scopes=frozenset(self.project.file.default_scopes),
                today=TODAY,
            )
        )


@dataclass(kw_only=True)
class _Built:
    """Index and lookup file of each collection, made when first asked for."""

    example: Example
    damage: Damage
    folder: Path

    @cached_property
    def documents(self) -> dict[str, Normalized]:
        return {source: self.damage.normalized(found) for source, found in self.example.documents.items()}

    @cached_property
    def pieces(self) -> dict[str, tuple[Chunk, ...]]:
        return {
            source: self.damage.chunks(
                chunk_document(source, "", document, ChunkSettings(collection=source.split("/")[0]))
            )
            for source, document in self.documents.items()
        }

    @cached_property
    def segments(self) -> dict[str, Path]:
        made = {}
        for collection in self.example.project.collections:
            own = [c for source, found in self.pieces.items() if _is_of(source, collection.name) for c in found]
            made[collection.name] = self.folder / collection.name
            made[collection.name].mkdir(parents=True)
            build_index(made[collection.name], own, self.example.project.settings.retrieval)
        return made

    @cached_property
    def warehouses(self) -> dict[str, Path]:
        made = {}
        for collection in self.example.project.collections:
            loaded = [
                LoadedDocument(source, "", collection.name, document, LOADED_AT)
                for source, document in self.documents.items()
                if self.damage.tools and _is_of(source, collection.name)
            ]
            self.folder.mkdir(parents=True, exist_ok=True)
            made[collection.name] = self.folder / f"{collection.name}.duckdb"
            build_warehouse(made[collection.name], loaded)
        return made


@dataclass(kw_only=True)
class DamagedCorpus:
    """What one set of scopes sees."""

    built: _Built
    scopes: frozenset[str]
    digest: str = "example"

    @cached_property
    def visible(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.built.example.project.collections if c.scope in self.scopes)

    @cached_property
    def searcher(self) -> Searcher:
        segments = [(name, self.built.segments[name]) for name in self.visible]
        return open_searcher(segments, self.built.example.project.settings.retrieval)

    @cached_property
    def toolbox(self) -> "Toolbox":
        from rag_assets.lookup.tools import open_toolbox

        return open_toolbox([(name, self.built.warehouses[name]) for name in self.visible])

    def search(
        self,
        query: str,
        k: int = 10,
        words: int | None = None,
        kinds: Iterable[str] | None = None,
        explain: bool = False,
    ) -> tuple[Passage, ...]:
        chosen = None if kinds is None else frozenset(kinds)
        return self.searcher.search(self.built.damage.query(query), k=k, words=words, kinds=chosen, explain=explain)

    def coverage(self, query: str, passages: Iterable[Passage]) -> float:
        return self.searcher.coverage(self.built.damage.query(query), tuple(passages))

    def tools(self, k: int | None = None) -> "tuple[ToolSchema, ...]":
        return self.toolbox.tools(k)

    def lookup(
        self, tool: str, arguments: Mapping[str, object] | None = None, today: date | None = None
    ) -> LookupResult | LookupFault:
        return self.toolbox.call(tool, arguments or {}, today or TODAY)

    def ask(self, question: str, *, today: date | None = None) -> Answer:
        return answer_question(question, self, self.built.example.project.settings, None, today or TODAY)

    def document(self, source: str) -> Document | None:
        return self.built.example.read[source] if source.split("/")[0] in self.visible else None

    def normalized(self, source: str) -> Normalized | None:
        return self.built.documents.get(source) if source.split("/")[0] in self.visible else None

    def statements_of(self, source: str, addresses: Iterable[str] | None = None) -> tuple[Statement, ...]:
        found = self.normalized(source)
        wanted = None if addresses is None else set(addresses)
        return tuple(s for s in found.statements if wanted is None or s.address in wanted) if found else ()

    def prose_statements(self, source: str) -> tuple[Statement, ...]:
        return ()

    def chunks(self, source: str | None = None) -> Iterator[Chunk]:
        for name, found in self.built.pieces.items():
            if source in {None, name} and name.split("/")[0] in self.visible:
                yield from found


def of_tables(document: Normalized, change: Callable[..., object]) -> Normalized:
    """Each table replaced by what `change` makes of it."""
    return replace(document, tables=tuple(change(table) for table in document.tables))  # ty: ignore[invalid-argument-type]


def _is_of(source: str, collection: str) -> bool:
    return source.split("/")[0] == collection
