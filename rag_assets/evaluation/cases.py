"""Evaluation cases: what is asked, of which sources, and what is expected.

Holds: `Case`, `CaseSet`, `load_cases` with messages that name file, line and field, and the JSON Schema of a case file.
Add here: a field of a case.
Never here: the keys of `expect` (expectations.py), how a case is judged (scorers/).
"""

import json
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal, NoReturn

import yaml
from pydantic import Field, ValidationError, model_validator

from rag_assets.errors import InputError, SettingsError
from rag_assets.evaluation.case_yaml import read_yaml
from rag_assets.evaluation.expectations import COMBINING, KEYS, Expectation, LookupCall, Strict, Suite, Texts
from rag_assets.evaluation.gold_tables import GoldTable, read_gold_table
from rag_assets.settings import line_of

CASES_FOLDER, GOLD_FOLDER, BASELINES_FOLDER = "cases", "tables", "baselines"

GENERATED = "generated"  # tag of cases that measure and never block
Split = Literal["regular", "calibrate", "held_out"]
ASKED: frozenset[Suite] = frozenset({"retrieval", "answers"})
SOURCE = r"^[^/\s][^/]*/.+$"


class Case(Strict):
    """One case of one suite. `suite` is the file's; a gold table is a case of suite `tables` with `gold`."""

    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:-]*$")]
    suite: Suite
    question: str | None = None
    call: LookupCall | None = None
    sources: tuple[Annotated[str, Field(pattern=SOURCE)], ...] = ()
    table: Annotated[int, Field(ge=1)] | None = None
    scopes: Texts | None = None
    tags: Texts = ()
    split: Split = "regular"
    as_of: date | None = None
    expect: Expectation = Expectation()
    gold: GoldTable | None = None
    why: str | None = None

    @model_validator(mode="after")
    def _suite_has_what_it_needs(self) -> "Case":
        if self.suite in ASKED and not self.question:
            raise ValueError(f"suite {self.suite} needs a `question`")
        if self.suite == "lookup" and not self.call:
            raise ValueError("suite lookup needs a `call` with `tool` and `arguments`")
        if self.suite not in ASKED and self.suite != "lookup" and len(self.sources) != 1:
            raise ValueError(f"suite {self.suite} needs exactly one source in `sources`")
        if self.gold is None and not self.expect.model_fields_set:
            raise ValueError("`expect` is missing or empty")
        unknown = self.expect.keys - KEYS[self.suite]
        if unknown:
            known = ", ".join(sorted(KEYS[self.suite]))
            raise ValueError(f"`expect` of suite {self.suite} knows {known}; found {', '.join(sorted(unknown))}")
        return self

    @property
    def digest(self) -> str:
        """Changes when anything of the case changes: an edited case has never passed in its present form."""
        return sha256(self.model_dump_json(exclude_defaults=True).encode()).hexdigest()[:16]


class CaseFile(Strict):
    """A file of `evals/cases`. `scopes`, `tags` and `as_of` are defaults for its cases; tags add up."""

    suite: Suite
    scopes: Texts | None = None
    tags: Texts = ()
    as_of: date | None = None
    cases: Annotated[tuple[dict[str, object], ...], Field(min_length=1)]


class CaseSet(Strict):
    """All cases of a project in order of files. `hash` also covers gold tables and accepted baselines."""

    cases: tuple[Case, ...] = ()
    hash: str = sha256(b"").hexdigest()

    def of_suite(self, suite: Suite) -> tuple[Case, ...]:
        return tuple(case for case in self.cases if case.suite == suite)

    @property
    def sources(self) -> frozenset[str]:
        return frozenset(source for case in self.cases for source in case.sources)


