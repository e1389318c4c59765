"""The command `rag-assets`: which commands there are, and how an error ends.

Holds: the registration of every command and `run`, the one place that turns errors into a line and an exit status.
Add here: a new command's line.
Never here: what a command does; heavy imports (`--help` costs 0.3 s).
"""

import os
import sys

import typer

from rag_assets.cli import eval_model, eval_studies  # noqa: F401 they register their commands
from rag_assets.cli.corpus import ask, lookup, search, tools
from rag_assets.cli.demo import demo
from rag_assets.cli.evaluation import evals
from rag_assets.cli.inspect import inspect
from rag_assets.cli.project import ingest, init
from rag_assets.cli.release import releases
from rag_assets.cli.serve import serving
from rag_assets.cli.show import show
from rag_assets.cli.status import doctor, status
from rag_assets.errors import RagAssetsError

WRONG_USE = 2
INTERRUPTED = 130

app = typer.Typer(
    name="rag-assets",
    help="Documents with tables, and spreadsheets, answerable without invention.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(epilog="Example: rag-assets init ./handbook-index --documents /srv/handbook --scope staff")(init)
app.command(epilog="Example: rag-assets demo --break-headers")(demo)
app.command(epilog="Example: rag-assets ingest --collection pricing")(ingest)
app.command(epilog="Example: rag-assets status --quarantine")(status)
app.command(epilog="Example: rag-assets doctor")(doctor)
app.command(epilog="Example: rag-assets inspect --pretty prices.xlsx")(inspect)
app.command(epilog="""Example: rag-assets show pricing/prices.xlsx "'Prices'!C14" --scope financial""")(show)
app.command(epilog='Example: rag-assets search "north region tier 3 discount" --scope financial')(search)
app.command(epilog="Example: rag-assets tools --scope financial --json")(tools)
app.command(
    epilog="""Example: rag-assets lookup lookup_discount_tiers --scope financial
    --args '{"aggregate": [{"function": "avg", "column": "discount", "as": "mean"}]}'"""
)(lookup)
app.command(epilog='Example: rag-assets ask "How many days does a customer in the EU have for a refund?"')(ask)
app.add_typer(evals)
app.add_typer(releases)
app.add_typer(serving)


def run() -> None:
    """The entry point of the installed command."""
    sys.exit(exit_status(sys.argv[1:]))


def exit_status(arguments: list[str]) -> int:
    """Run one command line. Errors a user can meet become one line on standard error; a bug keeps its traceback."""
    try:
        ended = app(arguments, prog_name="rag-assets", standalone_mode=False)
        sys.stdout.flush()
    except RagAssetsError as error:
        return _refuse(str(error), error.exit_status)
    except typer.TyperException as error:
        return _refuse(_usage(error), WRONG_USE)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    return ended if isinstance(ended, int) else 0


def _refuse(message: str, status: int) -> int:
    sys.stdout.flush()
    line = " ".join(message.split())
    print(f"rag-assets: {line}", file=sys.stderr)
    return status


def _usage(error: typer.TyperException) -> str:
    """Click's message and where to read more."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "rag-assets"
    return f"{error.format_message()} (see {command} --help)"


if __name__ == "__main__":
    run()
