"""Distinct paths: two rows of one table that would read the same.

Holds: `distinct_paths`.
Add here: another thing on the page that tells two such rows apart.
Never here: sections (stub).

    Currency contracts | Revenue       | 12      → Currency contracts › Revenue
    Currency contracts | Cost of sales |  7      → Currency contracts › Cost of sales
"""

from collections import defaultdict
from collections.abc import Sequence

from rag_assets.tables.stub import StubRow

Path = tuple[str, ...]


def distinct_paths(paths: Sequence[Path], rows: Sequence[StubRow], words: Sequence[tuple[str, ...]]) -> list[Path]:
    """The paths, with what tells colliding rows apart added: the words of their first cell that differ.

    A section that comes again under the same name is numbered where its rows collide: "Revenues by (2)".
    """
    out = list(paths)
    for rows_of_path in _collisions(out, rows):
        texts = [words[n][0] if words[n] else "" for n in rows_of_path]
        if any(texts) and len(set(texts)) == len(texts):
            for n, text in zip(rows_of_path, texts, strict=True):
                out[n] = (*out[n], text) if text else out[n]
    for rows_of_path in _collisions(out, rows):
        opened = [_section_before(rows, n) for n in rows_of_path]
        if len(set(opened)) == len(opened) and all(len(out[n]) > 1 for n in rows_of_path):
            for time, n in enumerate(rows_of_path[1:], start=2):
                *outer, section, label = out[n]
                out[n] = (*outer, f"{section} ({time})", label)
    return out


def _collisions(paths: Sequence[Path], rows: Sequence[StubRow]) -> list[list[int]]:
    seen: defaultdict[Path, list[int]] = defaultdict(list)
    for n, path in enumerate(paths):
        if path and not rows[n].is_section:
            seen[path].append(n)
    return [group for group in seen.values() if len(group) > 1]


def _section_before(rows: Sequence[StubRow], n: int) -> int:
    return next((k for k in range(n - 1, -1, -1) if rows[k].is_section), -1)
