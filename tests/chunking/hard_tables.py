"""Twelve tables that splitters tear or behead, as pages, with what every piece of them must hold."""

from typing import NamedTuple

N = 24
LEAD = "<p>Fares by zone</p><p>(In thousands)</p>"
HEAD = ("Fares by zone", "(In thousands)")
Rows = tuple[tuple[str, ...], ...]


class HardTable(NamedTuple):
    """`held`: texts of headings, caption and unit; `rows`: texts of each row, label first."""

    name: str
    suffix: str
    page: str
    held: tuple[str, ...]
    rows: Rows


def _html(head: str, rows: Rows, before: str = LEAD) -> str:
    body = "".join(f"<tr>{''.join(f'<td>{text}</td>' for text in row)}</tr>" for row in rows)
    return f"{before}<table>{head}{body}</table>"


def _rows(width: int = 3) -> Rows:
    return tuple((f"Zone {n}", *(f"{n}.{column:02d}" for column in range(1, width))) for n in range(N))


def _head(*names: str) -> str:
    return f"<tr>{''.join(f'<th>{name}</th>' for name in names)}</tr>"


def multi_row_headings() -> HardTable:
    head = "<tr><th></th><th colspan=2>Single ticket</th><th colspan=2>Season pass</th></tr>"
    page = _html(head + _head("Zone", "Adult", "Child", "Adult", "Child"), _rows(5))
    held = (*HEAD, "Zone", "Single ticket Adult", "Single ticket Child", "Season pass Adult", "Season pass Child")
    return HardTable("multi-row headings", "html", page, held, _rows(5))


def long_cells() -> HardTable:
    remark = "runs on holidays only " * 12
    rows = tuple((f"Zone {n}", f"fare {n}", f"note {n} {remark}end {n}") for n in range(N))
    page = _html(_head("Zone", "Fare", "Remarks"), rows)
    return HardTable("long cells", "html", page, (*HEAD, "Zone", "Fare", "Remarks"), rows)


def footnotes() -> HardTable:
    page = _html(_head("Zone", "Fare <sup>(1)</sup>", "Pass"), _rows()) + "<p>(1) Without the airport line.</p>"
    return HardTable("footnotes", "html", page, (*HEAD, "Zone", "Fare", "Pass"), _rows())


def row_spans() -> HardTable:
    body, rows = "", []
    for n in range(N):
        body += (
            f"<tr><td rowspan=2>Line {n}</td><td>Adult</td><td>{n}.50</td></tr><tr><td>Child</td><td>{n}.25</td></tr>"
        )
        rows += [(f"Line {n}", "Adult", f"{n}.50"), (f"Line {n}", "Child", f"{n}.25")]
    page = f"{LEAD}<table>{_head('Line', 'Rider', 'Fare')}{body}</table>"
    return HardTable("row spans", "html", page, (*HEAD, "Line", "Rider", "Fare"), tuple(rows))


def sections() -> HardTable:
    body, rows = "", []
    for part in ("Inner ring", "Outer ring"):
        body += f"<tr><td>{part}</td><td></td><td></td></tr>"
        for n in range(N):
            row = (f"{part[:5]} stop {n}", f"{n}.10", f"{n}.20")
            body += f'<tr><td style="padding-left:12pt">{row[0]}</td><td>{row[1]}</td><td>{row[2]}</td></tr>'
            rows.append(row)
    page = f"{LEAD}<table>{_head('Stop', 'Single', 'Return')}{body}</table>"
    return HardTable("sections", "html", page, (*HEAD, "Stop", "Single", "Return"), tuple(rows))


def wide() -> HardTable:
    names = [f"Measure {n}" for n in range(1, 16)]
    return HardTable("wide", "html", _html(_head("Zone", *names), _rows(16)), (*HEAD, "Zone", *names), _rows(16))


def in_a_list() -> HardTable:
    head = "<caption>Fares by zone (In thousands)</caption>" + _head("Zone", "Fare", "Pass")
    page = f"<ul><li>Buses<ul><li>{_html(head, _rows(), 'By night')}</li></ul></li></ul>"
    return HardTable("in a list", "html", page, (*HEAD, "Zone", "Fare", "Pass"), _rows())


def two_captions() -> HardTable:
    head = "<caption>Fares by zone</caption>" + _head("Zone", "Fare", "Pass")
    page = _html(head, _rows(), "<p>HARBOUR LINES</p><p>(In thousands)</p>")
    return HardTable("two captions", "html", page, (*HEAD, "HARBOUR LINES", "Zone", "Fare", "Pass"), _rows())


def cjk() -> HardTable:
    rows = tuple((f"第{n}区", f"{n}百円", f"{n}千円") for n in range(N))
    page = _html(_head("区域", "大人", "定期券"), rows, "<p>区域別運賃</p><p>(単位:千円)</p>")
    return HardTable("CJK", "html", page, ("区域別運賃", "(単位:千円)", "区域", "大人", "定期券"), rows)


def split_currency() -> HardTable:
    head = "<tr><td></td><td colspan=2>2025</td><td colspan=2>2024</td></tr>"
    cells = tuple((f"Zone {n}", "$", f"{n},100", "$", f"{n},200") for n in range(1, N))
    rows = tuple((f"Zone {n}", f"${n},100", f"${n},200") for n in range(1, N))
    return HardTable("split currency", "html", _html(head, cells), (*HEAD, "2025", "2024"), rows)


def plain_text() -> HardTable:
    rows = tuple((f"Zone {n}", f"{n},100", f"{n},200") for n in range(1, N))
    head = ("Fares by zone", "(In thousands)", "  2025      2024", "--------  --------")
    lines = [*(f"{'':<17}{line}" for line in head), *(f"{label:<17}{a:>8}  {b:>8}" for label, a, b in rows)]
    page = "Opening words of the report.\n\n" + "\n".join(lines) + "\n"
    return HardTable("plain text", "txt", page, (*HEAD, "2025", "2024"), rows)


def markdown() -> HardTable:
    lines = ["Fares by zone", "", "(In thousands)", "", "| Zone | Fare | Pass |", "|---|---:|---:|"]
    lines += [f"| {' | '.join(row)} |" for row in _rows()]
    return HardTable("Markdown", "md", "\n".join(lines) + "\n", (*HEAD, "Zone", "Fare", "Pass"), _rows())


HARD_TABLES = tuple(
    make()
    for make in (
        multi_row_headings, long_cells, footnotes, row_spans, sections, wide,
        in_a_list, two_captions, cjk, split_currency, plain_text, markdown,
    )
)  # fmt: skip
