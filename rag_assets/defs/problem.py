"""The location of a project whose sources.yaml cannot be used.

Holds: one asset and one sensor that say what is wrong, under the sensor's usual name so that its state is kept.
Add here: nothing.
Never here: anything that runs.
"""

from pathlib import Path

import dagster as dg

from rag_assets.defs.graph import OWNERS
from rag_assets.defs.location import BadProject
from rag_assets.errors import RagAssetsError
from rag_assets.settings import load_project


def definitions_of_a_bad_project(bad: BadProject) -> dg.Definitions:
    asset = dg.AssetSpec(
        "sources_yaml",
        description=f"sources.yaml cannot be used, so there is no pipeline here yet.\n\n{bad.message}",
        group_name="documents",
        kinds={"yaml"},
        owners=OWNERS,
    )

    @dg.sensor(
        name="source_changes",
        description=f"Waits for a sources.yaml that can be used. {bad.message}",
        minimum_interval_seconds=10,
        default_status=dg.DefaultSensorStatus.RUNNING,
        target=dg.AssetSelection.assets("sources_yaml"),
    )
    def source_changes() -> dg.SkipReason:
        return dg.SkipReason(what_stands_now(bad.root, bad.message))

    return dg.Definitions(assets=[asset], sensors=[source_changes])


def what_stands_now(root: Path | None, message: str) -> str:
    """The message as the file stands now; once it is mended, what to do."""
    if root is None:
        return message
    try:
        load_project(root)
    except RagAssetsError as error:
        return str(error)
    return "sources.yaml changed: reload the code location"
