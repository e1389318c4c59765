"""Cases made from tables and statements, with SQL as the oracle.

Holds: `generate_cases`, deterministic by seed; `cases_yaml` writes them as case files.
Add here: another kind of question whose answer follows from a table.
Never here: wording (phrasing.py), the truth (oracle.py). Generated cases never block a release alone.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import islice, zip_longest

import yaml

from rag_assets.evaluation.cases import GENERATED, Case
from rag_assets.evaluation.expectations import SUITES, Suite
from rag_assets.evaluation.oracle import TableOracle
from rag_assets.evaluation.phrasing import asked
from rag_assets.lookup.columns import LookupColumn, Stored
from rag_assets.lookup.schema import LookupTable, Origin, lookup_table
from rag_assets.model.table import ColumnType, Normalized

AGGREGATES = ("avg", "sum", "min", "max", "median")
WORDED = ("avg", "sum", "min", "max")
TOLERANCE = 1e-6
NOBODY = "nobody-has-this-scope"
SHARE_PER_TABLE = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """A document to make cases of, and the scope its collection has."""

    source: str
    scope: str
    normalized: Normalized


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ground:
    """One table with what questions about it need.

    `table` holds the rows in force on `today`; `first_day` is the first on which any row is, None without such dates.
    """

    material: Material
    table: LookupTable
    oracle: TableOracle
    chance: random.Random
    today: date
    first_day: date | None

    @property
    def measures(self) -> list[LookupColumn]:
        return [column for column in self.table.columns if column.is_number and not column.mixed]

    @property
    def keys(self) -> list[LookupColumn]:
        """Text columns by which one row alone can be named."""
        texts = [column for column in self.table.columns if column.type is ColumnType.TEXT]
        return [column for column in texts if self.oracle.only(column.slug)]


def generate_cases(
    materials: Iterable[Material], *, limit: int = 1000, seed: int = 0, today: date | None = None
) -> tuple[Case, ...]:
    """At most `limit` cases, kinds and tables taking turns. The same documents and seed give the same cases.

    Kinds: lookup, comparison, aggregate, count, existence, absent, not_yet, forbidden, statement.
    """
    sources = sorted(materials, key=lambda one: one.source)
    streams: list[Iterator[Case]] = []
    grounds: list[_Ground] = []
    for material in sources:
        for table in material.normalized.tables:
            if table.lookup:
                made = _ground(material, lookup_table(table, _origin(material)), seed, today or date.today())
                grounds.append(made)
                streams += [maker(made) for maker in _MAKERS]
        streams.append(_statements(material, _chance(seed, material.source, "statements")))
    numbered = islice(_taking_turns(streams), limit)
    cases = tuple(case.model_copy(update={"id": f"gen-{n:05d}"}) for n, case in enumerate(numbered, start=1))
    for ground in grounds:
        ground.oracle.close()
    return cases


def cases_yaml(cases: Sequence[Case]) -> Mapping[Suite, str]:
    """One case file a suite."""
    files: dict[Suite, str] = {}
    for suite in SUITES:
        chosen = [case for case in cases if case.suite == suite]
        if chosen:
            content = [case.model_dump(mode="json", exclude_unset=True, exclude={"suite"}) for case in chosen]
            body = {"suite": suite, "cases": content}
            files[suite] = yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=120)
    return files


def _lookups(ground: _Ground) -> Iterator[Case]:
    """A row named by its key and one of its other columns: retrieval, and the same by the tool."""
    names = [column.slug for column in ground.table.columns]
    for number, (key, place, column) in enumerate(_named_cells(ground)):
        row = ground.table.rows[place]
        label, value = str(row[names.index(key.slug)]), row[names.index(column.slug)]
        question = asked("lookup", number, column=column.heading, row=label)
        yield _case(ground, "retrieval", "lookup", {"must_contain": [label]}, question=question)
        if value is not None:
            call = {"filters": [{"column": key.slug, "op": "eq", "value": label}], "select": [column.slug]}
            expect = {"rows": [{column.slug: _plain(value)}], "row_count": 1}
            yield _case(ground, "lookup", "lookup", expect, call=_call(ground, call))


def _comparisons(ground: _Ground) -> Iterator[Case]:
    """Needs several rows: a refusal that names the tool, or the tool."""
    names = [column.slug for column in ground.table.columns]
    for key in ground.keys:
        labels = sorted(ground.oracle.only(key.slug))
        for number in range(min(len(labels) // 2, SHARE_PER_TABLE)):
            for column in ground.measures[:2]:
                one, other = ground.chance.sample(labels, 2)
                values = {str(row[names.index(key.slug)]): row[names.index(column.slug)] for row in ground.table.rows}
                question = asked("comparison", number, column=column.heading, row=one, other=other)
                larger = max((one, other), key=lambda label: _order(values.get(label)))
                expect = {"one_of": [{"must_contain": [larger]}, {"abstains": True}]}
                yield _case(ground, "answers", "comparison", expect, question=question)


def _aggregates(ground: _Ground) -> Iterator[Case]:
    for number, column in enumerate(ground.measures):
        for function in AGGREGATES:
            truth = ground.oracle.aggregate(function, column.slug)
            if truth.value is None:
                continue
            tolerance = abs(float(truth.value)) * TOLERANCE
            value = {"column": "result", "equals": float(truth.value), "tolerance": tolerance}
            wanted = {"aggregate": [{"function": function, "column": column.slug, "as": "result"}]}
            yield _case(ground, "lookup", "aggregate", {"value": value, "complete": True}, call=_call(ground, wanted))
            if function in WORDED:
                question = asked(function, number, column=f"{column.heading} in {_title(ground)}")
                answered = {"value": {"equals": float(truth.value), "tolerance": tolerance}}
                called = {**answered, "must_call_tool": [ground.table.name or ground.table.full_name]}
                yield _case(ground, "answers", "aggregate", {"one_of": [called, {"abstains": True}]}, question=question)


def _counts(ground: _Ground) -> Iterator[Case]:
    for key in (column for column in ground.table.columns if column.type is ColumnType.TEXT):
        for number, label in enumerate(ground.oracle.distinct(key.slug)[:SHARE_PER_TABLE]):
            truth = ground.oracle.aggregate_where("count", key.slug, key.slug, label)
            wanted = {
                "filters": [{"column": key.slug, "op": "eq", "value": label}],
                "aggregate": [{"function": "count", "column": key.slug, "as": "result"}],
            }
            value = {"column": "result", "equals": truth.value}
            yield _case(ground, "lookup", "count", {"value": value}, call=_call(ground, wanted))
            question = asked("existence", number, row=label)
            yield _case(ground, "retrieval", "existence", {"must_contain": [label]}, question=question)


def _absent(ground: _Ground) -> Iterator[Case]:
    """A label that looks like the table's and is not in it: nothing may be answered."""
    for key in ground.keys:
        labels = ground.oracle.distinct(key.slug)
        for number, label in enumerate(labels[:SHARE_PER_TABLE]):
            strange = _strange(label, labels, ground.chance)
            for column in ground.measures[:1]:
                question = asked("absent", number, column=column.heading, row=strange)
                yield _case(ground, "answers", "absent", {"abstains": True}, question=question)
            wanted = {"filters": [{"column": key.slug, "op": "eq", "value": strange}]}
            yield _case(ground, "lookup", "absent", {"row_count": 0, "matched_rows": 0}, call=_call(ground, wanted))


