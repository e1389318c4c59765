from rag_assets.tables.names import full_name, short_name, slug


def test_a_slug_keeps_letters_and_digits() -> None:
    assert slug("Région – prix (€) Straße") == "region_prix_strasse"


def test_the_first_source_of_a_name_wins() -> None:
    everything = {"override": "My list", "hints": ["Tiers"], "uri": "p/discount_tiers.xlsx", "caption": ["Title"]}
    assert short_name(**everything) == "lookup_my_list"
    assert short_name(**{**everything, "override": None}) == "lookup_tiers"
    assert short_name(**{**everything, "override": None, "hints": []}) == "lookup_discount_tiers"
    assert short_name(uri="p/価格.xlsx", caption=["Price list"]) == "lookup_price_list"
    assert short_name(uri="p/価格.xlsx", place="sheet-2.1") == "lookup_table_sheet_2_1"


def test_the_sheet_joins_the_stem_where_a_file_has_several_regions() -> None:
    assert short_name(uri="p/2026.xlsx", sheet="North", several_regions=True) == "lookup_2026_north"
    assert short_name(uri="p/2026.xlsx", sheet="North") == "lookup_2026"


def test_a_name_has_at_most_48_characters() -> None:
    name = short_name(uri="p/" + "long name " * 20 + ".xlsx")
    assert len(name) <= 48
    assert not name.endswith("_")


def test_a_full_name_depends_on_the_place_only() -> None:
    first = full_name("lookup_a", collection="c", path="a.xlsx", place="sheet-1")
    assert first == full_name("lookup_a", collection="c", path="a.xlsx", place="sheet-1")
    assert first != full_name("lookup_a", collection="c", path="a.xlsx", place="sheet-2")
    assert first != full_name("lookup_a", collection="d", path="a.xlsx", place="sheet-1")
    assert first.startswith("lookup_a_")
    assert len(first) == len("lookup_a_") + 6
