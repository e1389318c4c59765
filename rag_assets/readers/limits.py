"""What one document may cost.

Holds: `ReadLimits`.
Add here: another bound that a reader or a worker keeps.
Never here: how it is enforced (workers.py, the readers).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag_assets.settings import Limits  # pydantic: 0.25 s that no worker needs

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLimits:
    """Bounds for each document by itself; a batch of many good files never meets them together."""

    cpu_s: int = 30
    wall_s: float = 120
    memory_mb: int = 2048
    output_mb: int = 256
    cells: int = 20_000_000
    pages: int = 5000
    file_mb: int = 512
    long_rows: int = 5_000

    @staticmethod
    def of(limits: "Limits") -> "ReadLimits":
        return ReadLimits(
            cpu_s=limits.cpu_s,
            wall_s=limits.wall_s,
            memory_mb=limits.memory_mb,
            output_mb=limits.output_mb,
            cells=limits.cells,
            pages=limits.pages,
            file_mb=limits.file_mb,
            long_rows=limits.long_rows,
        )

    @property
    def memory_bytes(self) -> int:
        return self.memory_mb * MEGABYTE

    @property
    def output_bytes(self) -> int:
        return self.output_mb * MEGABYTE

    @property
    def file_bytes(self) -> int:
        return self.file_mb * MEGABYTE
