"""eval_cases, eval_run and published_release: judging all collections together and going live.

Holds: the three unpartitioned assets.
Add here: another fact they report.
Never here: judging (evaluation/judgement.py), publishing (ingest/publish.py).
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import dagster as dg

from rag_assets.defs import checks, metadata, run_tags
from rag_assets.defs.alerts import Alert, send
from rag_assets.defs.graph import OWNERS, RELEASE, STAGE_NAMES, Node
from rag_assets.defs.live_runs import others_at_work
from rag_assets.defs.progress import tell
from rag_assets.defs.redaction import Redaction
from rag_assets.defs.resources import OptionsResource, ProjectResource
from rag_assets.errors import UnknownName
from rag_assets.evaluation.judgement import Judgement, judge_candidate
from rag_assets.evaluation.memory import read_baseline
from rag_assets.evaluation.report import PastRelease, ReportRequest, failures_markdown, html_report, scores_markdown
from rag_assets.ingest.candidate import hold, make_candidate
from rag_assets.ingest.publish import publish
from rag_assets.ingest.quarantine_jump import quarantine_jump
from rag_assets.settings import Project
from rag_assets.store import Candidate, Release, Store
from rag_assets.store.layout import REPORTS, release_name

CODE_VERSION = "1"
FRESH_FOR = timedelta(hours=36)
PUBLISHING = "publishing"
REPORTS_KEPT = 50


def release_assets(before_judging: Sequence[dg.AssetKey] = ()) -> list[dg.AssetsDefinition]:
    """`before_judging`: partitioned assets of this project alone that cases look at."""
    cases, run, published = RELEASE
    return [_eval_cases(cases), _eval_run(run, before_judging), _published_release(published)]


def _deps(node: Node) -> list[dg.AssetDep]:
    """An unpartitioned asset depends on every collection."""
    mapping = dg.AllPartitionMapping()
    return [dg.AssetDep(n, partition_mapping=mapping) if n in STAGE_NAMES else dg.AssetDep(n) for n in node.deps]


def _eval_cases(node: Node) -> dg.AssetsDefinition:
    @dg.asset(
        name=node.name,
        group_name=node.group,
        kinds=set(node.kinds),
        owners=OWNERS,
        description=node.description,
        code_version=CODE_VERSION,
    )
    def eval_cases(project: ProjectResource) -> dg.MaterializeResult:
        found = project.cases
        by_suite = Counter(case.suite for case in found.cases)
        return dg.MaterializeResult(
            metadata={
                "cases": metadata.table_of(("suite", "cases"), sorted(by_suite.items())),
                "cases_hash": found.hash[: metadata.DIGEST_SHOWN],
                "baseline": read_baseline(project.project.evals) is not None,
            },
            data_version=dg.DataVersion(found.hash),
        )

    return eval_cases


def _eval_run(node: Node, before: Sequence[dg.AssetKey]) -> dg.AssetsDefinition:
    every = dg.AllPartitionMapping()

    @dg.asset(
        name=node.name,
        deps=[*_deps(node), *(dg.AssetDep(key, partition_mapping=every) for key in before)],
        group_name=node.group,
        kinds=set(node.kinds),
        owners=OWNERS,
        description=node.description,
        code_version=CODE_VERSION,
        check_specs=checks.release_specs(),
    )
    def eval_run(
        context: dg.AssetExecutionContext, project: ProjectResource, options: OptionsResource
    ) -> dg.MaterializeResult:
        tell("eval_run")
        store = project.store
        published = store.current()
        alone = not others_at_work(context.instance, context.run.run_id)
        candidate, jumped = _candidate(context.run.run_id, project, options, published, alone=alone)
        cases = project.cases
        judged = judge_candidate(project.project, store, candidate, allowed=options.allow, cases=cases)
        stuck = bool(jumped) and not (judged.candidate.changed and published)
        if not (judged.verdict.red or stuck):
            store.write_candidate(context.run.run_id, _as_judged(judged, options))
        redaction = Redaction(project.project)
        jumped, shown = redaction.texts(jumped), redaction.judgement(judged)
        _tell_of_gate(context, project, shown, jumped, nothing_may=judged.verdict.red or stuck)
        return dg.MaterializeResult(
            metadata={
                **_evaluation_metadata(shown, published, redaction),
                "report": _write_report(project.project, store, shown),
            },
            check_results=[
                checks.regression_result(shown.verdict, redaction, nothing_may=judged.verdict.red),
                checks.quarantine_result(jumped, nothing_may=stuck),
            ],
        )

    return eval_run


def _published_release(node: Node) -> dg.AssetsDefinition:
    @dg.asset(
        name=node.name,
        deps=_deps(node),
        group_name=node.group,
        kinds=set(node.kinds),
        owners=OWNERS,
        description=node.description,
        code_version=CODE_VERSION,
        pool=PUBLISHING,
        freshness_policy=dg.FreshnessPolicy.time_window(fail_window=FRESH_FOR),
    )
    def published_release(context: dg.AssetExecutionContext, project: ProjectResource) -> dg.MaterializeResult:
        tell("published_release")
        store = project.store
        candidate = _judged_candidate(context, store)
        made = publish(project.project, store, candidate, candidate.scores, dagster_run=candidate.id)
        release = made or store.current()
        if release is None:
            raise UnknownName("nothing was published")
        return dg.MaterializeResult(metadata=_release_metadata(project, release, new=made is not None))

    return published_release


def _candidate(
    run_id: str, project: ProjectResource, options: OptionsResource, published: Release | None, *, alone: bool
) -> tuple[Candidate, dict[str, str]]:
    """The newest segments; a collection whose quarantined share jumped stays as it is published.

    Beside other runs a partition that one of them is in the middle of stays as published: that run publishes it.
    """
    here, store = project.project, project.store
    whole = [p.key for p in here.partitions if len(store.heads(p.key).stages) == len(STAGE_NAMES)]
    wanted = [key for key in whole if alone and (not options.only or key in options.only)]
    candidate = make_candidate(here, store, run_id, cases_hash=project.cases.hash, partitions=wanted)
    jumped = _jumps(store, candidate)
    if not jumped:
        return candidate, {}
    first = next(iter(jumped.values()))
    whole_release = here.settings.on_regression == "hold_release"
    held = {
        key: jumped.get(part.collection, first)
        for key, part in candidate.partitions.items()
        if whole_release or part.collection in jumped
    }
    return hold(here, store, candidate, published, held), jumped


def _jumps(store: Store, candidate: Candidate) -> dict[str, str]:
    """Collection → why suddenly too many of its documents cannot be read; only of what would change."""
    shards: dict[str, list[str]] = defaultdict(list)
    for key, part in candidate.partitions.items():
        shards[part.collection].append(key)
    changed = {name: keys for name, keys in shards.items() if set(keys) & set(candidate.changed)}
    found = {name: quarantine_jump(store, keys) for name, keys in changed.items()}
    return {name: why for name, why in found.items() if why}


def _as_judged(judged: Judgement, options: OptionsResource) -> Candidate:
    found = judged.candidate
    return replace(
        found,
        held={**found.held, **judged.verdict.held},
        scores=judged.run.scores,
        allowed=options.allowed,
        warnings=(*found.warnings, *judged.verdict.warnings),
    )


def _judged_candidate(context: dg.AssetExecutionContext, store: Store) -> Candidate:
    """This run's; where it did not evaluate, that of the newest evaluation. A red one is never kept."""
    try:
        return store.read_candidate(context.run.run_id)
    except UnknownName:
        event = context.instance.get_latest_materialization_event(dg.AssetKey("eval_run"))
        if event is None:
            raise
        return store.read_candidate(event.run_id)


