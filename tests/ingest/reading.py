"""Opens the published corpus again and again until told to stop; a process of its own, started by the kill tests.

Arguments: the project, a file whose appearance ends it, the words of which each release may say only one.
Prints one JSON object: how often it opened, and every error and mixture it met.
"""

import json
import sys
from pathlib import Path

from rag_assets.corpus import open_corpus
from rag_assets.errors import RagAssetsError

FAULTS_KEPT = 20


def main() -> None:
    root, stop, words = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    opened, faults = 0, []
    while not stop.exists() and len(faults) < FAULTS_KEPT:
        try:
            with open_corpus(root) as corpus:
                text = " ".join(passage.text for passage in corpus.search("refunds note region price", k=20))
            found = [word for word in words if word in text]
            if len(found) != 1:
                faults.append(f"release {corpus.release_number}: {found}")
        except (RagAssetsError, OSError) as error:
            faults.append(f"{type(error).__name__}: {error}")
        opened += 1
    print(json.dumps({"opened": opened, "faults": faults}))


if __name__ == "__main__":
    main()
