import json
from pathlib import Path

from tests.cli.conftest import PRICES, RULES, Say
from tests.cli.published import publish_now


def test_list_and_show_name_the_current_release(say: Say, published_shop: Path) -> None:
    only = json.loads(say("release", "list", "--project", published_shop, "--json").out)
    assert [(r["release"], r["current"], r["documents"]) for r in only] == [(1, True, 2)]
    assert "rules/returns.md" in say("release", "show", "1", "--project", published_shop).out
    assert say("release", "show", "4", "--project", published_shop).status == 2


def test_diff_names_the_changed_cell(say: Say, shop: Path) -> None:
    (shop / "prices/list.csv").write_text(PRICES.replace("$30.00", "$31.00"))
    (shop / "rules/new.md").write_text("New words.")
    assert publish_now(shop, "run-2") is not None
    changes = json.loads(say("release", "diff", "1", "2", "--project", shop, "--json").out)
    assert changes["added"] == ["rules/new.md"]
    assert changes["changed"] == ["prices/list.csv"]
    (cell,) = changes["cells"]
    assert (cell["source"], cell["address"], cell["before"], cell["after"]) == (
        "prices/list.csv",
        "r3c2",
        "$30.00",
        "$31.00",
    )


def test_sweep_keeps_what_a_kept_release_names(say: Say, shop: Path) -> None:
    swept = json.loads(say("release", "sweep", "--keep", "1", "--project", shop, "--json").out)
    assert swept["releases"] == []
    assert say("search", "days in Chile", "--project", shop).status == 0


def test_rollback_stands_until_resume(say: Say, shop: Path) -> None:
    (shop / "rules/returns.md").write_text(RULES.replace("May", "June"))
    publish_now(shop, "run-2")
    assert say("release", "rollback", "1", "--why", "June is wrong", "--project", shop).status == 0
    assert "pinned to release 1" in say("status", "--project", shop).out
    assert "May" in say("search", "last changed", "--project", shop).out
    assert say("release", "resume", "--project", shop).status == 0
    assert "pinned" not in say("status", "--project", shop).out


def test_rollback_needs_a_kept_release_and_a_reason(say: Say, shop: Path) -> None:
    assert say("release", "rollback", "7", "--why", "x", "--project", shop).status == 2
    assert say("release", "rollback", "1", "--project", shop).status == 2
    assert say("release", "rollback", "1", "--why", " ", "--project", shop).status == 2


def test_an_erased_document_leaves_nothing_behind(say: Say, shop: Path) -> None:
    held = say("release", "prove-deleted", "last changed in may", "--project", shop)
    assert held.status == 1
    (shop / "rules/new.md").write_text("New words.")
    (shop / "rules/returns.md").unlink()
    (shop / "evals/cases/days.yaml").unlink()
    publish_now(shop, "run-2")
    assert say("release", "sweep", "--erase", "rules/returns.md", "--project", shop).status == 0
    said = say("release", "prove-deleted", "last changed in may", "--project", shop)
    assert (said.status, said.out) == (0, "nothing of it is left\n")