def _not_yet(ground: _Ground) -> Iterator[Case]:
    """The day before the first row comes into force, no row is."""
    if ground.first_day is not None:
        before = (ground.first_day - timedelta(days=1)).isoformat()
        call = _call(ground, {"filters": [], "as_of": before})
        yield _case(ground, "lookup", "not_yet", {"row_count": 0}, call=call)


def _forbidden(ground: _Ground) -> Iterator[Case]:
    """Nothing of the table exists for somebody without its scope, nor its tool."""
    names = [column.slug for column in ground.table.columns]
    for number, (key, place, column) in enumerate(islice(_named_cells(ground), SHARE_PER_TABLE // 4)):
        label = str(ground.table.rows[place][names.index(key.slug)])
        question = asked("lookup", number, column=column.heading, row=label)
        yield _case(ground, "answers", "forbidden", {"abstains": True}, question=question, scopes=[NOBODY])
    call = _call(ground, {"filters": []})
    yield _case(ground, "lookup", "forbidden", {"error": "unknown_tool"}, call=call, scopes=[NOBODY])


def _statements(material: Material, chance: random.Random) -> Iterator[Case]:
    """A statement whose words name it alone in its document must be found where its cell is, and answered from it."""
    said: dict[tuple[str, str, str | None], int] = {}
    for one in material.normalized.statements:
        key = (one.subject, one.phrase, one.when)
        said[key] = said.get(key, 0) + 1
    unique = [
        s for s in material.normalized.statements if said[s.subject, s.phrase, s.when] == 1 and s.text and not s.nil
    ]
    chosen = sorted(chance.sample(unique, min(len(unique), SHARE_PER_TABLE)), key=lambda s: s.address)
    for number, one in enumerate(chosen):
        kind = "statement" if one.when else "undated"
        question = asked(kind, number, subject=one.subject, phrase=one.phrase, when=one.when or "")
        place = {"source": material.source, "address": one.address}
        content = {"question": question, "sources": [material.source], "scopes": [material.scope]}
        yield _made("retrieval", "statement", {"cites": [place]}, content)
        yield _made("answers", "statement", {"must_contain": [one.text], "cites": [place]}, content)


_MAKERS: tuple[Callable[[_Ground], Iterator[Case]], ...] = (
    _lookups,
    _comparisons,
    _aggregates,
    _counts,
    _absent,
    _not_yet,
    _forbidden,
)


def _ground(material: Material, table: LookupTable, seed: int, today: date) -> _Ground:
    days = [day for day in _days(table, table.effective_from) if day is not None]
    in_force = replace(table, rows=_in_force(table, today)) if days else table
    return _Ground(
        material=material,
        table=in_force,
        oracle=TableOracle(in_force),
        chance=_chance(seed, material.source, table.full_name),
        today=today,
        first_day=min(days) if days else None,
    )


def _in_force(table: LookupTable, today: date) -> tuple[tuple[Stored, ...], ...]:
    begins, ends = _days(table, table.effective_from), _days(table, table.effective_until)
    return tuple(
        row
        for row, begin, end in zip(table.rows, begins, ends, strict=True)
        if (begin is None or begin <= today) and (end is None or today <= end)
    )


def _days(table: LookupTable, column: str | None) -> list[date | None]:
    """The day in this column of each row; None where there is none."""
    names = [one.slug for one in table.columns]
    if column not in names:
        return [None] * len(table.rows)
    values = [row[names.index(column)] for row in table.rows]
    plain = [value.date() if isinstance(value, datetime) else value for value in values]
    return [value if isinstance(value, date) else None for value in plain]


def _chance(seed: int, *names: str) -> random.Random:
    return random.Random("\0".join((str(seed), *names)))


def _origin(material: Material) -> Origin:
    return Origin(material.source, "", material.source.split("/", 1)[0], "")


def _named_cells(ground: _Ground) -> Iterator[tuple[LookupColumn, int, LookupColumn]]:
    """(key column, row, other column) in an order that the seed decides."""
    names = [column.slug for column in ground.table.columns]
    found = []
    for key in ground.keys[:2]:
        only = ground.oracle.only(key.slug)
        place = names.index(key.slug)
        rows = [n for n, row in enumerate(ground.table.rows) if str(row[place]) in only]
        found += [(key, n, other) for n in rows for other in ground.table.columns if other is not key]
    ground.chance.shuffle(found)
    yield from found[:SHARE_PER_TABLE]


def _case(ground: _Ground, suite: Suite, kind: str, expect: Mapping[str, object], **given: object) -> Case:
    content = {"sources": [ground.material.source], "scopes": [ground.material.scope], **given}
    if ground.first_day is not None:
        content["as_of"] = ground.today.isoformat()
    return _made(suite, kind, expect, content)


def _made(suite: Suite, kind: str, expect: Mapping[str, object], content: Mapping[str, object]) -> Case:
    return Case.model_validate({"id": "gen", "suite": suite, "tags": [GENERATED, kind], "expect": expect, **content})


def _call(ground: _Ground, arguments: Mapping[str, object]) -> dict[str, object]:
    return {"tool": ground.table.full_name, "arguments": arguments}


def _title(ground: _Ground) -> str:
    return ground.table.title or ground.material.source.rsplit("/", 1)[-1].rsplit(".", 1)[0]


def _plain(value: Stored) -> object:
    return value.isoformat() if isinstance(value, date) else value


def _order(value: Stored) -> float:
    return float(value) if isinstance(value, int | float) else float("-inf")


def _strange(label: str, labels: Sequence[str], chance: random.Random) -> str:
    """Some letters of the label turned, so that its words are unknown to the whole table."""
    known = {other.casefold() for other in labels}
    letters = [letter for letter in label if letter.isalnum()] or list("row")
    while True:
        chance.shuffle(letters)
        made = "".join(letters[:8]).capitalize() + chance.choice(("ax", "or", "um", "ek"))
        if made.casefold() not in known:
            return made


def _taking_turns(streams: Sequence[Iterator[Case]]) -> Iterator[Case]:
    nothing = object()
    for round_of in zip_longest(*streams, fillvalue=nothing):
        yield from (case for case in round_of if isinstance(case, Case))
