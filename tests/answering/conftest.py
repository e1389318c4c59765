"""A small published project with a price table, a fare page and a pair of conditions; and the example corpus."""

import shutil
from pathlib import Path

import pytest

from rag_assets import Corpus, open_corpus
from tests.cli.published import publish_now

SOURCES = """\
default_scopes: [public]
collections:
  - {name: rules, documents: ./rules, scope: public}
"""
REGIONS = ("North", "South", "East", "West", "Central", "Coast")
TIERS = "region,tier,discount,min order\n" + "".join(
    f'{region},{tier},{3 * tier + n}%,"${1000 * (n + 1) * tier:,}"\n'
    for n, region in enumerate(REGIONS)
    for tier in (1, 2, 3)
)
FARES = """<h1>Bus fares</h1><table>
<tr><th>Line</th><th>Adult</th><th>Senior</th></tr>
<tr><td>Harbor Loop</td><td>$2.00</td><td>$1.00</td></tr>
<tr><td>Harbor Express</td><td>$3.00</td><td>$1.50</td></tr></table>
<h2>Passes</h2><table>
<tr><td>Student card</td><td>Staff card</td><td>Visitor pass</td></tr>
<tr><td>Undergraduates ride free</td><td>with a valid photograph</td><td>on the day of issue</td></tr></table>"""


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    root = tmp_path_factory.mktemp("answers")
    (root / "rules").mkdir()
    (root / "sources.yaml").write_text(SOURCES)
    (root / "rules" / "discount_tiers.csv").write_text(TIERS)
    (root / "rules" / "bus_fares.html").write_text(FARES)
    publish_now(root)
    return open_corpus(Path(root))


EXAMPLE = """\
default_scopes: [public]
collections:
  - {name: transit, documents: ./corpus/transit, scope: public}
  - {name: pricing, documents: ./corpus/pricing, scope: public}
  - {name: policies, documents: ./corpus/policies, scope: public}
  - {name: filings, documents: ./corpus/filings, scope: public}
"""


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The example corpus in one scope, published without cases."""
    root = tmp_path_factory.mktemp("example")
    shutil.copytree(Path(__file__).parents[2] / "evals/corpus", root / "corpus")
    (root / "sources.yaml").write_text(EXAMPLE)
    publish_now(root)
    return open_corpus(root)
