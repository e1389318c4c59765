"""Take the screenshots in docs/images: the graph, an asset with its scores, its checks, and the red gate.

Starts the real UI over a fresh copy of the example project in which three runs were made and one was refused, and
drives Chromium through it. Run it with: make docs-images (Chromium at /usr/bin/chromium, or CHROMIUM names it).
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"]
SHOTS = {
    "graph": "/assets/published_release?view=lineage&lineageScope=upstream&lineageDepth=6",
    "scores": "/assets/eval_run?view=overview",
    "checks": "/assets/eval_run?view=checks",
    "release": "/assets/published_release?view=overview",
    "automation": "/automation",
}


def command(project: Path, *words: str) -> int:
    done = subprocess.run([sys.executable, "-m", "rag_assets.cli.main", *words, "--quiet"], cwd=project, check=False)
    return done.returncode


def prepare(project: Path) -> None:
    """Three published runs, then one that the gate refuses."""
    command(ROOT, "demo", str(project))
    notes = project / "evals/corpus/policies/front_desk_notes.txt"
    for n in range(2):
        notes.write_text(
            f"{notes.read_text(encoding='utf-8')}\nParcels of week {n + 1} were fetched.\n", encoding="utf-8"
        )
        command(project, "ingest")
    sources = project / "sources.yaml"
    broken = "settings:\n  on_regression: hold_release\n  rules: {stacked_headings: false, sections: false}\n"
    sources.write_text(f"{sources.read_text(encoding='utf-8')}\n{broken}", encoding="utf-8")
    command(project, "ingest")


def free_port() -> int:
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def serve(project: Path, port: int) -> subprocess.Popen[bytes]:
    storage = project / ".rag-assets" / "dagster"
    environment = {
        **os.environ,
        "DAGSTER_HOME": str(project),
        "RAG_ASSETS_PROJECT": str(project),
        "RAG_ASSETS_DAGSTER_STORAGE": str(storage),
    }
    words = [sys.executable, "-m", "dagster_webserver", "-h", "127.0.0.1", "-p", str(port), "-w", "workspace.yaml"]
    process = subprocess.Popen(
        words,
        cwd=project,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    for _ in range(300):
        with closing(socket.socket()) as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                return process
        time.sleep(0.2)
    raise RuntimeError("the webserver did not start within a minute")


def stop(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)


def take(page: Page, base: str, name: str, path: str) -> None:
    page.goto(base + path)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(2500)
    if name == "scores":
        page.get_by_role("button", name="Plots").first.click()
        page.wait_for_timeout(2500)
    page.screenshot(path=IMAGES / f"{name}.png")


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp())
    project = folder / "example"
    prepare(project)
    port = free_port()
    server = serve(project, port)
    try:
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            for name, path in SHOTS.items():
                take(page, f"http://127.0.0.1:{port}", name, path)
            browser.close()
    finally:
        stop(server)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
