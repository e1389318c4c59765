"""Where each thing lies below the state folder.

Holds: names, relative to the state.
Add here: a new kind of file.
Never here: reading or writing it.
"""

SEGMENT_FILE = "segment.json"
CURRENT = "CURRENT"
PINNED = "PINNED"
RELEASES = "releases"
CANDIDATES = "candidates"
CONTENT = "content"
SEGMENTS = "segments"
HEADS = "heads"
MEMOS = "memos"
EVALUATIONS = "evaluations"
REPORTS = "reports"


def content_name(sha256: str) -> str:
    return f"{CONTENT}/{sha256}"


def segment_name(partition: str, stage: str, digest: str) -> str:
    return f"{SEGMENTS}/{partition}/{stage}/{digest}"


def heads_name(partition: str) -> str:
    return f"{HEADS}/{partition}.json"


def candidate_name(identity: str) -> str:
    return f"{CANDIDATES}/{identity}.json"


def release_name(number: int) -> str:
    return f"{RELEASES}/{number}.json"


def memo_name(name: str) -> str:
    """Something that may be lost: it only saves work."""
    return f"{MEMOS}/{name}.json"


def evaluation_name(identity: str) -> str:
    """How each case stood in a candidate; a release's is found by its `dagster_run`."""
    return f"{EVALUATIONS}/{identity}.json"
