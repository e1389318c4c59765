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


HEAD = "suite: answers\ncases:\n  - id: a\n    question: x\n    expect: "


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("suite: answers\nas_of: 2026-13-01\ncases: []\n", 2, "a date that does not exist"),
        ("suite: answers\ncases:\n  - {id: a, question: x, question: y, expect: {abstains: true}}\n", 3, "given twice"),
        (HEAD + "{one_of: []}\n", 5, "holds nothing"),
        (HEAD + "{must_contain: []}\n", 5, "holds nothing"),
        (HEAD + "{abstains: null}\n", 5, "holds nothing"),
        (HEAD + "{abstains: true, must_contain: [x]}\n", 5, "put them under `one_of`"),
        (HEAD + "{value: {equals: 9, tolerance: .inf}}\n", 5, "no finite number"),
        (HEAD + "{one_of: " * 300 + "x" + "}" * 300, 5, "nested over"),
        ("# nothing yet\n", 1, "expected `suite:` and `cases:`"),
        (HEAD + "{one_of: 5}\n", 5, "expected a list"),
    ],
)
def test_what_yaml_allows_and_no_case_means_is_one_line(evals: Path, text: str, line: int, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read(evals, text)
    message = str(caught.value)
    assert f"a.yaml:{line}:" in message
    assert said in message
    assert "\n" not in message


def test_aliases_that_grow_without_end_are_refused_at_once(evals: Path) -> None:
    layers = ["a: &l0 [x, x, x, x, x, x, x, x, x]"]
    layers += [f"b{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 10)]
    with pytest.raises(SettingsError, match="aliases that make over"):
        read(evals, "\n".join(layers))


def test_a_yml_file_is_a_case_file_too(evals: Path) -> None:
    (evals / "cases" / "b.yml").write_text(ONE_OF)
    assert [case.id for case in load_cases(evals).cases] == ["agg-001"]


def test_a_repeated_id_names_both_files(evals: Path) -> None:
    (evals / "cases" / "b.yaml").write_text(ONE_OF)
    with pytest.raises(SettingsError, match=r"b\.yaml.*agg-001.*a\.yaml"):
        read(evals, ONE_OF)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("table: 2", "tabel: 2"), "unknown head line"),
        (("table: 2", "table: ²"), "is no number"),
        (("table: 2", "table: 0"), "table"),
        (("source: filings/release.html", "source: release.html"), "source"),
        (("| path | heading | value |", "| path | path | value |"), "columns are"),
    ],
)
def test_a_mistake_in_a_gold_table_is_one_line(evals: Path, change: tuple[str, str], said: str) -> None:
    (evals / "tables" / "release.md").write_text(GOLD.replace(*change))
    with pytest.raises(SettingsError, match=said) as caught:
        load_cases(evals)
    assert "\n" not in str(caught.value)


def test_the_name_of_a_gold_file_is_its_id(evals: Path) -> None:
    (evals / "tables" / "my gold.md").write_text(GOLD)
    with pytest.raises(SettingsError, match="file name"):
        load_cases(evals)
