"""Makes evals/corpus/filings/earnings_release.html in the way filers' software writes HTML.

Holds: the figures of one invented company and the habits of such software: no `th`, a first row of widths only, three
columns a figure (sign, digits, bracket), spacer columns, sections by padding, a balance sheet cut by a page break.
Run: python scripts/make_earnings_release.py [TARGET]
"""

import sys
from pathlib import Path
from typing import NamedTuple

TARGET = Path(__file__).parent.parent / "evals/corpus/filings/earnings_release.html"
COMPANY = "MERIDIAN ARC CORPORATION"
FONT = "font-family:'Times New Roman',serif;font-size:9pt;line-height:120%"
PAGE = '<div style="text-align:center"><span style="{font}">{n}</span></div>\n<hr style="page-break-after:always">\n'


class Line(NamedTuple):
    """`depth` is the indentation; no figures: a section. `style`: "$", "%", "x" (share), "" (plain)."""

    label: str
    figures: tuple[object, ...] = ()
    depth: int = 0
    style: str = ""


def span(text: str, bold: bool = False) -> str:
    weight = ";font-weight:700" if bold else ""
    return f'<span style="{FONT}{weight}">{text}</span>' if text else ""


def figure_cells(value: object, sign: str) -> str:
    """Three cells: the sign, the digits, the closing mark."""
    left, digits, right = "", "", ""
    if value is None:
        digits = "—"
    elif isinstance(value, str):
        digits = value.removesuffix("%")
        right = "%" if value.endswith("%") else ""
    else:
        left = "$" if sign == "$" else ""
        number = abs(value)
        shown = f"{number:.2f}" if isinstance(value, float) else f"{number:,}"
        digits, right = (f"({shown}", ")") if value < 0 else (shown, "")
    pad = "padding:2px 0;text-align:right;vertical-align:bottom"
    return "".join(f'<td style="{pad}">{span(part)}</td>' for part in (left, digits, right))


SPACER = '<td style="padding:0 1pt" colspan="3"></td>'


def row(line: Line, n: int) -> str:
    pad = 2 + 10 * line.depth
    label = f'<td colspan="3" style="padding:2px 1pt 2px {pad}pt;text-align:left">{span(line.label)}</td>'
    figures = line.figures or ("",) * n
    return f"<tr>{label}{''.join(SPACER + figure_cells(v, line.style) for v in figures)}</tr>\n"


def heading(label: str, spans: tuple[tuple[str, int], ...]) -> str:
    """One header row; a heading over k value columns spans their cells and the spacers between them."""
    cells = "".join(
        f'{SPACER}<td colspan="{k * 6 - 3}" style="text-align:center;border-bottom:1pt solid #000">{span(t, True)}</td>'
        for t, k in spans
    )
    return f'<tr><td colspan="3" style="padding:2px 1pt">{span(label)}</td>{cells}</tr>\n'


def table(headings: tuple[str, ...], lines: tuple[Line, ...], n: int) -> str:
    widths = "".join('<td style="width:1.0%"></td>' for _ in range(3 + 6 * n))
    body = "".join(row(line, n) for line in lines)
    opening = '<table style="border-collapse:collapse;width:100.000%">'
    return f"{opening}\n<tr>{widths}</tr>\n{''.join(headings)}{body}</table>\n"


def caption(*lines: str) -> str:
    return "".join(f'<div style="text-align:center">{span(line, True)}</div>\n' for line in lines)


def paragraph(text: str) -> str:
    return f'<div style="margin-bottom:6pt">{span(text)}</div>\n'


HIGHLIGHTS = (
    Line("GAAP"),
    Line("Revenue", (96_221, 81_615, 46_743, "18%", "106%"), 1, "$"),
    Line("Gross margin", ("75.0%", "75.0%", "72.4%", "—", "2.6 pts"), 1),
    Line("Operating expenses", (8_010, 7_171, 5_413, "12%", "48%"), 1, "$"),
    Line("Operating income", (64_155, 54_039, 28_440, "19%", "126%"), 1, "$"),
    Line("Net income", (53_604, 45_794, 26_422, "17%", "103%"), 1, "$"),
    Line("Diluted earnings per share", (2.19, 1.87, 1.08, "17%", "103%"), 1, "$"),
    Line("Non-GAAP"),
    Line("Revenue", (96_221, 81_615, 46_743, "18%", "106%"), 1, "$"),
    Line("Gross margin", ("75.3%", "75.2%", "72.7%", "0.1 pts", "2.6 pts"), 1),
    Line("Operating expenses", (5_890, 5_240, 3_795, "12%", "55%"), 1, "$"),
    Line("Operating income", (66_564, 56_134, 30_187, "19%", "121%"), 1, "$"),
    Line("Net income", (55_210, 47_020, 24_960, "17%", "121%"), 1, "$"),
    Line("Diluted earnings per share", (2.26, 1.92, 1.02, "18%", "122%"), 1, "$"),
)