def _tell_of_gate(
    context: dg.AssetExecutionContext,
    project: ProjectResource,
    judged: Judgement,
    jumped: dict[str, str],
    *,
    nothing_may: bool,
) -> None:
    """Leave on the run what the sensor must know, and alert."""
    held = {**judged.candidate.held, **judged.verdict.held}
    if not (nothing_may or held):
        return
    cause = (
        Redaction(project.project).text(judged.verdict.sentence)
        if judged.verdict.red or not jumped
        else next(iter(jumped.values()))
    )
    outcome = run_tags.GATE_RED if nothing_may else run_tags.HELD
    tags = {run_tags.OUTCOME: outcome, run_tags.CAUSE: cause[: run_tags.CAUSE_LENGTH]}
    context.instance.add_run_tags(context.run.run_id, tags)
    cases = tuple(one.case for one in judged.verdict.regressed)
    collections = tuple(sorted({key.split("/")[0] for key in held}))
    send(
        project.project,
        Alert("gate_red", context.run.run_id, cause, cases=cases, collections=collections),
        context.log,
    )


def _evaluation_metadata(judged: Judgement, published: Release | None, redaction: Redaction) -> metadata.Metadata:
    verdict = judged.verdict
    regressed = [one.case for one in verdict.regressed]
    found: metadata.Metadata = {
        "verdict": dg.MetadataValue.text(redaction.text(verdict.sentence)),
        "stale_cases": dg.MetadataValue.int(len(verdict.stale)),
        "unscored_cases": dg.MetadataValue.int(verdict.unscored),
        "failures": metadata.clipped(failures_markdown(judged.first, regressed)),
        "scores": metadata.clipped(scores_markdown(judged.run.scores, published.scores if published else None)),
        "changed": dg.MetadataValue.text(", ".join(judged.candidate.changed[: metadata.MAX_ROWS]) or "nothing"),
        **metadata.of_scores(metadata.main_scores(judged.run.scores)),
    }
    held = redaction.texts({**judged.candidate.held, **verdict.held})
    if held:
        found["held"] = metadata.table_of(("held", "why"), sorted(held.items()))
    if verdict.warnings:
        found["warnings"] = metadata.clipped("\n".join(f"- {redaction.text(line)}" for line in verdict.warnings))
    return found


