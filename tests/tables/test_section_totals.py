from rag_assets.model.table import RowKind
from rag_assets.tables.rules import Rules
from rag_assets.tables.understand import understand_grid
from tests.tables.drawn_grid import grid

HEAD = "|December 31, 2026|December 31, 2025"


def rows(*lines: str, rules: Rules | None = None) -> list[tuple[str, bool]]:
    found = understand_grid(grid(HEAD, *lines), (), rules or Rules())
    return [(" › ".join(row.path), row.kind is RowKind.TOTAL) for table in found.tables for row in table.rows]


FLAT = (
    "ASSETS||",
    "Current assets:||",
    "Cash|12,345|10,987",
    "Receivables|45,678|43,210",
    "Total current assets|58,023|54,197",
    "Property, net|67,890|65,432",
    "|125,913|119,629",
    "LIABILITIES||",
    "Payables|20,111|19,222",
    "Accruals|8,888|7,777",
    "Total liabilities|28,999|26,999",
)


def test_arithmetic_keeps_a_section_open_where_nothing_is_indented() -> None:
    assert rows(*FLAT) == [
        ("ASSETS › Current assets › Cash", False),
        ("ASSETS › Current assets › Receivables", False),
        ("ASSETS › Total current assets", True),
        ("ASSETS › Property, net", False),
        ("ASSETS", True),
        ("LIABILITIES › Payables", False),
        ("LIABILITIES › Accruals", False),
        ("Total liabilities", True),
    ]


def test_a_total_is_never_under_the_sub_section_it_does_not_sum() -> None:
    found = rows(
        "Non-current assets||",
        "  Goodwill|5,000|4,000",
        "  Patents|1,500|1,250",
        "  Total non-current assets|6,500|5,250",
        "Total assets|6,500|5,250",
    )
    assert found[-1] == ("Total assets", True)


def test_a_row_that_repeats_the_name_of_its_section_ends_it() -> None:
    found = rows("Basic EPS:||", "Net income|9,125|8,250", "Shares|1,250|1,150", "Basic EPS|7.30|7.17", "Other|1|2")
    assert found[2:] == [("Basic EPS", False), ("Other", False)]


def test_sums_can_be_switched_off() -> None:
    found = rows(*FLAT, rules=Rules(section_totals=False))
    assert ("ASSETS › Property, net", False) not in found
