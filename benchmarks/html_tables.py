"""Filing HTML: parse, understand and account for every cell, against `pandas.read_html` (lxml) in the same run.

Prints megabytes a CPU second of both, their ratio (1.0 or more is the aim), and the ratio of a file four times as long
(linear growth: about 4). Pages are generated: statements in the manner of filers, with spacer columns, split signs and
styles on every cell, as many cells a row and rows a table as filings have (10 and 14), alone and with notes between
them. Every measurement reads a page of its own, so that nothing kept from the one before helps.
"""

import gc
import random
import sys
import time
from collections.abc import Callable, Sequence
from io import StringIO

from rag_assets.model.document import Source
from rag_assets.readers.html import read_html
from rag_assets.readers.isolation import RARE_COLLECTIONS
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
NOTE = '<div style="margin-bottom:9pt;text-align:justify;text-indent:24.75pt">{}</div>'
WORDS = """company management estimates revenue recognized leases obligations the of and in for amounts fiscal year
quarter cash flows credit facility interest rate income taxes deferred assets liabilities fair value""".split()  # noqa: SIM905
SPACER = '<td colspan="3" style="background-color:#efefef;padding:0 1pt"></td>'
FONT = (
    "<span style=\"color:#000000;font-family:'Helvetica',sans-serif;font-size:9pt;font-weight:400;line-height:100%\">"
    "{}</span>"
)


def cell(text: str, span: int = 1, edge: str = EDGE) -> str:
    shown = FONT.format(text) if text else ""
    return CELL.format(span=f'colspan="{span}" ' if span > 1 else "", edge=edge, text=shown)


def statement(draw: random.Random, notes: int, rows: int = 14) -> str:
    """One table of `rows` rows and three periods, marked up as filers' programs do, and the notes behind it."""
    lines = ["<p>CONSOLIDATED STATEMENTS</p><p>(In millions)</p><table>"]
    lines.append(f"<tr>{''.join(cell('', edge='') for _ in range(18))}</tr>")
    lines.append(f"<tr>{SPACER}{cell('2026', 3)}{SPACER}{cell('2025', 3)}{SPACER}{cell('2024', 3)}</tr>")
    for n in range(rows):
        label = LABEL.format(indent=10 if n % 6 == 0 else 19, text=FONT.format(f"Item number {n}"))
        lines.append(f"<tr>{label}")
        for period in range(3):
            figure = f"{draw.randrange(1, 10**6):,}" if n % 6 else ""
            spacer = SPACER if period else ""
            if n % 6 == 1:
                lines.append(f"{spacer}{cell('$')}{cell(figure)}{cell('')}")
            else:
                lines.append(f"{spacer}{cell(figure, 2)}{cell('')}")
        lines.append("</tr>")
    lines.append("</table><p>The accompanying notes are a part of these statements, and say more than one line.</p>")
    lines += [NOTE.format(FONT.format(note(draw))) for _ in range(notes)]
    return "\n".join(lines)


def note(draw: random.Random) -> str:
    return " ".join(draw.choices(WORDS, k=110)).capitalize() + "."


def filing(megabytes: float, seed: int = 7, notes: int = 0) -> str:
    draw, parts, size = random.Random(seed), [], 0
    while size < megabytes * 1e6:
        parts.append(statement(draw, notes))
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


def cpu_s(run: Callable[[str], int], pages: Sequence[str]) -> float:
    """The least CPU seconds that one of the pages took."""
    best = float("inf")
    for page in pages:
        started = time.process_time()
        run(page)
        best = min(best, time.process_time() - started)
    return best


def main() -> None:
    gc.set_threshold(*RARE_COLLECTIONS)  # as in the processes that read documents
    for name, notes in (("tables", 0), ("tables and notes", 10)):
        pages = [filing(1, seed, notes) for seed in range(5)]
        ours, theirs = cpu_s(understand, pages), cpu_s(with_pandas, pages)
        longer = cpu_s(understand, [filing(4, notes=notes)])
        size = len(pages[0]) / 1e6
        print(
            f"{name}: ours {size / ours:.1f} MB/s  pandas.read_html {size / theirs:.1f} MB/s  ratio {theirs / ours:.2f}"
        )
        print(f"  four times as long takes {longer / ours:.1f} times the CPU")


if __name__ == "__main__":
    main()