INCOME = (
    Line("Revenue", (96_221, 46_743, 177_836, 90_805), 0, "$"),
    Line("Cost of revenue", (24_056, 12_890, 44_461, 30_284)),
    Line("Gross profit", (72_165, 33_853, 133_375, 60_521), 1),
    Line("Operating expenses"),
    Line("Research and development", (6_512, 4_291, 12_310, 8_280), 1),
    Line("Sales, general and administrative", (1_498, 1_122, 2_871, 2_163), 1),
    Line("Total operating expenses", (8_010, 5_413, 15_181, 10_443), 2),
    Line("Operating income", (64_155, 28_440, 118_194, 50_078)),
    Line("Interest income", (702, 592, 1_370, 1_107), 1),
    Line("Interest expense", (-61, -62, -124, -125), 1),
    Line("Other income (expense), net", (-212, 2_236, 318, 2_056), 1),
    Line("Total other income (expense)", (429, 2_766, 1_564, 3_038), 2),
    Line("Income before income tax", (64_584, 31_206, 119_758, 53_116)),
    Line("Income tax expense", (10_980, 4_784, 20_360, 7_919)),
    Line("Net income", (53_604, 26_422, 99_398, 45_197), 0, "$"),
    Line("Net income per share:"),
    Line("Basic", (2.21, 1.08, 4.09, 1.85), 1, "$"),
    Line("Diluted", (2.19, 1.08, 4.06, 1.84), 1, "$"),
    Line("Weighted average shares used in per share computation:"),
    Line("Basic", (24_290, 24_366, 24_301, 24_404), 1),
    Line("Diluted", (24_470, 24_532, 24_490, 24_571), 1),
)

ASSETS = (
    Line("ASSETS"),
    Line("Current assets:"),
    Line("Cash and cash equivalents", (14_820, 11_639), 1, "$"),
    Line("Marketable securities", (58_340, 45_152), 1),
    Line("Accounts receivable, net", (38_466, 27_808), 1),
    Line("Inventories", (19_105, 14_962), 1),
    Line("Prepaid expenses and other current assets", (3_980, 2_658), 1),
    Line("Total current assets", (134_711, 102_219), 2),
    Line("Property and equipment, net", (11_230, 9_141)),
    Line("Goodwill", (6_261, 5_755)),
    Line("Other assets", (12_018, 9_380)),
    Line("Total assets", (164_220, 126_495), 1, "$"),
)

CLAIMS = (
    Line("LIABILITIES AND SHAREHOLDERS’ EQUITY"),
    Line("Current liabilities:"),
    Line("Accounts payable", (11_506, 9_064), 1, "$"),
    Line("Accrued and other current liabilities", (27_311, 22_190), 1),
    Line("Short-term debt", (999, None), 1),
    Line("Total current liabilities", (39_816, 31_254), 2),
    Line("Long-term debt", (7_470, 8_466)),
    Line("Other long-term liabilities", (8_120, 6_913)),
    Line("Total liabilities", (55_406, 46_633), 1),
    Line("Shareholders’ equity", (108_814, 79_862)),
    Line("Total liabilities and shareholders’ equity", (164_220, 126_495), 1, "$"),
)

CASH_FLOWS = (
    Line("Cash flows from operating activities:"),
    Line("Net income", (99_398, 45_197), 1, "$"),
    Line("Adjustments to reconcile net income to net cash provided by operating activities:", (), 1),
    Line("Stock-based compensation expense", (3_580, 2_930), 2),
    Line("Depreciation and amortization", (1_640, 1_205), 2),
    Line("Deferred income taxes", (-1_910, -1_020), 2),
    Line("Changes in operating assets and liabilities:", (), 1),
    Line("Accounts receivable", (-10_658, -4_780), 2),
    Line("Inventories", (-4_143, -3_120), 2),
    Line("Accounts payable", (2_442, 1_890), 2),
    Line("Net cash provided by operating activities", (90_349, 42_302), 1),
    Line("Cash flows from investing activities:"),
    Line("Purchases of marketable securities", (-41_220, -18_350), 1),
    Line("Proceeds from sales of marketable securities", (28_032, 15_010), 1),
    Line("Purchases of property and equipment", (-3_729, -3_122), 1),
    Line("Net cash used in investing activities", (-16_917, -6_462), 1),
    Line("Cash flows from financing activities:"),
    Line("Repurchases of common stock", (-65_555, -29_075), 1),
    Line("Dividends paid", (-486, -488), 1),
    Line("Payments of tax on stock awards", (-4_210, -3_380), 1),
    Line("Net cash used in financing activities", (-70_251, -32_943), 1),
    Line("Change in cash and cash equivalents", (3_181, 2_897)),
    Line("Cash and cash equivalents at beginning of period", (11_639, 8_589)),
    Line("Cash and cash equivalents at end of period", (14_820, 11_486), 0, "$"),
)

