from rag_assets.tables.grid import lay_spans


def test_a_row_span_of_zero_reaches_to_the_end_of_its_group() -> None:
    laid, _ = lay_spans([[(0, 1), (1, 1)], [(1, 1)], [(1, 1), (1, 1)]], [2, 3])
    assert laid[0][0].row_span == 2
    assert laid[1][0].column == 1
    assert laid[2][0].column == 0


def test_a_huge_column_span_is_capped_by_the_other_rows() -> None:
    laid, width = lay_spans([[(1, 100_000)], [(1, 1), (1, 1), (1, 1)]])
    assert laid[0][0].column_span == 3
    assert width == 3


def test_where_spans_overlap_the_first_cell_keeps_the_slot() -> None:
    laid, _ = lay_spans([[(1, 1), (2, 1)], [(1, 2)]])
    assert (laid[1][0].column, laid[1][0].column_span) == (0, 1)