def _write_report(project: Project, store: Store, judged: Judgement) -> dg.MetadataValue:
    """The whole evaluation as one offline page, which the UI links; the newest are kept."""
    past = [PastRelease(*found) for found in store.release_scores()]
    page = html_report(ReportRequest(name=project.root.name, run=judged.run, verdict=judged.verdict, past=past))
    for old in sorted(store.place.walk(REPORTS), key=lambda placed: placed.modified)[: 1 - REPORTS_KEPT]:
        store.place.remove(old.name)
    name = f"{REPORTS}/{judged.candidate.id[:12]}.html"
    store.place.write(name, page.encode())
    return _link(store, name)


def _link(store: Store, name: str) -> dg.MetadataValue:
    """A path on this machine, or the URL in object storage."""
    shown = store.place.shown(name)
    return dg.MetadataValue.url(shown) if store.place.url else dg.MetadataValue.path(shown)


def _release_metadata(project: ProjectResource, release: Release, *, new: bool) -> metadata.Metadata:
    store, redaction = project.store, Redaction(project.project)
    found: metadata.Metadata = {
        "release": dg.MetadataValue.int(release.number),
        "release_digest": dg.MetadataValue.text(release.digest[: metadata.DIGEST_SHOWN]),
        "new_release": dg.MetadataValue.bool(new),
        "documents": dg.MetadataValue.int(len(release.sources)),
        "quarantined": dg.MetadataValue.int(sum(e.status == "quarantined" for e in release.sources)),
        "changed": dg.MetadataValue.text(", ".join(release.changed[: metadata.MAX_ROWS]) or "nothing"),
        "manifest": _link(store, release_name(release.number)),
        **metadata.of_scores(metadata.main_scores(release.scores)),
    }
    if release.parent is not None:
        found["parent"] = dg.MetadataValue.int(release.parent)
    if release.held:
        found["held"] = metadata.table_of(("held", "why"), sorted(redaction.reasons(release.held).items()))
    if release.warnings:
        found["warnings"] = metadata.clipped("\n".join(f"- {redaction.text(line)}" for line in release.warnings))
    return found
