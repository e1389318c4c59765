"""Through the real Dagster instance of the project, in this process."""

import json
from pathlib import Path

from tests.cli.conftest import PRICES, RULES, Say


def test_ingest_publishes_then_finds_nothing_due(say: Say, unpublished: Path) -> None:
    first = json.loads(say("ingest", "--project", unpublished, "--json").out)
    assert (first["published"], first["failed"], first["worked_on"]["parsed_blocks"]) == (1, False, 2)
    again = say("ingest", "--project", unpublished)
    assert (again.status, again.out) == (0, "nothing is due: release 1 stays\n")
    assert "seconds" in say("status", "--timing", "--project", unpublished).out


def test_an_edit_works_on_that_document_alone(say: Say, shop: Path) -> None:
    (shop / "prices/list.csv").write_text(PRICES.replace("$30.00", "$31.00"))
    said = say("ingest", "--project", shop)
    assert said.status == 0
    assert "release 2 published" in said.out
    assert "raw_sources 1, parsed_blocks 1, normalized_tables 1, chunks 1" in said.out
    assert "$31.00" in say("search", "buoy price", "--scope", "sales", "--project", shop).out
    before, after = (
        json.loads(say("release", "show", n, "--project", shop, "--json").out)["partitions"] for n in ("1", "2")
    )
    assert before["rules"] == after["rules"]
    assert before["prices"] != after["prices"]


def test_a_deleted_document_is_gone_from_search_and_release(say: Say, shop: Path) -> None:
    (shop / "rules/other.md").write_text("Something else.")
    (shop / "rules/returns.md").unlink()
    assert say("ingest", "--project", shop).status == 0
    assert "Chile" not in say("search", "days in Chile", "--project", shop).out
    assert "returns" not in say("release", "show", "2", "--project", shop).out


def test_an_unreadable_file_is_quarantined_and_the_rest_goes_live(say: Say, shop: Path) -> None:
    (shop / "rules/broken.xlsx").write_bytes(b"PK\x03\x04 no workbook")
    (shop / "rules/returns.md").write_text(RULES.replace("25", "26"))
    assert say("ingest", "--project", shop).status == 0
    assert "26" in say("search", "days in Chile", "--project", shop).out
    assert "rules/broken.xlsx: truncated" in say("status", "--quarantine", "--project", shop).out


def test_an_empty_folder_is_refused_until_it_is_allowed(say: Say, shop: Path) -> None:
    (shop / "rules/returns.md").unlink()
    (shop / "prices/list.csv").write_text(PRICES.replace("$30.00", "$31.00"))
    refused = say("ingest", "--project", shop)
    assert refused.status == 1
    assert "refused: collection rules" in refused.err
    assert "release 2 published" in refused.out
    assert "25" in say("search", "days in Chile", "--project", shop).out
    assert say("ingest", "--allow-empty", "--project", shop).status == 0
    assert say("search", "days in Chile", "--project", shop).out == "nothing found\n"


HOURS = """<table>
<tr><th></th><th colspan="2">Saturday</th></tr>
<tr><th>Line</th><th>First</th><th>Last</th></tr>
<tr><td>Blue</td><td>6:10</td><td>22:40</td></tr>
<tr><td>Green</td><td>6:30</td><td>23:10</td></tr>
</table>"""
HOURS_CASE = """suite: tables
cases:
  - id: hours-001
    sources: [rules/hours.html]
    expect: {cells: [{path: Green, heading: Saturday Last, text: "23:10"}]}
"""


def test_a_case_that_fails_now_holds_the_release_unless_it_is_allowed(say: Say, shop: Path) -> None:
    (shop / "rules/hours.html").write_text(HOURS)
    (shop / "evals/cases/hours.yaml").write_text(HOURS_CASE)
    assert say("ingest", "--project", shop).status == 0
    written = (shop / "sources.yaml").read_text()
    (shop / "sources.yaml").write_text(
        written + "settings: {on_regression: hold_release, rules: {stacked_headings: false}}\n"
    )
    refused = say("ingest", "--project", shop)
    assert refused.status == 1
    assert "not published: release 2 stays" in refused.out
    assert "hours-001" in refused.err
    assert "Saturday Last" in say("search", "Green last", "--project", shop).out
    allowed = say("ingest", "--allow", "hours-001", "--why", "the new layout is wanted", "--project", shop)
    assert allowed.status == 0
    assert "allowed to fail: hours-001" in say("release", "show", "3", "--project", shop).out


def test_rebuild_works_on_every_document(say: Say, shop: Path) -> None:
    said = json.loads(say("ingest", "--rebuild", "--project", shop, "--json").out)
    assert said["worked_on"]["parsed_blocks"] == 2
    assert said["published"] is None
