"""What a caller of a published release gets: passages, lookup results, answers.

Holds: the values behind `search`, `lookup` and `ask`; their JSON is a contract.
Add here: a field that every face (command line, Python, MCP) shows.
Never here: how they are found or composed.
"""

from dataclasses import dataclass, field
from typing import Literal

Scalar = int | float | bool | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherPlace:
    """Another visible place of the same passage."""

    source: str
    address: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TermShare:
    """What one term of the question adds to a score; `frequency` counts repetitions by the weight of their zones."""

    term: str
    weight: float
    idf: float
    frequency: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a passage stands where it stands: `view` says how its chunk came to be shown (`itself`, `expanded`: the
    table around the record above it, `instead`: the table in place of its record), `rank_before` the rank of its hit
    before expansion and collapse."""

    view: str
    rank_before: int
    terms: tuple[TermShare, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Text handed to a caller, best first; `score` is comparable within one ranking only.

    `selection` is true for a passage that shows some rows of a larger table. `tool` names its table's lookup tool.
    """

    rank: int
    score: float
    chunk: str
    kind: str
    collection: str
    source: str
    sha256: str
    heading_path: tuple[str, ...]
    addresses: tuple[str, ...]
    text: str
    also: tuple[OtherPlace, ...] = ()
    table: str | None = None
    tool: str | None = None
    selection: bool = False
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupResult:
    tool: str
    rows: tuple[dict[str, Scalar], ...]
    row_count: int
    matched_rows: int
    table_rows: int
    complete: bool
    units: dict[str, str]
    scales: dict[str, int]
    as_of: str | None
    not_yet_in_force: int
    expired: int
    ignored_nulls: dict[str, int]
    loaded_at: str | None
    source: str | None
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupFault:
    """A refused call; printed as `{"error": {...}}`."""

    code: str
    message: str
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    source: str
    address: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    tool: str
    arguments: dict[str, object]
    complete: bool


DeclineReason = Literal[
    "below_floor",
    "unsupported_figure",
    "unsupported_text",
    "needs_complete_lookup",
    "not_found",
    "model_unavailable",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: Literal["answered", "declined"]
    answer: str
    release: str
    reason: DeclineReason | None = None
    as_of: str | None = None
    handoff: dict[str, str | None] | None = None
    suggested_tool: str | None = None
    citations: tuple[Citation, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    explanation: dict[str, object] = field(default_factory=dict)