MARKETS = (
    Line("Computing", (84_190, "87%", 41_096, "88%"), 0, "$"),
    Line("Consumer", (6_320, "7%", 3_287, "7%")),
    Line("Vehicles", (1_480, "2%", 586, "1%")),
    Line("Workstations", (2_210, "2%", 601, "1%")),
    Line("Licensing", (2_021, "2%", 1_173, "3%")),
    Line("Total revenue", (96_221, "100%", 46_743, "100%"), 0, "$"),
)


TITLE = "Meridian Arc Reports Results for the Second Quarter of Fiscal 2027"
OPENING = (
    "Harbor Point, August 26, 2026: Meridian Arc today reported results for the quarter that ended July 26, 2026.",
    "The board declared a quarterly dividend of $0.01 a share, payable on October 1, 2026 to holders of record on "
    "September 10, 2026.",
    "For the third quarter of fiscal 2027 revenue is expected to be $105.0 billion, plus or minus 2%.",
)


def page_of_highlights() -> str:
    quarters = tuple((q, 1) for q in ("Q2 FY27", "Q1 FY27", "Q2 FY26", "Q/Q", "Y/Y"))
    return (
        f'<div style="text-align:center">{span(TITLE, True)}</div>\n'
        + "".join(paragraph(text) for text in OPENING)
        + caption("Second Quarter Fiscal 2027 Summary", "($ in millions, except earnings per share)")
        + table((heading("", (("Quarter", 3), ("Change", 2))), heading("", quarters)), HIGHLIGHTS, 5)
    )


def page_of_income() -> str:
    months = (("Three Months Ended", 2), ("Six Months Ended", 2))
    days = tuple((d, 1) for d in ("July 26,<br>2026", "July 27,<br>2025") * 2)
    lines = ("CONDENSED CONSOLIDATED STATEMENTS OF INCOME", "(In millions, except per share data)", "(Unaudited)")
    return caption(COMPANY, *lines) + table((heading("", months), heading("", days)), INCOME, 4)


def pages_of_balance_sheet() -> str:
    days = (("July 26,<br>2026", 1), ("January 25,<br>2026", 1))
    lines = ("CONDENSED CONSOLIDATED BALANCE SHEETS", "(In millions)", "(Unaudited)")
    first = caption(COMPANY, *lines) + table((heading("", days),), ASSETS, 2)
    return first + PAGE.format(font=FONT, n=3) + table((), CLAIMS, 2)


def page_of_cash_flows() -> str:
    days = (("July 26,<br>2026", 1), ("July 27,<br>2025", 1))
    headings = (heading("", (("Six Months Ended", 2),)), heading("", days))
    lines = ("CONDENSED CONSOLIDATED STATEMENTS OF CASH FLOWS", "(In millions)", "(Unaudited)")
    return caption(COMPANY, *lines) + table(headings, CASH_FLOWS, 2)


def page_of_markets() -> str:
    days = (("July 26,<br>2026", 1), ("% of revenue", 1), ("July 27,<br>2025", 1), ("% of revenue", 1))
    lines = ("REVENUE BY MARKET", "(In millions, except percentages)")
    headings = (heading("", (("Three Months Ended", 4),)), heading("", days))
    return caption(COMPANY, *lines) + table(headings, MARKETS, 4)


def main(target: Path) -> None:
    pages = (page_of_highlights(), page_of_income(), pages_of_balance_sheet(), page_of_cash_flows(), page_of_markets())
    numbers = (1, 2, 4, 5)
    text = pages[0] + "".join(PAGE.format(font=FONT, n=n) + p for n, p in zip(numbers, pages[1:], strict=True))
    closing = paragraph("Statements about the future rest on assumptions that may not come true.")
    target.write_text(
        '<!doctype html>\n<html><head><meta charset="utf-8"><title>Earnings release</title></head>\n'
        f'<body style="padding:8px">\n{text}{closing}</body></html>\n',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
