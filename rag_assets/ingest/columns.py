"""Columns files of documents with long tables: from the workers into the content store.

Holds: `incoming_columns`, the folder in which workers leave them.
Add here: what happens to a columns file between parsing and loading.
Never here: what stands in one (columnar/).
"""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from rag_assets.store import Store
from rag_assets.store.layout import content_name
from rag_assets.store.records import hash_of_file


class IncomingColumns:
    """Files that workers write, by source."""

    def __init__(self, store: Store, folder: Path) -> None:
        self._store, self._folder = store, folder

    def path_for(self, source: str) -> Path:
        return self._folder / sha256(source.encode()).hexdigest()

    def take(self, source: str) -> str | None:
        """Keep the file by its hash; None where the document has none."""
        path = self.path_for(source)
        if not path.exists():
            return None
        digest = hash_of_file(path)
        self._store.put_content(path, digest)
        path.unlink()
        return digest


@contextmanager
def incoming_columns(store: Store) -> Generator[IncomingColumns]:
    folder = store.place.new_folder(content_name("columns"))
    try:
        yield IncomingColumns(store, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
