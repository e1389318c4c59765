"""True tables and hostile pages of them.

Holds: `TrueTable`, `draw_table`, `as_html` in several house styles.
Add here: another way in which pages hide what a table says.
Never here: what must come out (the tests).
"""

from dataclasses import dataclass
from random import Random

WORDS = (
    "Tools",
    "Repairs",
    "Leases",
    "Freight",
    "Wages",
    "Rent",
    "Grants",
    "Loans",
    "Bonds",
    "Cash",
    "Land",
    "Stock",
    "Patents",
    "Fuel",
    "Taxes",
    "Dues",
)
SECTIONS = ("Operating items", "Current assets", "Long-term assets", "Liabilities due", "Other items")
SPANNERS = ("Three Months Ended", "Six Months Ended", "Year Ended")
DATES = ("June 30, 2025", "June 30, 2024", "March 31, 2023")
INDENTS = ("padding", "nbsp", "margin", "div")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueRow:
    path: tuple[str, ...]
    figures: tuple[int, ...]
    is_section: bool = False

    @property
    def depth(self) -> int:
        return len(self.path) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueTable:
    spanners: tuple[str, ...]
    dates: tuple[str, ...]
    rows: tuple[TrueRow, ...]

    @property
    def headings(self) -> tuple[str, ...]:
        return tuple(" ".join(filter(None, (s, d))) for s in self.spanners or ("",) for d in self.dates)

    def facts(self) -> dict[tuple[tuple[str, ...], str], int]:
        return {(row.path, h): n for row in self.rows for h, n in zip(self.headings, row.figures, strict=False)}


def draw_table(random: Random) -> TrueTable:
    spanners = tuple(random.sample(SPANNERS, random.choice((0, 1, 2))))
    dates = tuple(random.sample(DATES, random.choice((2, 3))))
    width = max(len(spanners), 1) * len(dates)
    words = random.sample(WORDS, len(WORDS))
    rows: list[TrueRow] = []
    for section in random.sample(SECTIONS, random.choice((1, 2, 3))):
        rows.append(TrueRow(path=(section,), figures=(), is_section=True))
        children = [
            TrueRow(path=(section, words.pop()), figures=tuple(random.randint(1000, 99_999) for _ in range(width)))
            for _ in range(random.choice((2, 3, 4)))
        ]
        rows += children
        total = tuple(map(sum, zip(*(c.figures for c in children), strict=True)))
        rows.append(TrueRow(path=(f"Total {section.lower()}",), figures=total))
    totals = [row for row in rows if row.path[0].startswith("Total ")]
    grand = tuple(map(sum, zip(*(t.figures for t in totals), strict=True)))
    if len(totals) > 1:
        rows.append(TrueRow(path=("Total of everything",), figures=grand))
    return TrueTable(spanners=spanners, dates=dates, rows=tuple(rows))


def as_html(table: TrueTable, random: Random) -> str:
    """The page: no th, spacer columns, split symbols, widths that differ from row to row, a break now and then."""
    style = random.choice(INDENTS)
    split = random.random() < 0.7
    spacer = random.random() < 0.7
    head = _head(table, spacer)
    body = [_row(row, style, split, spacer, random) for row in table.rows]
    cut = random.choice([0, *range(3, len(body) - 1)]) if random.random() < 0.3 else 0
    if not cut:
        return f"<table>{_widths(table, spacer)}{head}{''.join(body)}</table>"
    again = head if random.random() < 0.5 else ""
    widths = _widths(table, spacer)
    return (
        f"<table>{widths}{head}{''.join(body[:cut])}</table><p>{random.randint(2, 99)}</p>"
        f"<table>{widths}{again}{''.join(body[cut:])}</table>"
    )


def _widths(table: TrueTable, spacer: bool) -> str:
    return "<tr>" + "<td></td>" * (1 + len(table.headings) * (3 + spacer)) + "</tr>"


def _head(table: TrueTable, spacer: bool) -> str:
    gap = "<td></td>" if spacer else ""
    lines = []
    if table.spanners:
        span = len(table.dates) * 3 + (len(table.dates) - 1) * spacer
        lines.append("".join(f'{gap}<td colspan="{span}">{s}</td>' for s in table.spanners))
    lines.append("".join(f'{gap}<td colspan="3">{d}</td>' for _ in table.spanners or (0,) for d in table.dates))
    return "".join(f"<tr><td></td>{line}</tr>" for line in lines)


def _row(row: TrueRow, style: str, split: bool, spacer: bool, random: Random) -> str:
    gap = "<td></td>" if spacer else ""
    label = _label(row.path[-1] + (":" if row.is_section and random.random() < 0.5 else ""), row.depth, style)
    cells = "".join(gap + _figure(n, split) for n in row.figures)
    return f"<tr>{label}{cells}</tr>"


def _label(text: str, depth: int, style: str) -> str:
    if style == "nbsp":
        return f"<td>{'&nbsp;' * (4 * depth)}{text}</td>"
    if style == "div":
        return f'<td><div style="text-indent:{9 * depth}pt">{text}</div></td>'
    return f'<td style="{style}-left:{10 * depth}pt"><span style="font-size:9pt">{text}</span></td>'


def _figure(number: int, split: bool) -> str:
    shown = f"{number:,}"
    if split:
        return f"<td>$</td><td>{shown}</td><td></td>"
    return f'<td colspan="2">{shown}</td><td></td>'
