"""What is remembered of each case: whether it passed, of which form, over which sources.

Holds: `Memory`, `CaseMemory`, writing and reading them: beside a release in the state, and as accepted baselines.
Add here: a fact about a past run that the gate needs.
Never here: what follows from it (gate.py).
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path

import msgspec

from rag_assets.errors import SettingsError
from rag_assets.evaluation.cases import BASELINES_FOLDER, Case
from rag_assets.evaluation.outcomes import CaseOutcome, SourceState
from rag_assets.store import Store

FORMAT = 1
ACCEPTED_FILE = "accepted.json"
VERSION_LENGTH = 12

Versions = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseMemory:
    """How a case stood at `at`. `snapshot` names the sources of that moment; `day` is what it was run as of.

    `retrieved`: what a case that names no source was shown.
    """

    case: str
    digest: str
    passed: bool
    at: str
    day: str
    snapshot: str
    retrieved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """All that is remembered in one place. Snapshots: name → source → version; most cases share one."""

    cases: dict[str, CaseMemory] = field(default_factory=dict)
    snapshots: dict[str, dict[str, str]] = field(default_factory=dict)
    scores: dict[str, tuple[float | None, int, int]] = field(default_factory=dict)
    format: int = FORMAT

    def sources_of(self, remembered: CaseMemory) -> Versions:
        return self.snapshots.get(remembered.snapshot, {})


def versions_of(sources: Mapping[str, SourceState]) -> dict[str, str]:
    return {name: state.version[:VERSION_LENGTH] for name, state in sorted(sources.items())}


def newest(case: Case, memories: Iterable[Memory]) -> tuple[CaseMemory, Versions] | None:
    """The newest memory of this very form of the case, with the sources of its moment."""
    found = [(memory.cases[case.id], memory) for memory in memories if case.id in memory.cases]
    of_this_form = [(one, memory) for one, memory in found if one.digest == case.digest]
    if not of_this_form:
        return None
    remembered, memory = max(of_this_form, key=lambda pair: pair[0].at)
    return remembered, memory.sources_of(remembered)


def accepted_days(memory: Memory) -> dict[str, date]:
    return {case: date.fromisoformat(one.day) for case, one in memory.cases.items()}


def remember(
    outcomes: Iterable[CaseOutcome],
    sources: Mapping[str, SourceState],
    before: Iterable[Memory] = (),
    *,
    at: str | None = None,
    unaccepted: Container[str] = (),
) -> Memory:
    """Scored cases as they stand now; what was stale or unscored keeps its newest earlier memory.

    So do `unaccepted` ones: they fail in what goes live (a removal never waits), and block again until mended.
    """
    moment = at or now()
    snapshot = versions_of(sources)
    name = sha256(msgspec.json.encode(snapshot)).hexdigest()[:VERSION_LENGTH]
    earlier = tuple(before)
    cases: dict[str, CaseMemory] = {}
    snapshots = {name: snapshot}
    for one in outcomes:
        if one.verdict in {"passed", "failed"} and one.case not in unaccepted:
            passed = one.verdict == "passed"
            cases[one.case] = _memory_of(one, passed=passed, at=moment, snapshot=name)
            continue
        kept = [memory for memory in earlier if one.case in memory.cases]
        if kept:
            memory = max(kept, key=lambda found: found.cases[one.case].at)
            remembered = memory.cases[one.case]
            cases[one.case] = remembered
            snapshots[remembered.snapshot] = dict(memory.sources_of(remembered))
    return Memory(cases=cases, snapshots=snapshots)


def accept(
    outcomes: Iterable[CaseOutcome], sources: Mapping[str, SourceState], before: Memory, *, at: str | None = None
) -> Memory:
    """The baseline after a person accepted these outcomes as they stand, stale ones by what they would count as."""
    moment = at or now()
    judged = tuple(one for one in outcomes if one.would_pass is not None)
    snapshot = versions_of(sources)
    name = sha256(msgspec.json.encode(snapshot)).hexdigest()[:VERSION_LENGTH]
    cases = dict(before.cases)
    for one in judged:
        cases[one.case] = _memory_of(one, passed=bool(one.would_pass), at=moment, snapshot=name)
    used = {one.snapshot for one in cases.values()}
    snapshots = {key: value for key, value in {**before.snapshots, name: snapshot}.items() if key in used}
    return Memory(cases=cases, snapshots=snapshots, scores=before.scores)


def _memory_of(one: CaseOutcome, *, passed: bool, at: str, snapshot: str) -> CaseMemory:
    shown = () if one.sources else one.retrieved
    return CaseMemory(
        case=one.case, digest=one.digest, passed=passed, at=at, day=one.day, snapshot=snapshot, retrieved=shown
    )


def read_baseline(evals: Path | None) -> Memory | None:
    """The accepted baseline; None where nothing was ever accepted."""
    path = evals / BASELINES_FOLDER / ACCEPTED_FILE if evals else None
    if path is None or not path.exists():
        return None
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Memory)
        accepted_days(found)
    except (msgspec.DecodeError, ValueError, OSError) as error:
        raise SettingsError(
            f"{path}:1: baseline: damaged: {error}: write it again with `rag-assets eval accept`"
        ) from None
    if found.format != FORMAT or any(one.snapshot not in found.snapshots for one in found.cases.values()):
        raise SettingsError(f"{path}:1: baseline: of another format: write it again with `rag-assets eval accept`")
    return found if found.cases else None


def set_aside_damaged(evals: Path) -> None:
    """Move a baseline that cannot be read out of the way, kept beside it as `accepted.json.damaged`."""
    try:
        read_baseline(evals)
    except SettingsError:
        path = evals / BASELINES_FOLDER / ACCEPTED_FILE
        path.replace(path.with_name(f"{ACCEPTED_FILE}.damaged"))


def write_baseline(evals: Path, memory: Memory) -> Path:
    path = evals / BASELINES_FOLDER / ACCEPTED_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(memory, order="sorted"), indent=1) + b"\n")
    return path


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What a candidate was found to be; kept beside it and found again by the release's `dagster_run`."""

    memory: Memory
    outcomes: tuple[CaseOutcome, ...]
    format: int = FORMAT


def write_evaluation(store: Store, identity: str, evaluation: Evaluation) -> None:
    store.write_evaluation(identity, msgspec.json.encode(evaluation))


def read_evaluation(store: Store, identity: str | None) -> Evaluation | None:
    """None where there was none, it was swept away, or it is damaged: then the accepted baseline alone counts."""
    content = store.read_evaluation(identity) if identity else None
    if content is None:
        return None
    try:
        return msgspec.json.decode(content, type=Evaluation)
    except msgspec.DecodeError:
        return None


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
