"""The three unpartitioned assets: the cases as read, the evaluation of what would go live, what went live.

Holds: `release_assets`.
Add here: nothing that judging or publishing itself does (evaluation/judgement.py, ingest/publish.py).
Never here: stages (stage_assets.py).
"""

from dataclasses import replace
from pathlib import Path

import dagster as dg

from rag_assets.defs import metadata
from rag_assets.defs.alerts import tell
from rag_assets.defs.checks import REGRESSION_SPEC, regression_result
from rag_assets.defs.graph import OWNERS, RELEASE, Node
from rag_assets.defs.resources import OptionsResource, ProjectResource
from rag_assets.defs.tags import GATE_RED, HELD, OUTCOME
from rag_assets.errors import Refused, UnknownName
from rag_assets.evaluation.cases import load_cases
from rag_assets.evaluation.judgement import Judgement, judge_candidate
from rag_assets.evaluation.memory import read_baseline
from rag_assets.evaluation.report import PastRelease, ReportRequest, failures_markdown, html_report, scores_markdown
from rag_assets.ingest.candidate import make_candidate
from rag_assets.ingest.publish import publish
from rag_assets.store import Candidate, Release, Store

PUBLISHING = "publishing"
_NODES = {node.name: node for node in RELEASE}


def release_assets() -> list[dg.AssetsDefinition]:
    return [_eval_cases(), _eval_run(), _published_release()]


def _deps(node: Node) -> list[dg.AssetDep]:
    """A partitioned asset is needed whole."""
    partitioned = ("bm25_index", "lookup_tables")
    return [
        dg.AssetDep(name, partition_mapping=dg.AllPartitionMapping()) if name in partitioned else dg.AssetDep(name)
        for name in node.deps
    ]


def _eval_cases() -> dg.AssetsDefinition:
    node = _NODES["eval_cases"]

    @dg.asset(
        name=node.name,
        group_name=node.group,
        kinds=set(node.kinds),
        owners=OWNERS,
        description=node.description,
        code_version="1",
    )
    def eval_cases(rag_project: ProjectResource) -> dg.MaterializeResult:
        project = rag_project.project
        cases = load_cases(project.evals)
        suites: dict[str, int] = {}
        for case in cases.cases:
            suites[case.suite] = suites.get(case.suite, 0) + 1
        rows = "".join(f"\n| {suite} | {n} |" for suite, n in sorted(suites.items()))
        return dg.MaterializeResult(
            metadata={
                "cases": len(cases.cases),
                "hash": cases.hash[:8],
                "baseline": "accepted" if read_baseline(project.evals) else "none",
                "suites": metadata.markdown(f"| suite | cases |\n| --- | --- |{rows}"),
            }
        )

    return eval_cases


def _eval_run() -> dg.AssetsDefinition:
    node = _NODES["eval_run"]

    @dg.asset(
        name=node.name,
        deps=_deps(node),
        group_name=node.group,
        kinds=set(node.kinds),
        owners=OWNERS,
        description=node.description,
        code_version="1",
        check_specs=[REGRESSION_SPEC(node.name)],
    )
    def eval_run(
        context: dg.AssetExecutionContext, rag_project: ProjectResource, options: OptionsResource
    ) -> dg.MaterializeResult:
        judged = _judged(context, rag_project, options)
        verdict = judged.verdict
        state = GATE_RED if verdict.red else HELD if verdict.held else ""
        if state:
            context.instance.add_run_tags(context.run_id, {OUTCOME: state})
            tell(rag_project.project, "gate_red", context.run_id, verdict.sentence, [r.case for r in verdict.regressed])
        report = _write_report(rag_project, judged)
        published = rag_project.store.current()
        before = published.scores if published else None
        return dg.MaterializeResult(
            metadata={
                metadata.CANDIDATE: judged.candidate.id[:8],
                metadata.SENTENCE: verdict.sentence,
                "stale_cases": len(verdict.stale),
                "warnings": "; ".join(verdict.warnings) or "none",
                "failures": metadata.markdown(failures_markdown(judged.run, [r.case for r in verdict.regressed])),
                "scores": metadata.markdown(scores_markdown(judged.run.scores, before)),
                "report": dg.MetadataValue.path(str(report)),
                **metadata.of_scores({k: v for k, v in judged.run.scores.items() if k.endswith("/pass")}),
            },
            check_results=[regression_result(verdict)],
        )

    return eval_run


