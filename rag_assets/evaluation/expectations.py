"""What a case expects: the keys under `expect`, and which of them each suite knows.

Holds: the pydantic models of an expectation and `KEYS`.
Add here: a key of `expect` (and its line in docs/reference/cases.md).
Never here: how an expectation is judged (scorers/), how a file is read (cases.py).
"""

from math import isfinite
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, WithJsonSchema, model_validator

Suite = Literal["parse", "tables", "statements", "chunks", "retrieval", "lookup", "answers"]
SUITES: tuple[Suite, ...] = ("parse", "tables", "statements", "chunks", "retrieval", "lookup", "answers")

Figure = int | float


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


Texts = Annotated[
    tuple[Annotated[str, Field(min_length=1)], ...],
    BeforeValidator(_listed),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string", "minLength": 1}}]}),
]


def _path(value: object) -> object:
    """`A › B` (or `A > B`) is the path A, B; a list is taken as it is."""
    if not isinstance(value, str):
        return value
    return [part.strip() for part in value.replace(" > ", " › ").split("›")]


Path = Annotated[
    tuple[str, ...],
    BeforeValidator(_path),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]


def _named_tool(value: object) -> object:
    if not isinstance(value, list):
        value = [value]
    return [{"tool": entry} if isinstance(entry, str) else entry for entry in value]


class ToolExpectation(Strict):
    """A call of `tool`, short or full name; with `arguments`, each of them must be in the call as given."""

    tool: str
    arguments: dict[str, JsonValue] | None = None


_TOOL_SCHEMA = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": {"tool": {"type": "string"}, "arguments": {"type": "object"}},
            "required": ["tool"],
            "additionalProperties": False,
        },
    ]
}
Tools = Annotated[
    tuple[ToolExpectation, ...],
    BeforeValidator(_named_tool),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": _TOOL_SCHEMA}]}),
]


class LookupCall(Strict):
    tool: str
    arguments: dict[str, JsonValue] = {}


class PlaceExpectation(Strict):
    """A source, and a cell in it where `address` is given."""

    source: str
    address: str | None = None


class ValueExpectation(Strict):
    """A figure: given by `equals`, or by the single value that the `lookup` call returns.

    A percent is a fraction with unit `percent`. `tolerance` is absolute. `column` names the result column that holds
    it (suite lookup, and the oracle); without it any column will do.
    """

    equals: Figure | str | bool | None = None
    tolerance: Annotated[float, Field(ge=0)] = 0
    unit: str | None = None
    column: str | None = None
    lookup: LookupCall | None = None

    @model_validator(mode="after")
    def _one_truth(self) -> "ValueExpectation":
        if (self.equals is None) == (self.lookup is None):
            raise ValueError("give either `equals` or `lookup`")
        if not isfinite(self.tolerance):
            raise ValueError("`tolerance` is no finite number: every value would pass")
        return self


class BlockExpectation(Strict):
    """A block of the document: all given fields hold for one and the same block."""

    kind: Literal["heading", "prose", "list", "code"] | None = None
    text: str
    level: int | None = None
    heading_path: Path | None = None


class CellExpectation(Strict):
    """A body cell found by its row path and column heading; the other given fields must agree.

    `path` may be shorter than the cell's row path: its last parts are compared.
    """

    path: Path
    heading: str
    text: str | None = None
    value: Figure | str | bool | None = None
    unit: str | None = None
    scale: int | None = None
    address: str | None = None
    nil: bool | None = None
    absent: bool = False


class StatementExpectation(Strict):
    """One statement for which all given fields hold; parts of `phrase` join with ` › `."""

    subject: str | None = None
    phrase: str | None = None
    text: str | None = None
    value: Figure | str | bool | None = None
    when: str | None = None
    unit: str | None = None
    scale: int | None = None
    address: str | None = None


class ChunkExpectation(Strict):
    """One chunk of the sources for which all given fields hold."""

    kind: Literal["prose", "table", "table_rows", "record", "summary"] | None = None
    must_contain: Texts = ()
    must_not_contain: Texts = ()
    addresses: Texts = ()
    tool: str | None = None
    max_tokens: int | None = None


_ALONE = BeforeValidator(lambda value: [value] if isinstance(value, dict) else value)


class Expectation(Strict):
    """All given keys must hold. `one_of`: at least one of them, `all_of`: each, `none_of`: no one."""

    must_contain: Texts = ()
    must_not_contain: Texts = ()
    must_call_tool: Tools = ()
    abstains: bool | None = None
    cites: Annotated[tuple[PlaceExpectation, ...], _ALONE] = ()
    value: ValueExpectation | None = None
    rank_at_most: Annotated[int, Field(ge=1)] | None = None

    status: Literal["ok", "quarantined"] | None = None
    reason: str | None = None
    blocks: Annotated[tuple[BlockExpectation, ...], _ALONE] = ()

    cells: Annotated[tuple[CellExpectation, ...], _ALONE] = ()
    caption: Texts = ()
    table_unit: str | None = None
    pairs: tuple[tuple[str, str], ...] = ()
    no_pairs: bool | None = None

    statements: Annotated[tuple[StatementExpectation, ...], _ALONE] = ()
    chunks: Annotated[tuple[ChunkExpectation, ...], _ALONE] = ()

    rows: tuple[dict[str, JsonValue], ...] = ()
    row_count: int | None = None
    matched_rows: int | None = None
    complete: bool | None = None
    error: str | None = None

    one_of: tuple["Expectation", ...] = ()
    all_of: tuple["Expectation", ...] = ()
    none_of: tuple["Expectation", ...] = ()

    @model_validator(mode="after")
    def _holds_something(self) -> "Expectation":
        given = self.model_fields_set - {"table_unit"}  # a table may be wanted without one
        empty = [key for key in sorted(given) if getattr(self, key) in ((), None)]
        if empty:
            raise ValueError(f"`{empty[0]}` holds nothing: every answer would pass")
        if self.abstains and (self.must_contain or self.value is not None or self.cites):
            raise ValueError("`abstains: true` beside what an answer must say: put them under `one_of`")
        return self

    @property
    def keys(self) -> frozenset[str]:
        """Keys in use, those of combined expectations included, the combining ones left out."""
        inner = (*self.one_of, *self.all_of, *self.none_of)
        return frozenset(self.model_fields_set - COMBINING).union(*(one.keys for one in inner))


COMBINING = frozenset({"one_of", "all_of", "none_of"})
_TEXT = frozenset({"must_contain", "must_not_contain"})
KEYS: dict[Suite, frozenset[str]] = {
    "parse": _TEXT | {"status", "reason", "blocks"},
    "tables": frozenset({"cells", "caption", "table_unit", "pairs", "no_pairs"}),
    "statements": frozenset({"statements"}),
    "chunks": frozenset({"chunks"}),
    "retrieval": _TEXT | {"cites", "rank_at_most"},
    "lookup": _TEXT | {"value", "rows", "row_count", "matched_rows", "complete", "error", "cites"},
    "answers": _TEXT | {"must_call_tool", "abstains", "cites", "value"},
}
