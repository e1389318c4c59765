import json
from pathlib import Path

from tests.cli.conftest import Say


def test_a_cell_is_shown_with_its_row_heading_and_statement(say: Say, published_shop: Path) -> None:
    said = say("show", "rules/returns.md", "#table-1!r3c2", "--project", published_shop, "--json")
    found = json.loads(said.out)
    assert (found["text"], found["row"], found["heading"]) == ("25", "Chile", "Days")
    assert found["statement"]["phrase"] == "Days"
    assert [n["text"] for n in found["neighbours"]] == ["Chile", "25"]


def test_a_person_sees_the_rows_around_it(say: Say, published_shop: Path) -> None:
    said = say("show", "rules/returns.md", "#table-1!r3c2", "--project", published_shop)
    assert "Norway" in said.out
    assert "> Chile" in said.out


def test_an_unknown_source_or_address_is_one_line(say: Say, published_shop: Path) -> None:
    for source, address in (("rules/return.md", "#table-1!r3c2"), ("rules/returns.md", "#table-9!r1c1")):
        said = say("show", source, address, "--project", published_shop)
        assert said.status == 2
        assert len(said.err.splitlines()) == 1
    assert "did you mean rules/returns.md" in say("show", "rules/return.md", "x", "--project", published_shop).err
