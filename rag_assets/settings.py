"""sources.yaml: the collections of a project and the settings of every stage.

Holds: `Project` and what it is read from, with messages that name file, line and key.
Add here: a setting (and its line in docs/reference/settings.md).
Never here: what a setting does.
"""

import os
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, NoReturn

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from rag_assets.errors import InputError, SettingsError

FILE_NAME = "sources.yaml"
PROJECT_VARIABLE = "RAG_ASSETS_PROJECT"
MAX_COLLECTIONS = 1000

DEFAULT_EXCLUDES = (
    "**/~$*",
    "**/.DS_Store",
    "**/Thumbs.db",
    "**/*.tmp",
    "**/.git/**",
    "**/*.tables.yaml",
    "**/.rag-assets/**",
)

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Handoff(_Strict):
    text: str | None = "Ask the owner of this collection."
    url: str | None = None


class RuleSettings(_Strict):
    rejoin_symbols: bool = True
    stacked_headings: bool = True
    sections: bool = True
    section_totals: bool = True
    period_sections: bool = True
    corner: bool = True
    continuation: bool = True
    caption_run: bool = True
    unit_exceptions: bool = True
    transposed_pair: bool = True


class RetrievalSettings(_Strict):
    k1: Annotated[float, Field(gt=0)] = 0.9
    b: Share = 0.75
    caption_weight: Annotated[float, Field(ge=0)] = 3
    label_weight: Annotated[float, Field(ge=0)] = 2
    prose_weight: Annotated[float, Field(ge=0)] = 0.25
    records: bool = True
    expansion: bool = True
    row_splitting: bool = True
    header_repeat: bool = True
    stop_language: str = "en"


class Limits(_Strict):
    cpu_s: Count = 30
    wall_s: Count = 120
    memory_mb: Count = 2048
    output_mb: Count = 256
    cells: Count = 20_000_000
    pages: Count = 5000
    file_mb: Count = 512
    long_rows: Count = 5_000


class ModelSettings(_Strict):
    name: str | None = None
    temperature: float = 0
    timeout_s: Count = 60
    max_tool_calls: Annotated[int, Field(ge=0)] = 6
    context_words: Count = 1500
    max_tokens: Count = 1000


class AlertSettings(_Strict):
    webhook: str | None = None


class Settings(_Strict):
    """All optional; the defaults are the contract."""

    max_tokens: Annotated[int, Field(ge=32)] = 320
    record_rows: Annotated[int, Field(ge=0)] = 500
    lookup_rows: Count = 20
    hidden: Literal["exclude", "include"] = "exclude"
    on_regression: Literal["hold_collection", "hold_release"] = "hold_collection"
    on_quarantine: Literal["keep_last", "drop"] = "keep_last"
    allow_mass_delete: bool = False
    settle_s: Annotated[float, Field(ge=0)] = 2
    keep_releases: Annotated[int, Field(ge=3)] = 3
    eval_budget_s: Annotated[float, Field(gt=0)] = 30
    answer_floor: Share = 0.35
    suite_floors: dict[str, Share] = {}
    partitions_per_run: Count | None = None
    handoff: Handoff = Handoff()
    rules: RuleSettings = RuleSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    limits: Limits = Limits()
    model: ModelSettings = ModelSettings()
    log_questions: bool = False
    prose_statements: bool = False
    alerts: AlertSettings = AlertSettings()


class Collection(_Strict):
    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]{0,63}$")]
    documents: str
    scope: Annotated[str, Field(min_length=1)]
    include: tuple[str, ...] = ("**/*",)
    exclude: tuple[str, ...] = ()
    shards: Annotated[int, Field(ge=1, le=100)] = 1
    redact_metadata: bool = False


class SourcesFile(_Strict):
    """The file as written."""

    state: str = ".rag-assets"
    default_scopes: tuple[str, ...] = ("public",)
    collections: Annotated[tuple[Collection, ...], Field(min_length=1, max_length=MAX_COLLECTIONS)]
    evals: str | None = None
    settings: Settings = Settings()

    @model_validator(mode="after")
    def _names_are_unique(self) -> "SourcesFile":
        names = [c.name for c in self.collections]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two collections are named {name!r}")
        return self


