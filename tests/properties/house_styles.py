"""Pages of a true table as filers have made them since they filed by wire.

Holds: `STYLES`: name → page of a table.
Add here: another way in which pages hide what a table says.
Never here: what a table says (drawn_tables.py).
"""

from collections.abc import Callable, Sequence
from random import Random

from tests.properties.drawn_tables import SPANNERS, TrueRow, TrueTable

INDENTS = ("padding", "nbsp", "margin", "div")
LINE = 46  # characters of a typed label and its leaders
FIGURE = 14


def spacer_columns(table: TrueTable, random: Random) -> str:
    """No th, spacer columns, split symbols, widths that differ from row to row, a break now and then."""
    style = random.choice(INDENTS)
    split = random.random() < 0.7
    spacer = random.random() < 0.7
    head = _head(table, spacer, random)
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


def fonts_and_rules(table: TrueTable, random: Random) -> str:
    """Before styles: font on every cell, th over figures with breaks and rules in them, leaders behind the labels."""
    head = []
    if table.spanners:
        wide = len(table.dates) * 3 - 1
        over = "".join(
            f'<TH>&nbsp;</TH><TH COLSPAN="{wide}" ALIGN="CENTER"><FONT SIZE="1"><B>{s}</B></FONT><HR NOSHADE></TH>'
            for s in table.spanners
        )
        head.append(f'<TR VALIGN="BOTTOM"><TH ALIGN="LEFT">&nbsp;</TH>{over}</TR>')
    joint = random.choice(("<BR>", " "))
    under = "".join(
        f'<TH>&nbsp;</TH><TH COLSPAN="2" ALIGN="CENTER"><FONT SIZE="1"><B>{joint.join(_cut(d))}</B></FONT><HR></TH>'
        for _ in table.spanners or (0,)
        for d in table.dates
    )
    head.append(f'<TR VALIGN="BOTTOM"><TH ALIGN="LEFT"><FONT SIZE="1">&nbsp;</FONT></TH>{under}</TR>')
    leaders = "." * 12 if random.random() < 0.5 else ""
    rows = []
    for n, row in enumerate(table.rows):
        color = ' BGCOLOR="#CCEEFF"' if n % 2 else ""
        blanks = "&nbsp;" * (4 * row.depth)
        label = f'<TD><FONT SIZE="2">{blanks}{row.path[-1]}{leaders if row.figures else ":"}</FONT></TD>'
        cells = "".join(
            '<TD WIDTH="2%"><FONT SIZE="2">&nbsp;</FONT></TD>'
            f'<TD ALIGN="RIGHT" NOWRAP><FONT SIZE="2">{"$" if n == 1 else "&nbsp;"}</FONT></TD>'
            f'<TD ALIGN="RIGHT" NOWRAP><FONT SIZE="2">{_printed(figure)}</FONT></TD>'
            for figure in row.figures
        )
        rows.append(f"<TR{color} VALIGN=BOTTOM>{label}{cells}</TR>")
    return f'<TABLE WIDTH="100%" CELLSPACING="0" BORDER="0">{"".join(head)}{"".join(rows)}</TABLE>'


def hanging_paragraphs(table: TrueTable, random: Random) -> str:
    """Labels as paragraphs with a hanging indent, `$` and the closing bracket in cells of their own, nbsp spacers."""
    gap = '<td valign="bottom">&nbsp;&nbsp;</td>'
    lines = []
    if table.spanners:
        span = len(table.dates) * 4 - 2
        lines.append(
            "".join(f'{gap}<td colspan="{span}" align="center"><b>{s}</b></td><td>&nbsp;</td>' for s in table.spanners)
        )
    lines.append(
        "".join(
            f'{gap}<td colspan="2" align="center" style="border-bottom:1px solid"><b>{d}</b></td><td>&nbsp;</td>'
            for _ in table.spanners or (0,)
            for d in table.dates
        )
    )
    head = "".join(f'<tr style="font-size:8pt"><td>&nbsp;</td>{line}</tr>' for line in lines)
    rows = []
    for n, row in enumerate(table.rows):
        left = 1 + row.depth
        label = f'<td><p style="margin-left:{left}.00em; text-indent:-1.00em">{row.path[-1]}</p></td>'
        cells = "".join(_bracketed(figure, first=n == 1, gap=gap) for figure in row.figures)
        rule = "<tr><td colspan='3' style='height:4pt'></td></tr>" if random.random() < 0.1 else ""
        rows.append(f'{rule}<tr style="background-color:#cceeff">{label}{cells}</tr>')
    return f'<table cellspacing="0" style="width:100%">{head}{"".join(rows)}</table>'


