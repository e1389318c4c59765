import json
from pathlib import Path

import yaml

from tests.cli.conftest import RULES, Say
from tests.cli.published import publish_now


def test_compare_prints_the_table_of_a_decision_record(say: Say, shop: Path) -> None:
    (shop / "rules/returns.md").write_text(RULES.replace("25", "99"))
    publish_now(shop, "run-2")
    said = say("eval", "compare", "1", "2", "--project", shop)
    assert said.status == 0
    assert "1/2 → 2/2" in said.out
    assert json.loads(say("eval", "compare", "1", "2", "--json", "--project", shop).out)["mended"] == ["days-002"]


def test_ablate_leaves_the_state_as_it_was(say: Say, shop: Path) -> None:
    before = sorted(p for p in (shop / ".rag-assets").rglob("*"))
    said = say("eval", "ablate", "records", "--project", shop)
    assert said.status == 0
    assert said.out.startswith("records")
    assert sorted(p for p in (shop / ".rag-assets").rglob("*")) == before
    assert say("eval", "ablate", "nonsense", "--project", shop).status == 2


def test_report_is_one_offline_page(say: Say, published_shop: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    said = say("eval", "report", "--out", page, "--project", published_shop)
    assert (said.status, said.out) == (0, f"{page}\n")
    text = page.read_text()
    assert "days-002" in text
    assert "http://" not in text.replace("http://www.w3.org", "")
    only = tmp_path / "sales.html"
    say("eval", "report", "--scope", "sales", "--out", only, "--project", published_shop)
    assert "days-002" not in only.read_text()


def test_generate_gives_the_same_cases_for_the_same_seed(say: Say, published_shop: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        said = say(
            "eval", "generate", "--limit", "20", "--seed", "3", "--out", tmp_path / name, "--project", published_shop
        )
        assert said.status == 0
    first, second = ({p.name: p.read_text() for p in (tmp_path / name).iterdir()} for name in ("a", "b"))
    assert first == second
    assert sum(len(yaml.safe_load(text)["cases"]) for text in first.values()) == 20


def test_calibrate_without_calibration_cases_says_what_is_missing(say: Say, published_shop: Path) -> None:
    said = say("eval", "calibrate", "--project", published_shop)
    assert said.status == 2
    assert "split: calibrate" in said.err
