"""Documents with tables, and spreadsheets, answerable without invention.

`open_corpus` is the public face of a published release; everything else is the pipeline behind it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag_assets.corpus import Corpus, open_corpus

__all__ = ["Corpus", "open_corpus"]


def __getattr__(name: str) -> object:
    if name in __all__:
        from rag_assets import corpus

        return getattr(corpus, name)
    raise AttributeError(f"module 'rag_assets' has no attribute {name!r}")