def typed(table: TrueTable, random: Random) -> str:
    """Drawn with characters between the tags of typed filings, in a page of preformatted text."""
    return f"<html><body><pre>\n{typed_lines(table, random)}\n</pre></body></html>"


def typed_lines(table: TrueTable, random: Random) -> str:
    """Headings centred over their figures, leaders or none, rules above totals."""
    columns = len(table.headings)
    dates = [d for _ in table.spanners or (0,) for d in table.dates]
    halved = random.random() < 0.5
    wide = FIGURE if halved else FIGURE + 2
    lines = []
    if table.spanners:
        span = wide * len(table.dates)
        lines.append((" " * LINE + "".join("  " + s.center(span - 2) for s in table.spanners)).rstrip())
        if span - 4 > max(map(len, SPANNERS)):
            lines.append(" " * LINE + "".join("    " + "-" * (span - 4) for _ in table.spanners))
    for n in (0, 1):
        if halved:
            lines.append(" " * LINE + "".join(_cut(d)[n].rjust(wide) for d in dates))
    if not halved:
        lines.append(" " * LINE + "".join(d.rjust(wide) for d in dates))
    lines.append(" " * LINE + ("-" * (wide - 4)).rjust(wide) * columns)
    lines.append("<S>".ljust(LINE) + "<C>".rjust(wide) * columns)
    leader = random.choice(".  ")
    for n, row in enumerate(table.rows):
        label = " " * (2 * row.depth) + row.path[-1] + (":" if row.is_section else " ")
        figures = "".join(
            _typed_figure(figure, n == 1).rjust(wide - (figure >= 0)).ljust(wide) for figure in row.figures
        )
        if row.path[-1].startswith("Total"):
            lines.append(" " * LINE + ("-" * (wide - 4)).rjust(wide) * columns)
        if len(label) >= LINE:
            first, _, rest = label.rstrip().rpartition(", " if ", " in label else " and ")
            lines.append(first + ("," if ", " in label else " and"))
            label = " " * (2 * row.depth + 2) + rest + " "
        lines.append((label.ljust(LINE, leader if row.figures else " ") + figures).rstrip())
    return "\n".join(("<TABLE>", "<CAPTION>", *lines, "</TABLE>"))


Style = Callable[[TrueTable, Random], str]
STYLES: dict[str, Style] = {
    "spacer columns": spacer_columns,
    "fonts and rules": fonts_and_rules,
    "hanging paragraphs": hanging_paragraphs,
    "typed": typed,
}


def _widths(table: TrueTable, spacer: bool) -> str:
    return "<tr>" + "<td></td>" * (1 + len(table.headings) * (3 + spacer)) + "</tr>"


def _head(table: TrueTable, spacer: bool, random: Random) -> str:
    gap = "<td></td>" if spacer else ""
    lines = []
    dates = [d for _ in table.spanners or (0,) for d in table.dates]
    if table.spanners:
        span = len(table.dates) * 3 + (len(table.dates) - 1) * spacer
        lines.append("".join(f'{gap}<td colspan="{span}">{s}</td>' for s in table.spanners))
    if random.random() < 0.3:
        for n in (0, 1):
            lines.append("".join(f'{gap}<td colspan="3">{_cut(d)[n]}</td>' for d in dates))
    else:
        lines.append("".join(f'{gap}<td colspan="3">{d}</td>' for d in dates))
    return "".join(f"<tr><td></td>{line}</tr>" for line in lines)


def _cut(date: str) -> Sequence[str]:
    """ "June 30," and "2025"."""
    day, _, year = date.rpartition(" ")
    return day, year


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
    closing = ")" if number < 0 else ""
    shown = f"{'(' if number < 0 else ''}{abs(number):,}"
    if split:
        return f"<td>$</td><td>{shown}</td><td>{closing}</td>"
    return f'<td colspan="2">{shown}</td><td>{closing}</td>'


def _bracketed(number: int, *, first: bool, gap: str) -> str:
    sign = "$" if first else "&nbsp;"
    shown = f"{'(' if number < 0 else ''}{abs(number):,}"
    return f'{gap}<td>{sign}</td><td align="right">{shown}</td><td>{")" if number < 0 else "&nbsp;"}</td>'


def _printed(number: int) -> str:
    return f"({-number:,})" if number < 0 else f"{number:,}"


def _typed_figure(number: int, first: bool) -> str:
    return f"$ {_printed(number)}" if first else _printed(number)
