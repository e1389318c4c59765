import pytest

from rag_assets.errors import SettingsError
from rag_assets.model.table import ColumnType
from rag_assets.tables.overrides import Overrides, parse_overrides
from rag_assets.tables.ranges import Rectangle

CONTENT = {
    "tables": [
        {
            "sheet": "Prices",
            "range": "A4:F60",
            "header_rows": 2,
            "name": "price_list",
            "types": {"code": "text"},
            "units": {"discount": "percent"},
            "key": ["region", "tier"],
            "effective": {"from": "effective"},
        }
    ],
    "skip": ["Notes"],
}


def test_everything_of_the_contract_is_read() -> None:
    table = parse_overrides(CONTENT, "price.xlsx.tables.yaml").tables[0]
    assert table.range == Rectangle(3, 0, 59, 5)
    assert (table.header_rows, table.name, table.key) == (2, "price_list", ("region", "tier"))
    assert table.types == (("code", ColumnType.TEXT),)
    assert (table.units, table.effective) == ((("discount", "percent"),), (("from", "effective"),))


def test_what_is_said_of_a_sheet() -> None:
    overrides = parse_overrides(CONTENT, "x")
    assert overrides.for_sheet("Notes").skip
    assert overrides.for_sheet("Other") is None
    sheet = overrides.for_sheet("Prices")
    assert sheet.table_for("A2:F60") is sheet.tables[0]
    assert sheet.table_for("H1:J9") is None


def test_an_empty_file_says_nothing() -> None:
    assert parse_overrides(None, "x") == Overrides()


@pytest.mark.parametrize(
    ("content", "key"),
    [
        ([], "(whole file)"),
        ({"tabels": []}, "tabels"),
        ({"tables": [{"sheet": "A", "rnage": "A1"}]}, "tables[0].rnage"),
        ({"tables": [{"sheet": "A", "range": "A:F"}]}, "tables[0].range"),
        ({"tables": [{"range": "A1:F2"}]}, "tables[0]"),
        ({"tables": [{"sheet": "A", "types": {"code": "string"}}]}, "tables[0].types.code"),
        ({"tables": [{"sheet": "A", "header_rows": -1}]}, "tables[0].header_rows"),
        ({"tables": [{"table": 0}]}, "tables[0].table"),
        ({"tables": [{"table": 1, "effective": {"since": "x"}}]}, "tables[0].effective.since"),
        ({"skip": "Notes"}, "skip"),
    ],
)
def test_errors_name_file_and_key(content: object, key: str) -> None:
    with pytest.raises(SettingsError, match=r"price\.yaml") as caught:
        parse_overrides(content, "price.yaml")
    assert f" {key}: expected" in str(caught.value)
