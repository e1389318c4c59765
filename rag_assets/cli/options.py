"""Flags that several commands share.

Holds: their types, names and help.
Add here: a flag once a second command needs it.
Never here: a flag of one command alone.
"""

from pathlib import Path
from typing import Annotated

import typer

ProjectFolder = Annotated[
    Path | None,
    typer.Option("--project", help="The folder that holds sources.yaml; default: upwards from here.", metavar="DIR"),
]
Scopes = Annotated[
    list[str] | None,
    typer.Option("--scope", help="A scope of the caller; may be repeated. Default: default_scopes.", metavar="S"),
]
ReleaseNumber = Annotated[
    int | None, typer.Option("--release", help="A kept release instead of the published one.", metavar="N")
]
AsJson = Annotated[bool, typer.Option("--json", help="JSON on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No messages on standard error.")]
Explain = Annotated[bool, typer.Option("--explain", help="Say how the result came about.")]
