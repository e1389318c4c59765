"""The reference page knows every name a caller can send or get."""

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from rag_assets.lookup import calls, query, tools
from rag_assets.lookup.calls import FUNCTIONS, KEYS, OPERATORS
from rag_assets.lookup.statement_lookup import COLUMNS
from rag_assets.model.corpus import LookupResult

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "lookup.md").read_text(encoding="utf-8")
LOOKUP = ROOT / "rag_assets" / "lookup"
CODES = sorted(
    set(
        re.findall(
            r'(?:Refusal\(|code=)\s*"(\w+)"', "".join(p.read_text(encoding="utf-8") for p in LOOKUP.glob("*.py"))
        )
    )
)


@pytest.mark.parametrize(
    "names",
    [OPERATORS, FUNCTIONS, KEYS, CODES, tuple(COLUMNS), tuple(f.name for f in fields(LookupResult))],
    ids=["operators", "functions", "arguments", "codes", "statement columns", "result keys"],
)
def test_every_name_is_in_the_reference(names: tuple[str, ...]) -> None:
    assert len(names) > 6
    assert [name for name in names if f"`{name}`" not in PAGE] == []


def test_every_limit_is_in_the_reference() -> None:
    limits = (calls.DEFAULT_LIMIT, calls.MAX_LIMIT, calls.MAX_FILTERS, calls.MAX_TEXT, query.MAX_ADDRESSES)
    assert [limit for limit in limits if f"{limit:,}" not in PAGE] == []
    assert f"at most {tools.MAX_NAMED} names" in PAGE


def test_the_examples_are_json() -> None:
    examples = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert len(examples) >= 2
    for example in examples:
        json.loads(example)
