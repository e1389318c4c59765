"""The asset graph as a table: what each asset is to a person who looks at it.

Holds: names, dependencies, groups, kinds and descriptions of the nine assets.
Add here: an asset of the pipeline.
Never here: what an asset does when it runs (stage_assets.py, release_assets.py).
"""

from typing import NamedTuple

OWNERS = ["team:rag-assets"]


class Node(NamedTuple):
    name: str
    deps: tuple[str, ...]
    group: str
    kinds: frozenset[str]
    description: str


STAGES = (
    Node(
        "raw_sources",
        (),
        "documents",
        frozenset({"file"}),
        "A snapshot of every document of the collection: its bytes, content hash, type and time. "
        "Documents that cannot be taken are quarantined with a reason; none vanishes.",
    ),
    Node(
        "parsed_blocks",
        ("raw_sources",),
        "documents",
        frozenset({"python", "parquet"}),
        "Every document as its blocks in reading order: headings, prose, lists and raw grids of cells with their "
        "addresses. Read in separate worker processes; cells and characters are counted before anything is understood.",
    ),
    Node(
        "normalized_tables",
        ("parsed_blocks",),
        "documents",
        frozenset({"table", "parquet"}),
        "Tables as they are understood: caption, column headings, row labels, units, and an address for each cell. "
        "The account must balance: each cell found is placed, or dropped under a name.",
    ),
    Node(
        "chunks",
        ("normalized_tables",),
        "search",
        frozenset({"parquet"}),
        "The pieces that can be found: prose, whole tables, rows as records under their caption and headings, and a "
        "summary of each larger table. No piece of a table stands without its header.",
    ),
    Node(
        "lookup_tables",
        ("normalized_tables",),
        "search",
        frozenset({"duckdb"}),
        "Workbooks and larger tables as typed tables in one DuckDB file, behind tools that answer over all rows.",
    ),
    Node(
        "bm25_index",
        ("chunks",),
        "search",
        frozenset({"bm25", "numpy"}),
        "The search index of the collection, with how well it finds what the cases ask for.",
    ),
)

RELEASE = (
    Node(
        "eval_cases",
        (),
        "release",
        frozenset({"yaml"}),
        "The evaluation cases, gold tables and accepted baseline as they were read, with their hash.",
    ),
    Node(
        "eval_run",
        ("eval_cases", "bm25_index", "lookup_tables"),
        "release",
        frozenset({"evaluation"}),
        "Every suite over the release that would go live, compared with the published one. A case that passed and now "
        "fails holds its collection back, and says which stage lost the answer.",
    ),
    Node(
        "published_release",
        ("eval_run",),
        "release",
        frozenset({"json"}),
        "What is served: the segments of every collection, with their scores, what changed and what is held.",
    ),
)

STAGE_NAMES = tuple(node.name for node in STAGES)
RELEASE_NAMES = tuple(node.name for node in RELEASE)