class Partition(NamedTuple):
    """One unit of re-ingest: a collection, or one shard of it. `key` is the Dagster partition key."""

    key: str
    collection: Collection
    shard: int
    shards: int


class Project(NamedTuple):
    """A folder with a sources.yaml. `digest` is the sha256 of that file."""

    root: Path
    file: SourcesFile
    digest: str

    @property
    def settings(self) -> Settings:
        return self.file.settings

    @property
    def collections(self) -> tuple[Collection, ...]:
        return self.file.collections

    @property
    def state_url(self) -> str:
        """Absolute path, or the URL as written."""
        return self._located(self.file.state)

    @property
    def evals(self) -> Path | None:
        return (self.root / self.file.evals).resolve() if self.file.evals else None

    @property
    def partitions(self) -> tuple[Partition, ...]:
        return tuple(p for c in self.collections for p in partitions_of(c))

    def documents_url(self, collection: Collection) -> str:
        return self._located(collection.documents)

    def partition(self, key: str) -> Partition:
        for candidate in self.partitions:
            if candidate.key == key:
                return candidate
        raise SettingsError(f"{self.root / FILE_NAME}: no partition {key!r}")

    def _located(self, place: str) -> str:
        return place if "://" in place else str((self.root / place).resolve())


def partitions_of(collection: Collection) -> tuple[Partition, ...]:
    """One partition, or `name/00`, `name/01`, … for a sharded collection."""
    if collection.shards == 1:
        return (Partition(collection.name, collection, 0, 1),)
    return tuple(
        Partition(f"{collection.name}/{n:02d}", collection, n, collection.shards) for n in range(collection.shards)
    )


def find_project(start: Path | None = None) -> Path:
    """The folder that holds sources.yaml: `RAG_ASSETS_PROJECT`, or `start` (default: here) and upwards.

    Raises InputError where there is none.
    """
    named = os.environ.get(PROJECT_VARIABLE)
    if start is None and named:
        return Path(named)
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / FILE_NAME).is_file():
            return folder
    raise InputError(f"no {FILE_NAME} in {here} or above it: run `rag-assets init DIR`, or pass --project DIR")


def load_project(root: Path) -> Project:
    """Read and check `<root>/sources.yaml`. Raises InputError (missing) or SettingsError (file, line, key)."""
    from hashlib import sha256

    path = root.resolve() / FILE_NAME
    try:
        raw = path.read_bytes()
        text = raw.decode("utf-8")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file: run `rag-assets init {root}`") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    return Project(path.parent, parse_sources(text, path), sha256(raw).hexdigest())


def parse_sources(text: str, path: Path) -> SourcesFile:
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        raise SettingsError(f"{path}:{line}: not YAML: {getattr(error, 'problem', None) or error}") from None
    if not isinstance(content, dict):
        raise SettingsError(f"{path}:1: expected a mapping with `collections:`, found {type(content).__name__}")
    try:
        return SourcesFile.model_validate(content)
    except ValidationError as error:
        _refuse(error, node, path)


def _refuse(error: ValidationError, node: yaml.Node | None, path: Path) -> NoReturn:
    first = error.errors()[0]
    place = tuple(first["loc"])
    key = ".".join(str(p) for p in place) or "(whole file)"
    what = "unknown key" if first["type"] == "extra_forbidden" else first["msg"]
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    raise SettingsError(f"{path}:{line_of(node, place)}: {key}: {what}{more}")


def line_of(node: yaml.Node | None, place: tuple[int | str, ...]) -> int:
    """1-based line where the key path stands, or the nearest that exists above it."""
    line = 1
    for part in place:
        if isinstance(node, yaml.MappingNode):
            found = next(((k, v) for k, v in node.value if getattr(k, "value", None) == str(part)), None)
            if found is None:
                break
            line, node = found[0].start_mark.line + 1, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            break
    return line
