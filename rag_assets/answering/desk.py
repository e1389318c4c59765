"""What an answerer may ask of a corpus.

Holds: `Desk`, the protocol that `corpus.Corpus` fulfils.
Add here: a question that answering needs and a pinned release can answer.
Never here: an answer.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rag_assets.lookup.tools import ToolSchema
    from rag_assets.model.corpus import LookupFault, LookupResult, Passage
    from rag_assets.model.statement import Statement


class Desk(Protocol):
    """One pinned release as one caller may see it."""

    @property
    def digest(self) -> str: ...

    def search(
        self,
        query: str,
        k: int = 10,
        words: int | None = None,
        kinds: Iterable[str] | None = None,
        explain: bool = False,
    ) -> "tuple[Passage, ...]": ...

    def coverage(self, query: str, passages: "Iterable[Passage]") -> float: ...

    def tools(self, k: int | None = None) -> "tuple[ToolSchema, ...]": ...

    def lookup(
        self, tool: str, arguments: Mapping[str, object] | None = None, today: date | None = None
    ) -> "LookupResult | LookupFault": ...

    def statements_of(self, source: str, addresses: Iterable[str] | None = None) -> "tuple[Statement, ...]": ...
