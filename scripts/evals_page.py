"""Write EVALS.md: what the shipped cases say of the example corpus.

Run it after a change of cases, corpus or pipeline, on a published copy of the project: make demo, then
python scripts/evals_page.py [PROJECT]
"""

import sys
from pathlib import Path

from rag_assets.evaluation.evals_page import evals_markdown
from rag_assets.evaluation.standing import standing
from rag_assets.settings import load_project
from rag_assets.store import Store

ROOT = Path(__file__).parent.parent


def main() -> None:
    project = load_project(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
    now = standing(project, Store(project.state_url), remembered=False)
    (ROOT / "EVALS.md").write_text(evals_markdown(now.run), encoding="utf-8")


if __name__ == "__main__":
    main()
