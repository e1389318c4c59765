"""Suite lookup: does the tool return the right rows, or refuse for the right reason.

Holds: `score_lookup`, and the oracle that other suites ask for a figure.
Add here: a field of a lookup result that a case may name.
Never here: how a lookup is computed (lookup/).
"""

from functools import partial
from typing import NamedTuple

from rag_assets.evaluation.cases import Case
from rag_assets.evaluation.expectations import Expectation, LookupCall, ValueExpectation
from rag_assets.evaluation.matching import same_address, same_unit, same_value
from rag_assets.evaluation.outcomes import Finding, Subject
from rag_assets.evaluation.scorers.combine import faults_of, text_faults
from rag_assets.model.corpus import LookupFault, LookupResult, Scalar

REFUSED = "refused: "
ORACLE_PROBLEM = "the oracle's "


class Truth(NamedTuple):
    """A figure a case expects, or why it cannot be told."""

    value: Scalar
    unit: str | None = None
    problem: str | None = None


def score_lookup(case: Case, subject: Subject) -> Finding:
    call = case.call or LookupCall(tool="")
    result = subject.corpus.lookup(call.tool, call.arguments, today=subject.today)
    retrieved = (result.source,) if isinstance(result, LookupResult) and result.source else ()
    return Finding(faults=faults_of(case.expect, partial(_check, result, subject)), retrieved=retrieved)


def truth_of(wanted: ValueExpectation, subject: Subject) -> Truth:
    """The figure given, or the single one that the oracle's call returns."""
    if wanted.lookup is None:
        return Truth(wanted.equals, wanted.unit)
    result = subject.corpus.lookup(wanted.lookup.tool, wanted.lookup.arguments, today=subject.today)
    if isinstance(result, LookupFault):
        return Truth(None, problem=f"{ORACLE_PROBLEM}call is refused: {result.code}: {result.message}")
    if len(result.rows) != 1:
        return Truth(None, problem=f"{ORACLE_PROBLEM}call returns {len(result.rows)} rows, expected one")
    row = result.rows[0]
    column = wanted.column or (next(iter(row)) if len(row) == 1 else None)
    if column is None or column not in row:
        return Truth(None, problem=f"{ORACLE_PROBLEM}row has {', '.join(row)}: name one with `column`")
    return Truth(row[column], wanted.unit or result.units.get(column))


def _check(result: LookupResult | LookupFault, subject: Subject, expected: Expectation) -> tuple[str, ...]:
    if isinstance(result, LookupFault):
        if expected.error is not None:
            return () if expected.error == result.code else (f"error is {result.code}, expected {expected.error}",)
        return (f"{REFUSED}{result.code}: {result.message}",)
    if expected.error is not None:
        return (f"not refused, expected {expected.error}",)
    text = "\n".join(" ".join(f"{key}: {value}" for key, value in row.items()) for row in result.rows)
    faults = list(text_faults(expected, text, "the rows"))
    faults += _count_faults(result, expected)
    faults += [
        f"no row with {dict(wanted)}"
        for wanted in expected.rows
        if not any(
            all(key in row and same_value(row[key], want) for key, want in wanted.items()) for row in result.rows
        )
    ]
    faults += [
        f"{place.source} {place.address or ''} is not among the addresses"
        for place in expected.cites
        if not _cites(result, place.source, place.address)
    ]
    if expected.value is not None:
        faults += _value_faults(result, expected.value, subject)
    return tuple(faults)


def _cites(result: LookupResult, source: str, address: str | None) -> bool:
    return result.source == source and (
        address is None or any(same_address(found, address) for found in result.addresses)
    )


def _count_faults(result: LookupResult, expected: Expectation) -> list[str]:
    compared = (
        ("row_count", result.row_count, expected.row_count),
        ("matched_rows", result.matched_rows, expected.matched_rows),
        ("complete", result.complete, expected.complete),
    )
    return [f"{name} is {found}, expected {wanted}" for name, found, wanted in compared if wanted not in {None, found}]


def _value_faults(result: LookupResult, wanted: ValueExpectation, subject: Subject) -> tuple[str, ...]:
    truth = truth_of(wanted, subject)
    if truth.problem:
        return (truth.problem,)
    columns = [wanted.column] if wanted.column and wanted.lookup is None else None
    found = [(name, value) for row in result.rows for name, value in row.items() if columns is None or name in columns]
    if any(
        same_value(value, truth.value, wanted.tolerance) and same_unit(result.units.get(name), truth.unit)
        for name, value in found
    ):
        return ()
    shown = ", ".join(f"{name} {value}" for name, value in found[:4]) or "nothing"
    return (f"returned {shown}, expected {truth.value} {truth.unit or ''}".rstrip(),)
