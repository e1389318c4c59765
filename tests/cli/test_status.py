import json
from pathlib import Path

from rag_assets.cli.quarantine_advice import ADVICE
from rag_assets.model.document import Reason
from tests.cli.conftest import RULES, Say
from tests.cli.published import publish_now


def test_status_says_what_is_published_and_that_nothing_is_due(say: Say, published_shop: Path) -> None:
    said = say("status", "--project", published_shop)
    assert said.status == 0
    assert said.out.startswith("release 1 ")
    assert "nothing is due" in said.out


def test_status_and_dry_run_name_what_is_due(say: Say, shop: Path) -> None:
    (shop / "rules/returns.md").write_text(RULES.replace("30", "31"))
    (shop / "rules/more.md").write_text("More words.")
    assert "due: rules: 1 new, 1 changed" in say("status", "--project", shop).out
    due = json.loads(say("ingest", "--dry-run", "--project", shop, "--json").out)
    assert due["collections"][0]["new"] == ["rules/more.md"]


def test_a_quarantined_document_is_listed_with_its_remedy(say: Say, shop: Path) -> None:
    (shop / "rules/broken.xlsx").write_bytes(b"PK\x03\x04 no workbook")
    publish_now(shop, "run-2")
    assert "1 quarantined" in say("status", "--project", shop).out
    shown = say("status", "--quarantine", "--project", shop).out
    assert "rules/broken.xlsx: truncated" in shown
    assert ADVICE[Reason.TRUNCATED] in shown
    assert json.loads(say("status", "--json", "--project", shop).out)["quarantined"][0]["reason"] == "truncated"


def test_every_reason_has_a_remedy() -> None:
    assert set(ADVICE) == set(Reason)


def test_doctor_names_what_is_wrong_and_how_to_mend_it(say: Say, shop: Path) -> None:
    assert say("doctor", "--project", shop).status == 0
    (shop / "prices/list.csv").unlink()
    (shop / "prices").rmdir()
    said = say("doctor", "--project", shop)
    assert said.status == 1
    assert "BAD collection prices" in said.out
    assert "make the folder" in said.out
