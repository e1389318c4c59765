"""Write docs/reference/commands.md and metadata.md from the code.

Run it after a change of a command or a metadata key: python scripts/reference_pages.py
"""

from collections.abc import Iterator
from pathlib import Path

from typer.main import get_command

from rag_assets.cli.main import app
from rag_assets.defs.metadata import KEYS

REFERENCE = Path(__file__).parent.parent / "docs" / "reference"


def commands_page() -> str:
    lines = [
        "# Commands",
        "",
        "Machine output is on standard output, messages on standard error. Exit status: 0 done; 1 the work ran and the",
        "answer is no; 2 wrong use, unreadable input, unwritable state. Every command has `--help`.",
    ]
    for name, command in _commands(get_command(app), "rag-assets"):
        lines += ["", f"## `{name}`", "", (command.help or "").strip()]
        options = [_option(parameter) for parameter in command.params if parameter.name != "help"]
        if options:
            lines += ["", "| argument or option | meaning |", "|---|---|", *options]
        if command.epilog:
            lines += ["", "```console", f"$ {' '.join(command.epilog.removeprefix('Example: ').split())}", "```"]
    return "\n".join(lines) + "\n"


def _commands(command: object, name: str) -> Iterator[tuple[str, object]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield name, command
        return
    for part, sub in inner.items():
        yield from _commands(sub, f"{name} {part}")


def _option(parameter: object) -> str:
    names = [*getattr(parameter, "opts", []), *getattr(parameter, "secondary_opts", [])]
    shown = " ".join(f"`{name if name.startswith('-') else name.upper()}`" for name in names)
    return f"| {shown} | {(getattr(parameter, 'help', '') or '').replace('|', '/')} |"


def metadata_page() -> str:
    lines = [
        "# Metadata",
        "",
        "What a materialization says, under stable keys. Scores stand beside these as floats named `suite/metric` that",
        "plot over time; what was not scored is named in `not_scored` and never 0. Of a collection with",
        "`redact_metadata` counts, scores and hashes show and nothing else: no document's name or text in the metadata",
        "of any asset, in a check's description, in a run's tags or in a message to the webhook. The evaluation report",
        "that the UI links is redacted too; `rag-assets eval report` writes one for who may read the state.",
        "",
        "| key | meaning |",
        "|---|---|",
        *(f"| `{key}` | {meaning} |" for key, meaning in KEYS.items()),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (REFERENCE / "commands.md").write_text(commands_page(), encoding="utf-8")
    (REFERENCE / "metadata.md").write_text(metadata_page(), encoding="utf-8")
