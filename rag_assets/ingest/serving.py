"""Settings that are read when somebody asks: a release keeps those it was judged with.

Holds: `serving_of`, `as_served`.
Add here: another setting that changes what a question gets without any segment being made anew.
Never here: settings that segments are made with (versions.py).
"""

from collections.abc import Mapping

from rag_assets.settings import Project, RetrievalSettings, Settings

FLOOR, RETRIEVAL = "answer_floor", "retrieval"


def serving_of(settings: Settings) -> dict[str, object]:
    """What a release keeps: the answer floor and how search weighs."""
    return {FLOOR: settings.answer_floor, RETRIEVAL: settings.retrieval.model_dump(mode="json")}


def as_served(project: Project, serving: Mapping[str, object]) -> Project:
    """The project with the settings of a release, so that a refused change of them does not serve.

    A release of before has none: then today's count. Settings it does not know keep their default.
    """
    found = serving.get(RETRIEVAL)
    if not isinstance(found, dict):
        return project
    known = {name: value for name, value in found.items() if name in RetrievalSettings.model_fields}
    changed = {FLOOR: serving.get(FLOOR, project.settings.answer_floor), RETRIEVAL: RetrievalSettings(**known)}
    settings = project.settings.model_copy(update=changed)
    return project._replace(file=project.file.model_copy(update={"settings": settings}))