def load_cases(evals: Path | None) -> CaseSet:
    """Cases of `<evals>/cases/**/*.yaml` (or `.yml`) and gold tables of `<evals>/tables/*.md`; none where `evals`
    is None.

    Raises InputError (folder missing) or SettingsError (`file:line: field: what is wrong`).
    """
    if evals is None:
        return CaseSet()
    if not evals.is_dir():
        raise InputError(f"{evals}: no such folder: correct `evals:` in sources.yaml, or make it")
    files = sorted(path for path in (evals / CASES_FOLDER).rglob("*") if path.suffix in {".yaml", ".yml"})
    golds = sorted((evals / GOLD_FOLDER).glob("*.md"))
    baselines = sorted((evals / BASELINES_FOLDER).glob("*.json"))
    cases: dict[str, Case] = {}
    at: dict[str, Path] = {}
    for path in (*files, *golds):
        read = _read_gold if path.suffix == ".md" else _read_case_file
        for case in read(path):
            if case.id in cases:
                raise SettingsError(f"{path}:1: cases: id {case.id!r} is given twice, first in {at[case.id]}")
            cases[case.id], at[case.id] = case, path
    fingerprint = sha256()
    for path in (*files, *golds, *baselines):
        fingerprint.update(path.relative_to(evals).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return CaseSet(cases=tuple(cases.values()), hash=fingerprint.hexdigest())


def case_file_schema() -> dict[str, object]:
    """JSON Schema of a case file, for editors and for people who write cases."""
    schema = CaseFile.model_json_schema()
    case = Case.model_json_schema()
    definitions = {**schema.pop("$defs", {}), **case.pop("$defs", {})}
    for inner in ("suite", "gold"):
        case["properties"].pop(inner)
    case["required"] = ["id"]
    schema["properties"]["cases"]["items"] = {"$ref": "#/$defs/Case"}
    definitions["Case"] = case
    definitions.pop("GoldTable", None)
    _let_one_stand_alone(definitions["Expectation"]["properties"])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "$defs": definitions}


def _let_one_stand_alone(properties: dict[str, dict[str, object]]) -> None:
    """Where a list of mappings is expected, one mapping will do; combining keys keep their list."""
    for name, schema in properties.items():
        if name not in COMBINING and "$ref" in str(schema.get("items")):
            properties[name] = {"anyOf": [schema["items"], schema]}


def schema_text() -> str:
    return json.dumps(case_file_schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _read_gold(path: Path) -> tuple[Case, ...]:
    gold = read_gold_table(path, _text_of(path))
    try:
        case = Case(
            id=f"gold-{gold.name}",
            suite="tables",
            sources=(gold.source,),
            table=gold.table,
            scopes=gold.scopes or None,
            tags=(*gold.tags, "gold"),
            gold=gold,
        )
    except ValidationError as error:
        first = error.errors()[0]
        field = (
            "file name"
            if first["loc"][:1] == ("id",)
            else ".".join(map(str, first["loc"])).replace("sources.0", "source")
        )
        raise SettingsError(f"{path}:1: {field}: found {first['input']!r}: {first['msg']}") from None
    return (case,)


def _read_case_file(path: Path) -> tuple[Case, ...]:
    node, content = read_yaml(path, _text_of(path))
    if not isinstance(content, dict):
        raise SettingsError(f"{path}:1: expected `suite:` and `cases:`, see docs/reference/cases.md")
    try:
        file = CaseFile.model_validate(content)
    except ValidationError as error:
        _refuse(error, node, path, ())
    return tuple(_case(file, n, entry, node, path) for n, entry in enumerate(file.cases))


def _case(file: CaseFile, n: int, entry: dict[str, object], node: yaml.Node | None, path: Path) -> Case:
    given = {"suite": file.suite, "scopes": file.scopes, "as_of": file.as_of, **entry}
    try:
        case = Case.model_validate(given)
    except ValidationError as error:
        _refuse(error, node, path, ("cases", n))
    return case.model_copy(update={"tags": tuple(dict.fromkeys((*file.tags, *case.tags)))})


def _refuse(error: ValidationError, node: yaml.Node | None, path: Path, above: tuple[int | str, ...]) -> NoReturn:
    first = error.errors()[0]
    place = (*above, *first["loc"])
    field = ".".join(str(part) for part in first["loc"]) or "case"
    message = "unknown key" if first["type"] == "extra_forbidden" else first["msg"].removeprefix("Value error, ")
    message = _IN_WORDS.get(first["type"], message)
    if first["type"] == "string_type":
        message = f"found {first['input']!r}, expected text: write it in quotes"
    raise SettingsError(f"{path}:{line_of(node, place)}: {field}: {message}")


_IN_WORDS = {
    "tuple_type": "expected a list",
    "model_type": "expected a mapping of keys",
    "dict_type": "expected a mapping of keys",
}


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
