"""Run tags: what runs say about themselves, and the tags of Dagster's that we set.

Holds: the names, and the tags of one range run.
Add here: a fact that a sensor must read off a run.
Never here: facts about documents (metadata.py).
"""

from collections.abc import Sequence

FINGERPRINT = "rag_assets/fingerprint"
OUTCOME = "rag_assets/outcome"
CAUSE = "rag_assets/cause"
PROCESS = "rag_assets/process"
GATE_RED = "gate_red"
HELD = "held"
CAUSE_LENGTH = 240

RANGE_START = "dagster/asset_partition_range_start"
RANGE_END = "dagster/asset_partition_range_end"
MAX_RUNTIME = {"dagster/max_runtime": str(6 * 3600)}


def range_tags(all_keys: Sequence[str], wanted: Sequence[str]) -> dict[str, str]:
    """The one contiguous range that holds all wanted keys; unchanged partitions inside it are no-ops."""
    places = sorted(all_keys.index(key) for key in wanted)
    return {RANGE_START: all_keys[places[0]], RANGE_END: all_keys[places[-1]]}
