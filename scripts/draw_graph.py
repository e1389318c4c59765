"""Draw docs/graph.svg: the nine assets, what they hold, and what blocks.

Run it after a change of the graph: python scripts/draw_graph.py
"""

from pathlib import Path
from typing import NamedTuple

TARGET = Path(__file__).parent.parent / "docs" / "graph.svg"
WIDTH, HEIGHT = 150, 46


class Node(NamedTuple):
    name: str
    says: str
    x: int
    y: int
    group: str


NODES = (
    Node("raw_sources", "bytes, hashes", 10, 60, "documents"),
    Node("parsed_blocks", "blocks, grids", 180, 60, "documents"),
    Node("normalized_tables", "tables, statements", 350, 60, "documents"),
    Node("chunks", "records, summaries", 520, 20, "index"),
    Node("bm25_index", "postings", 690, 20, "index"),
    Node("lookup_tables", "DuckDB, typed", 605, 100, "index"),
    Node("eval_cases", "cases, gold tables", 690, 170, "release"),
    Node("eval_run", "every suite", 860, 60, "release"),
    Node("published_release", "what serves", 1030, 60, "release"),
)
EDGES = (
    ("raw_sources", "parsed_blocks"),
    ("parsed_blocks", "normalized_tables"),
    ("normalized_tables", "chunks"),
    ("chunks", "bm25_index"),
    ("normalized_tables", "lookup_tables"),
    ("bm25_index", "eval_run"),
    ("lookup_tables", "eval_run"),
    ("eval_cases", "eval_run"),
    ("eval_run", "published_release"),
)
FILL = {"documents": "#e8f1fb", "index": "#e9f7ec", "release": "#fdf1e3"}
STROKE = {"documents": "#3b74b8", "index": "#3c8f52", "release": "#c77a22"}


def box(node: Node) -> str:
    middle = node.x + WIDTH // 2
    return (
        f'<rect x="{node.x}" y="{node.y}" width="{WIDTH}" height="{HEIGHT}" rx="7" fill="{FILL[node.group]}" '
        f'stroke="{STROKE[node.group]}"/>'
        f'<text x="{middle}" y="{node.y + 20}" class="name">{node.name}</text>'
        f'<text x="{middle}" y="{node.y + 36}" class="says">{node.says}</text>'
    )


def arrow(start: Node, end: Node) -> str:
    x1, y1 = start.x + WIDTH, start.y + HEIGHT // 2
    x2, y2 = end.x - 3, end.y + HEIGHT // 2
    bend = max((x2 - x1) // 2, 14)
    dash = ' stroke-dasharray="5 4"' if end.name == "published_release" else ""
    return f'<path d="M{x1},{y1} C{x1 + bend},{y1} {x2 - bend},{y2} {x2},{y2}" class="edge"{dash}/>'


def drawing() -> str:
    by_name = {node.name: node for node in NODES}
    edges = "".join(arrow(by_name[a], by_name[b]) for a, b in EDGES)
    style = (
        ".name{font:600 13px sans-serif;text-anchor:middle;fill:#1d2733}"
        ".says{font:11px sans-serif;text-anchor:middle;fill:#55626f}"
        ".edge{fill:none;stroke:#7b8794;stroke-width:1.5;marker-end:url(#tip)}"
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1190 226" role="img" aria-label="The asset graph">'
        f"<style>{style}</style>"
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z" fill="#7b8794"/></marker></defs>'
        '<rect width="1190" height="226" fill="#ffffff"/>'
        f"{edges}{''.join(box(node) for node in NODES)}"
        '<text x="10" y="216" class="says" style="text-anchor:start">the first six are partitioned by collection · '
        "dashed: only past a blocking regression check</text></svg>\n"
    )


if __name__ == "__main__":
    TARGET.write_text(drawing(), encoding="utf-8")
