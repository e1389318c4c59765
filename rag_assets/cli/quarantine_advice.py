"""How a quarantined document is mended.

Holds: one sentence a reason.
Add here: the remedy of a new reason.
Never here: why a document was quarantined (readers/).
"""

from rag_assets.model.document import Reason

OVERRIDE = "describe its tables in a .tables.yaml file beside it, or report the file"

ADVICE: dict[Reason, str] = {
    Reason.EMPTY_FILE: "put the content back, or delete the file",
    Reason.NOT_REGULAR: "replace it with a regular file",
    Reason.SYMLINK: "put the file itself there instead of a link",
    Reason.OUTSIDE_ROOT: "move it below the folder of its collection",
    Reason.UNREADABLE: "give this user the right to read it",
    Reason.STILL_CHANGING: "it is tried again at the next run, once writing has ended",
    Reason.TOO_LARGE: "split it, or raise settings.limits.file_mb",
    Reason.UNSUPPORTED_TYPE: "save it in a format that is read, or exclude it",
    Reason.TYPE_MISMATCH: "give it the extension of what it holds",
    Reason.ENCRYPTED: "save it without a password",
    Reason.CORRUPT: "open it in the program that made it and save it again",
    Reason.TRUNCATED: "copy it again: its end is missing",
    Reason.DOCTYPE: "save it again with an office program: it holds a DOCTYPE",
    Reason.ZIP_BOMB: "save it again: it unpacks to far more than it should",
    Reason.SPARSE_EXTENT: "delete the stray cells far from the others",
    Reason.TOO_MANY_CELLS: "split it, or raise settings.limits.cells",
    Reason.TOO_MANY_PAGES: "split it, or raise settings.limits.pages",
    Reason.TOO_DEEP: "save it again with less nesting",
    Reason.BAD_NAME: "rename it: letters that can be printed, one Unicode form",
    Reason.CPU_LIMIT: "split it, or raise settings.limits.cpu_s",
    Reason.WALL_LIMIT: "split it, or raise settings.limits.wall_s",
    Reason.MEMORY_LIMIT: "split it, or raise settings.limits.memory_mb",
    Reason.OUTPUT_LIMIT: "split it, or raise settings.limits.output_mb",
    Reason.PARSER_CRASHED: "save it again with an office program, or report the file",
    Reason.BAD_ENCODING: "save it as UTF-8",
    Reason.GARBLED_TEXT: "export it again with its fonts",
    Reason.NEEDS_OCR: "run it through text recognition",
    Reason.UNBALANCED_ACCOUNT: OVERRIDE,
}


def advice(reason: Reason | None) -> str:
    return ADVICE.get(reason, OVERRIDE) if reason is not None else OVERRIDE
