"""The ten seeded regressions through the judgement and the publishing of a project."""

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from rag_assets.evaluation.outcomes import CaseOutcome
from tests.evaluation.seeded_project import SeededProject, published_example, seed
from tests.evaluation.test_seeded_regressions import REGRESSIONS

pytestmark = pytest.mark.slow

GUILTY = {
    "headers dropped": "pricing",
    "captions dropped": "filings",
    "one sheet lost": "pricing",
    "rows torn": "policies",
    "sections unfolded": "filings",
    "tool removed": "pricing",
    "stale summary": "pricing",
    "addresses off by one": "transit",
}
NEW_PAGE = "# Lost property\n\nUmbrellas wait at the depot for nine days.\n"


class Published(NamedTuple):
    project: SeededProject
    answers: tuple[CaseOutcome, ...]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    made = published_example(tmp_path_factory.mktemp("published"))
    return Published(made, made.answers(1))


@pytest.fixture
def copy(published: Published, tmp_path: Path) -> SeededProject:
    shutil.copytree(published.project.root, tmp_path / "copy")
    return SeededProject(tmp_path / "copy")


@pytest.mark.parametrize("name", REGRESSIONS)
def test_hold_release_blocks_it_and_the_old_release_answers_as_before(
    name: str, copy: SeededProject, published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage = REGRESSIONS[name]()
    copy.settings("on_regression: hold_release")
    with monkeypatch.context() as patch:
        seed(patch, damage, None)
        judged, release = copy.ingest("worse", damage)
    cases = [one.case for one in judged.verdict.regressed]
    print(f"{name}: {len(cases)} cases: {', '.join(cases[:4])}: {judged.verdict.sentence[:90]}")
    assert judged.verdict.red
    assert release is None
    assert copy.store.current_number() == 1
    assert copy.answers(1) == published.answers


@pytest.mark.parametrize("name", GUILTY)
def test_hold_collection_holds_the_guilty_collection_and_the_others_go_live(
    name: str, copy: SeededProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage, guilty = REGRESSIONS[name](), GUILTY[name]
    copy.settings("on_regression: hold_collection")
    other = "transit" if guilty != "transit" else "policies"
    (copy.root / "evals" / "corpus" / other / "lost_property.md").write_text(NEW_PAGE)
    with monkeypatch.context() as patch:
        seed(patch, damage, guilty)
        judged, release = copy.ingest("worse", damage, guilty)
    print(f"{name}: held {sorted(judged.verdict.held)}: {judged.verdict.sentence[:90]}")
    assert set(judged.verdict.held) == {guilty}
    assert release is not None
    assert f"{other}/lost_property.md" in {entry.source for entry in release.sources}
    before = copy.store.release(1).partitions
    assert [key for key, part in release.partitions.items() if part == before[key]] == [guilty]


@pytest.mark.parametrize("name", sorted(REGRESSIONS.keys() - GUILTY.keys()))
def test_what_no_collection_is_to_blame_for_holds_the_release(
    name: str, copy: SeededProject, published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage = REGRESSIONS[name]()
    with monkeypatch.context() as patch:
        seed(patch, damage, None)
        judged, release = copy.ingest("worse", damage)
    assert judged.verdict.red
    assert release is None
    assert copy.answers(1) == published.answers
