"""A long file goes through all stages: looked up, copied while others change, swept and erased like any other."""

from rag_assets.ingest.erase import erase
from rag_assets.ingest.order import PARSED
from rag_assets.ingest.rows import read_rows
from rag_assets.ingest.stages import IngestOptions
from rag_assets.ingest.sweep import sweep
from rag_assets.ingest.traces import traces_of
from rag_assets.model.corpus import LookupResult
from tests.ingest.conftest import PRICES, Site

ROWS = 21_000


def orders() -> str:
    lines = [f"{n},Region {n % 7},{n % 500}.25,{n:06d}" for n in range(1, ROWS + 1)]
    lines[20_500] = "20501,Region 5,unknown,020501"
    return "\n".join(["id,region,amount,code", *lines]) + "\n"


def looked_up(site: Site, **arguments: object) -> LookupResult:
    found = site.corpus().lookup("lookup_orders", arguments)
    assert isinstance(found, LookupResult)
    return found


def columns_file(site: Site) -> str | None:
    head = site.store.head("docs", PARSED)
    assert head is not None
    return {row.source: row.columns for row in read_rows(head.path("documents.parquet"))}["docs/orders.csv"]


def test_a_long_file_is_looked_up_by_its_tool(site: Site) -> None:
    site.write("docs/orders.csv", orders())
    site.ingest()
    one = {"column": "id", "op": "eq", "value": 20_400}
    found = looked_up(site, filters=[one], select=["region", "amount", "code"])
    assert list(found.rows) == [{"region": "Region 2", "amount": 400.25, "code": "020400"}]
    assert list(found.addresses) == ["r20401c2", "r20401c3", "r20401c4"]
    counted = looked_up(site, aggregate=[{"function": "count", "column": "amount", "as": "n"}])
    assert (list(counted.rows), counted.table_rows, counted.complete) == ([{"n": ROWS - 1}], ROWS, True)
    passages = site.corpus().search("orders region amount", k=20)
    assert {passage.kind for passage in passages if passage.source == "docs/orders.csv"} == {"summary"}


def test_it_is_copied_while_another_document_changes(site: Site) -> None:
    site.write("docs/orders.csv", orders())
    site.ingest()
    before = columns_file(site)
    site.write("docs/prices.csv", PRICES.replace("20", "21"))
    outcomes = site.run()
    assert outcomes["docs parsed_blocks"].reworked == ("docs/prices.csv",)
    site.publish()
    assert columns_file(site) == before
    assert looked_up(site, filters=[{"column": "id", "op": "lte", "value": 3}], select=["id"]).row_count == 3
    site.ingest(options=IngestOptions(rebuild=True))
    assert columns_file(site) == before


def test_its_columns_are_swept_and_erased_with_it(site: Site) -> None:
    site.write("docs/orders.csv", orders())
    site.ingest()
    kept = columns_file(site)
    assert kept is not None
    sweep(site.store, 1, grace_s=-1)
    assert site.store.content_path(kept).is_file()
    assert traces_of(site.store, "Region 5") != ()
    (site.root / "docs/orders.csv").unlink()
    site.ingest()
    erase(site.project, site.store, "docs/orders.csv")
    assert traces_of(site.store, "Region 5") == ()
    assert kept not in site.store.place.names("content")
