"""Values of a workbook as calamine reads them.

Holds: opening with one reason for each way it fails, one sheet as rows from its first cell on.
Add here: another way calamine fails.
Never here: formats, merged or hidden cells: calamine does not know them.
"""

import datetime
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
    SheetVisibleEnum,
    WorksheetNotFound,
)

from rag_assets.errors import Quarantine
from rag_assets.model.document import Reason
from rag_assets.tables.ranges import Rectangle

RawValue = int | float | str | bool | datetime.date | datetime.datetime | datetime.time | datetime.timedelta


class SheetValues(NamedTuple):
    """Rows from the first used cell on, which is at (top, left), 0-based."""

    top: int
    left: int
    rows: list[list[RawValue]]

    def at(self, row: int, column: int) -> RawValue | None:
        line = row - self.top
        if not 0 <= line < len(self.rows):
            return None
        place = column - self.left
        return self.rows[line][place] if 0 <= place < len(self.rows[line]) else None


NO_VALUES = SheetValues(0, 0, [])


class Values:
    """An opened workbook."""

    def __init__(self, path: Path) -> None:
        try:
            self._workbook = CalamineWorkbook.from_path(str(path))
        except PasswordError:
            raise Quarantine(Reason.ENCRYPTED, "is protected by a password: save it without one") from None
        except (CalamineError, OSError) as error:
            raise Quarantine(_reason(error), f"{error}"[:300]) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._workbook.close()

    @property
    def sheets(self) -> tuple[tuple[str, bool], ...]:
        """Name and whether it is hidden, of each sheet with cells."""
        return tuple(
            (sheet.name, sheet.visible != SheetVisibleEnum.Visible)
            for sheet in self._workbook.sheets_metadata
            if sheet.typ not in (SheetTypeEnum.ChartSheet, SheetTypeEnum.Vba)
        )

    def sheet(self, name: str) -> SheetValues:
        found = self._sheet(name)
        if found is None or found.start is None:
            return NO_VALUES
        return SheetValues(*found.start, found.to_python())

    def merged(self, name: str) -> tuple[Rectangle, ...]:
        found = self._sheet(name)
        ranges = found.merged_cell_ranges if found is not None else None
        return tuple(Rectangle(*first, *last) for first, last in ranges or ())

    def _sheet(self, name: str) -> CalamineSheet | None:
        try:
            return self._workbook.get_sheet_by_name(name)
        except WorksheetNotFound:
            return None
        except (CalamineError, OSError) as error:
            raise Quarantine(_reason(error), f"sheet {name}: {error}"[:300]) from None


def _reason(error: Exception) -> Reason:
    words = str(error).lower()
    if "password" in words or "encrypt" in words:
        return Reason.ENCRYPTED
    return Reason.TRUNCATED if "eof" in words or "unexpected end" in words else Reason.CORRUPT
