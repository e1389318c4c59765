"""Filing HTML: parse, understand and account for every cell, against `pandas.read_html` (lxml) in the same run.

Prints megabytes a CPU second of both, their ratio (1.0 or more is the aim), and the ratio of a file four times as long
(linear growth: about 4). Pages are generated: statements in the manner of filers, with spacer columns, split signs and
styles on every cell.
"""

import random
import sys
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path

from rag_assets.model.document import Source
from rag_assets.readers.html import read_html
from rag_assets.readers.limits import ReadLimits
from rag_assets.settings import Limits
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.rules import Rules

EDGE = "border-top:1pt solid #000000;background-color:#efefef;"
CELL = '<td {span}style="{edge}padding:2px 1pt 2px 0;text-align:right;vertical-align:bottom">{text}</td>'
LABEL = (
    '<td colspan="3" style="background-color:#efefef;padding:2px 1pt 2px {indent}pt;text-align:left;'
    'text-indent:-9pt;vertical-align:bottom">{text}</td>'
)
SPACER = '<td colspan="3" style="background-color:#efefef;padding:0 1pt"></td>'
FONT = (
    "<span style=\"color:#000000;font-family:'Helvetica',sans-serif;font-size:9pt;font-weight:400;line-height:100%\">"
    "{}</span>"
)


def cell(text: str, span: int = 1, edge: str = EDGE) -> str:
    shown = FONT.format(text) if text else ""
    return CELL.format(span=f'colspan="{span}" ' if span > 1 else "", edge=edge, text=shown)


def statement(draw: random.Random, rows: int = 24) -> str:
    """One table of `rows` rows and two periods, marked up as filers' programs do."""
    lines = ["<p>CONSOLIDATED STATEMENTS</p><p>(In millions)</p><table>"]
    lines.append(f"<tr>{''.join(cell('', edge='') for _ in range(12))}</tr>")
    lines.append(f"<tr>{SPACER}{cell('2026', 3)}{SPACER}{cell('2025', 3)}</tr>")
    for n in range(rows):
        label = LABEL.format(indent=10 if n % 6 == 0 else 19, text=FONT.format(f"Item number {n}"))
        lines.append(f"<tr>{label}")
        for period in range(2):
            figure = f"{draw.randrange(1, 10**6):,}" if n % 6 else ""
            spacer = SPACER if period else ""
            if n % 6 == 1:
                lines.append(f"{spacer}{cell('$')}{cell(figure)}{cell('')}")
            else:
                lines.append(f"{spacer}{cell(figure, 2)}{cell('')}")
        lines.append("</tr>")
    lines.append("</table><p>The accompanying notes are a part of these statements, and say more than one line.</p>")
    return "\n".join(lines)


def filing(megabytes: float) -> str:
    draw, parts, size = random.Random(7), [], 0
    while size < megabytes * 1e6:
        parts.append(statement(draw))
        size += len(parts[-1])
    return '<html><head><meta charset="utf-8"></head><body>' + "".join(parts) + "</body></html>"


def understand(page: str) -> int:
    source = Source(uri="filing.html", media_type="text/html", sha256="")
    document = read_html(page.encode(), source, ReadLimits.of(Limits()))
    normalized = normalize_document(document, Rules())
    if not normalized.account.balanced:
        sys.exit("the account does not balance")
    return len(normalized.statements)


def with_pandas(page: str) -> int:
    import pandas

    return sum(frame.size for frame in pandas.read_html(StringIO(page), flavor="lxml"))


def cpu_s(run: Callable[[str], int], page: str, times: int = 3) -> float:
    best = float("inf")
    for _ in range(times):
        started = time.process_time()
        run(page)
        best = min(best, time.process_time() - started)
    return best


def main() -> None:
    page, long_page = filing(1), filing(4)
    ours, theirs = cpu_s(understand, page), cpu_s(with_pandas, page)
    longer = cpu_s(understand, long_page, times=1)
    size = len(page) / 1e6
    print(f"{Path(__file__).stem}: ours {size / ours:.1f} MB/s  pandas.read_html {size / theirs:.1f} MB/s")
    print(f"ratio {theirs / ours:.2f}; four times as long takes {longer / ours:.1f} times the CPU")


if __name__ == "__main__":
    main()
