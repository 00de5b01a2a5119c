"""The pages on tools of others run against the real tools and a local upstream."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.integrations.recorded import Upstream, gateway, upstream

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it would fetch one when it is imported
PAGES = Path(__file__).parents[2] / "docs/how-to"
pytestmark = pytest.mark.filterwarnings("ignore")  # theirs


@pytest.fixture
def models(tmp_path: Path) -> Iterator[Upstream]:
    """Two models, of which the large one is always right."""
    boxes = ["small", "large", "gpt-5-nano", "gpt-5"]
    values = np.array([[20.0, 0.0, 20.0, 0.0]] * 10)
    np.savez(tmp_path / "table.npz", boxes=boxes, costs=np.full((10, 4), 0.001), values=values)
    with upstream(tmp_path / "table.npz") as running:
        yield running


def blocks(page: str, language: str) -> list[str]:
    text = (PAGES / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize(
    ("page", "tool"), [("litellm.md", "litellm"), ("langchain.md", "langchain_openai")]
)
def test_a_page_runs(
    page: str,
    tool: str,
    models: Upstream,
    tmp_path: Path,
) -> None:
    pytest.importorskip(tool)
    url = f"{models.url}/v1"
    named = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": url, "OPENAI_API_BASE": url}
    # A process of its own: LiteLLM keeps an event loop in mind
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks(page, "python"))],
        cwd=tmp_path,
        env={**os.environ, **named},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    said, *rows = run.stdout.splitlines()
    assert said.startswith(("right [", "wrong [", "right {", "wrong {"))
    assert "small" in said
    if page == "litellm.md":
        header, *calls = [row.split(",") for row in rows if row]
        assert header[:4] == ["round", "box", "cost", "value"]
        assert [row[:2] for row in calls] == [["4", "small"], ["4", "large"]]
        assert [float(row[3]) for row in calls] == [0.02, 0.0]


def test_the_page_of_the_gateway_runs(
    models: Upstream,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("openai")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.chdir(tmp_path)
    (config,) = blocks("llm-gateway.md", "toml")
    config = config.replace("https://api.openai.com/v1", f"{models.url}/v1")
    (tmp_path / "gateway.toml").write_text(config, encoding="utf-8")
    schema = {"type": "object"}
    (tmp_path / "invoice.schema.json").write_text(json.dumps(schema), encoding="utf-8")
    data = tmp_path / "gateway.db"
    with gateway(tmp_path / "gateway.toml", tmp_path / "table.npz", data) as service:
        code, feedback = blocks("llm-gateway.md", "python")
        code = code.replace("8081", str(service.port)).replace(
            "Which total", "Question 7: which total"
        )
        names: dict[str, object] = {}
        exec(compile(code, "llm-gateway.md", "exec"), names)
        # Two words are no JSON object: both are wrong by the schema, and there is nothing to report
        assert "'error': None" in capsys.readouterr().out
    later = re.sub(r'\[grade\]\nby = "schema"\n.*\n', '[grade]\nby = "feedback"\n', config)
    assert later != config
    (tmp_path / "later.toml").write_text(later, encoding="utf-8")
    with gateway(tmp_path / "later.toml", tmp_path / "table.npz", tmp_path / "b.db") as service:
        code = re.sub(r"127.0.0.1:\d+", f"127.0.0.1:{service.port}", code)
        exec(compile(code, "llm-gateway.md", "exec"), names)
        exec(compile(feedback, "llm-gateway.md", "exec"), names)
        view = service.get("/v1/problems/weitzman").json()
        assert (view["rounds_open"], view["rounds_closed"]) == (0, 1)


@pytest.mark.parametrize(
    ("page", "package"), [("optuna", "optuna"), ("ray-tune", "ray"), ("ax", "ax")]
)
def test_a_page_on_stopping_a_study_runs(tmp_path: Path, page: str, package: str) -> None:
    pytest.importorskip(package)
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks(f"{page}.md", "python"))],
        cwd=tmp_path,
        env={
            **os.environ,
            "HOME": str(tmp_path),  # where Ray keeps results
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    said = run.stdout.splitlines()[-1]
    assert "another one is not worth its cost: the " in said
    assert (tmp_path / "worth.png").exists() == (page == "optuna")