def _judged(context: dg.AssetExecutionContext, rag_project: ProjectResource, options: OptionsResource) -> Judgement:
    """The candidate of this run, judged, and written for `published_release`."""
    project, store = rag_project.project, rag_project.store
    cases = load_cases(project.evals)
    candidate = make_candidate(project, store, context.run_id, cases_hash=cases.hash)
    judged = judge_candidate(project, store, candidate, allowed=options.allow, cases=cases)
    warnings = (*judged.candidate.warnings, *judged.verdict.warnings)
    store.write_candidate(context.run_id, replace(judged.candidate, scores=judged.run.scores, warnings=warnings))
    return judged


def _write_report(rag_project: ProjectResource, judged: Judgement) -> Path:
    """The full page, linked from the metadata: one a run, in the project's own state folder."""
    store = rag_project.store
    past = [PastRelease(release.number, release.scores) for release in store.releases()]
    page = html_report(
        ReportRequest(name=rag_project.project.root.name, run=judged.run, verdict=judged.verdict, past=past)
    )
    folder = rag_project.project.root / ".rag-assets" / "reports"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{judged.candidate.id[:12]}.html"
    path.write_text(page, encoding="utf-8")
    return path


def _published_release() -> dg.AssetsDefinition:
    node = _NODES["published_release"]

    @dg.asset(
        name=node.name,
        deps=list(node.deps),
        group_name=node.group,
        kinds=set(node.kinds),
        owners=OWNERS,
        description=node.description,
        code_version="1",
        pool=PUBLISHING,
    )
    def published_release(
        context: dg.AssetExecutionContext, rag_project: ProjectResource, options: OptionsResource
    ) -> dg.MaterializeResult:
        project, store = rag_project.project, rag_project.store
        candidate = _candidate_of(context, store)
        allowed = tuple(f"{case}: {options.why}" for case in options.allow)
        try:
            release = publish(project, store, candidate, candidate.scores, allowed=allowed, dagster_run=candidate.id)
        except Refused as refusal:
            raise dg.Failure(str(refusal), allow_retries=False) from None
        return dg.MaterializeResult(metadata=_release_metadata(release, store))

    return published_release


def _candidate_of(context: dg.AssetExecutionContext, store: Store) -> Candidate:
    """What eval_run of this run judged; materialized alone, what the newest eval_run judged."""
    try:
        return store.read_candidate(context.run_id)
    except UnknownName:
        event = context.instance.get_latest_materialization_event(dg.AssetKey("eval_run"))
        if event is None:
            raise dg.Failure("nothing was evaluated yet: materialize eval_run first", allow_retries=False) from None
        return store.read_candidate(event.run_id)


def _release_metadata(release: Release | None, store: Store) -> metadata.Metadata:
    """What went live; where nothing differs from what is published, that."""
    shown = release or store.current()
    if shown is None:
        return {"release": dg.MetadataValue.text("nothing to publish")}
    bad = sum(entry.status == "quarantined" for entry in shown.sources)
    return {
        "release": dg.MetadataValue.int(shown.number),
        "release_digest": dg.MetadataValue.text(shown.digest[:8]),
        "new_release": dg.MetadataValue.bool(release is not None),
        "parent": dg.MetadataValue.text(str(shown.parent or "none")),
        "documents": dg.MetadataValue.int(len(shown.sources)),
        "quarantined": dg.MetadataValue.int(bad),
        "changed": dg.MetadataValue.text(", ".join(shown.changed[:20]) or "nothing"),
        "held": dg.MetadataValue.text(", ".join(sorted(shown.held)) or "nothing"),
        "warnings": dg.MetadataValue.text("; ".join(shown.warnings)[:500] or "none"),
        **metadata.of_scores({k: v for k, v in shown.scores.items() if k.endswith("/pass")}),
    }
