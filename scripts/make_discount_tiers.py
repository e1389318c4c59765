"""Makes evals/corpus/pricing/discount_tiers.xlsx as a person in sales operations would keep it.

Holds: the rows and the formats of that one workbook.
Run: python scripts/make_discount_tiers.py [TARGET]
"""

import sys
from datetime import date
from pathlib import Path

import xlsxwriter

TARGET = Path(__file__).parent.parent / "evals/corpus/pricing/discount_tiers.xlsx"
HEADINGS = ("Region", "Tier", "Discount", "Min order", "Effective")

# Percent points by tier, first tier first. Their mean over all 40 rows is 9.4.
DISCOUNTS = {
    "North": (5, 8, 12, 13, 14, 15, 16),
    "South": (3, 5, 7, 9, 11, 13, 14),
    "East": (4, 6, 8, 10, 12, 13, 15),
    "West": (2, 4, 7, 9, 11, 12, 14),
    "Central": (3, 5, 8, 10, 12, 14),
    "Overseas": (4, 6, 8, 10, 11, 13),
}
MIN_ORDERS = {
    "North": (5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000),
    "South": (4_000, 9_000, 20_000, 45_000, 90_000, 200_000, 450_000),
    "East": (5_000, 12_000, 30_000, 60_000, 110_000, 240_000, 480_000),
    "West": (6_000, 15_000, 35_000, 70_000, 120_000, 275_000, 550_000),
    "Central": (5_500, 11_000, 27_500, 55_000, 105_000, 260_000),
    "Overseas": (10_000, 20_000, 40_000, 80_000, 150_000, 300_000),
}
EFFECTIVE = {
    "North": date(2026, 1, 1),
    "South": date(2026, 1, 1),
    "East": date(2026, 2, 15),
    "West": date(2026, 1, 1),
    "Central": date(2026, 4, 1),
    "Overseas": date(2026, 7, 1),
}


def main(target: Path) -> None:
    book = xlsxwriter.Workbook(str(target))
    book.set_properties({"created": date(2026, 1, 1)})
    sheet = book.add_worksheet("Regional discount tiers")
    bold = book.add_format({"bold": True, "bottom": 1})
    percent = book.add_format({"num_format": "0%"})
    dollars = book.add_format({"num_format": "$#,##0"})
    day = book.add_format({"num_format": "yyyy-mm-dd"})
    sheet.write_row(0, 0, HEADINGS, bold)
    line = 0
    for region, discounts in DISCOUNTS.items():
        for tier, points in enumerate(discounts, start=1):
            line += 1
            sheet.write_string(line, 0, region)
            sheet.write_number(line, 1, tier)
            sheet.write_number(line, 2, points / 100, percent)
            sheet.write_number(line, 3, MIN_ORDERS[region][tier - 1], dollars)
            sheet.write_datetime(line, 4, EFFECTIVE[region], day)
    sheet.set_column(0, 0, 12)
    sheet.set_column(3, 4, 14)
    sheet.freeze_panes(1, 0)
    book.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
