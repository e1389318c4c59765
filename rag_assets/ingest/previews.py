"""Small markdown that tells a person what a stage did.

Holds: the preview of one partition at one stage.
Add here: another line a person looks for.
Never here: figures for plots (those are counts and scores).
"""

from collections.abc import Sequence

SHOWN = 20


def preview(reworked: Sequence[str], removed: Sequence[str], reused: int, refused: str | None) -> str:
    """A table of what was worked on and what went, at most 20 names each."""
    lines = [f"**{refused}**\n"] if refused else []
    if reworked or removed:
        lines += ["| document | outcome |", "|---|---|"]
        lines += [f"| {_cell(name)} | worked on |" for name in reworked[:SHOWN]]
        lines += [f"| {_cell(name)} | removed |" for name in removed[:SHOWN]]
        more = max(len(reworked) - SHOWN, 0) + max(len(removed) - SHOWN, 0)
        lines += [f"| {more} more | |"] if more else []
    lines.append(f"\n{reused} reused as they were.")
    return "\n".join(lines)


def _cell(name: str) -> str:
    return name.replace("|", "\\|")
