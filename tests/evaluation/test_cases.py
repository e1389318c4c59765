"""Case files and gold tables: what is read, and how a mistake is named."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from rag_assets.errors import InputError, SettingsError
from rag_assets.evaluation.cases import CaseSet, case_file_schema, load_cases, schema_text

ONE_OF = """
suite: answers
scopes: [financial]
tags: [money]
cases:
  - id: agg-001
    question: What is the average discount?
    sources: [pricing/tiers.xlsx]
    tags: [aggregate]
    expect:
      one_of:
        - {must_contain: ["9.4%"], must_call_tool: [lookup_tiers]}
        - {abstains: true}
"""

GOLD = r"""source: filings/release.html
table: 2
caption: ($ in millions)

| path | heading | value |
|---|---|---|
| GAAP › Revenue | Q2 FY27 | $96,221 |
| A\|B > Cash | Q1 | - |
"""


@pytest.fixture
def evals(tmp_path: Path) -> Path:
    (tmp_path / "cases").mkdir()
    (tmp_path / "tables").mkdir()
    (tmp_path / "baselines").mkdir()
    return tmp_path


def read(evals: Path, text: str) -> CaseSet:
    (evals / "cases" / "a.yaml").write_text(text)
    return load_cases(evals)


def test_a_case_takes_scopes_from_its_file_and_adds_its_tags(evals: Path) -> None:
    (case,) = read(evals, ONE_OF).cases
    assert case.scopes == ("financial",)
    assert case.tags == ("money", "aggregate")
    assert case.expect.one_of[0].must_call_tool[0].tool == "lookup_tiers"


def test_a_gold_table_is_a_case_of_suite_tables(evals: Path) -> None:
    (evals / "tables" / "release.md").write_text(GOLD)
    (case,) = load_cases(evals).cases
    assert (case.id, case.suite, case.table) == ("gold-release", "tables", 2)
    assert case.gold is not None
    assert [(cell.path, cell.text) for cell in case.gold.cells] == [
        (("GAAP", "Revenue"), "$96,221"),
        (("A|B", "Cash"), "-"),
    ]


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ("must_contain: [9.4]", "a.yaml:6: expect.must_contain.0: found 9.4, expected text: write it in quotes"),
        ("must_contian: ['9.4']", "a.yaml:6: expect.must_contian: unknown key"),
        ("rank_at_most: 3", "a.yaml:3: case: `expect` of suite answers knows"),
        ("value: {}", "a.yaml:6: expect.value: give either `equals` or `lookup`"),
    ],
)
def test_a_mistake_is_named_with_file_line_and_field(evals: Path, broken: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message.replace("[", r"\[").replace("?", r"\?")):
        read(evals, f"suite: answers\ncases:\n  - id: a\n    question: q\n    expect:\n      {broken}\n")


def test_an_id_given_twice_is_refused(evals: Path) -> None:
    (evals / "cases" / "b.yaml").write_text(ONE_OF)
    with pytest.raises(SettingsError, match="'agg-001' is given twice"):
        read(evals, ONE_OF)


def test_a_gold_row_of_the_wrong_width_is_named(evals: Path) -> None:
    (evals / "tables" / "release.md").write_text(GOLD.replace("| Q1 |", "|"))
    with pytest.raises(SettingsError, match=r"release.md:8: row: has 2 cells, the head has 3"):
        load_cases(evals)


def test_no_evals_is_an_empty_set_and_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    assert load_cases(None).cases == ()
    with pytest.raises(InputError, match="no such folder"):
        load_cases(tmp_path / "nowhere")


def test_the_hash_covers_cases_gold_tables_and_baselines(evals: Path) -> None:
    hashes = {read(evals, ONE_OF).hash}
    (evals / "tables" / "release.md").write_text(GOLD)
    hashes.add(load_cases(evals).hash)
    (evals / "baselines" / "accepted.json").write_text("{}")
    hashes.add(load_cases(evals).hash)
    assert len(hashes) == 3


def test_an_edited_case_has_another_digest(evals: Path) -> None:
    (before,) = read(evals, ONE_OF).cases
    (after,) = read(evals, ONE_OF.replace("9.4%", "9.5%")).cases
    assert before.digest != after.digest


def test_the_schema_accepts_a_case_file_and_refuses_an_unknown_key() -> None:
    validator = jsonschema.Draft202012Validator(case_file_schema())
    jsonschema.Draft202012Validator.check_schema(case_file_schema())
    file = json.loads(json.dumps(yaml.safe_load(ONE_OF)))
    assert list(validator.iter_errors(file)) == []
    file["cases"][0]["expect"] = {"must_contian": "x"}
    assert list(validator.iter_errors(file))


def test_the_shipped_schema_is_the_one_the_code_makes() -> None:
    shipped = Path(__file__).parents[2] / "evals" / "cases.schema.json"
    assert shipped.read_text(encoding="utf-8") == schema_text()
