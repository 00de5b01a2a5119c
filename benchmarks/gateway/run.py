"""What a gateway adds to the time of an upstream, beside LiteLLM's proxy: `make bench-gateway`.

One upstream that answers at once, in a process of its own; 32 keep-alive connections, each of which asks
again when it is answered; passes over all servers in turn. Every question is asked of one model, whose answer
is right. *upstream* is asked without anything between. A *gateway* opens a round, asks, grades by a pattern,
learns, and has all of it in its journal before the client has the answer. *LiteLLM* passes the question
through. CPU is that of the server's process: with a core to itself it answers 1 / CPU questions a second.
"""

import argparse
import contextlib
import json
import os
import platform
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from serve.client import Load
from serve.measure import Measured, ask
from serve.server import Server

_LITELLM = Path(__file__).parents[2] / ".venv-integrations" / "bin" / "litellm"
_GATEWAY = (sys.executable, "-c", "from weitzman.cli.main import run; run()", "gateway")
_PATH = "/v1/chat/completions"


def config(folder: Path, url: str, policy: str, models: int) -> Path:
    """Write the file of a gateway over several models, all at one upstream."""
    place = folder / f"{policy}-{models}.toml"
    texts = [
        "[gateway]",
        "wrong_answer = 0.02",
        f'policy = "{policy}"',
        "[grade]",
        'by = "pattern"',
        'pattern = "^right"',
    ]
    for number in range(models):
        texts += ["[[models]]", f'name = "m{number}"', f'url = "{url}/v1"']
        texts += [f"input = {0.05 * (number + 1)}", f"output = {0.4 * (number + 1)}"]
    place.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return place


def litellm(folder: Path, url: str) -> list[str]:
    """Write the file of LiteLLM's proxy, and return its command."""
    place = folder / "litellm.yaml"
    model = {"model": "openai/small", "api_base": f"{url}/v1", "api_key": "none"}
    listed = {"model_list": [{"model_name": "small", "litellm_params": model}]}
    place.write_text(json.dumps(listed), encoding="utf-8")  # JSON is YAML
    return [str(_LITELLM), "--config", str(place), "--host", "127.0.0.1"]


def run(asked: argparse.Namespace) -> dict[str, Any]:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder, servers = Path(name), {}

        def start(label: str, command: list[str], ready: str) -> Server:
            # No key to check, on the loopback alone: that much less work for LiteLLM
            offline = {
                "LITELLM_LOCAL_MODEL_COST_MAP": "True",
                "LITELLM_LOG": "ERROR",
                "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",
            }
            server = Server(
                data=None, command=command, ready=ready, environment={**os.environ, **offline}
            )
            stack.callback(server.close)
            servers[label] = server
            return server

        upstream = start("upstream", [sys.executable, "-m", "gateway.upstream"], "/")
        url = f"http://127.0.0.1:{upstream.port}"
        for policy, models in (("FTRL", 2), ("default", 2), ("default", 15)):
            place = config(folder, url, policy, models)
            command = [*_GATEWAY, str(place), "--data", str(folder / f"{place.stem}.db")]
            start(f"gateway {policy}, {models} models", command, "/readyz")
        if _LITELLM.exists():
            start("LiteLLM's proxy", litellm(folder, url), "/health/liveliness")
        if asked.only:
            servers = {label: s for label, s in servers.items() if asked.only in label}
        found = {label: Measured() for label in servers}
        for number in range(asked.passes + 1):
            for label, server in servers.items():
                body = {
                    "model": "small" if "LiteLLM" in label else "weitzman",
                    "messages": [{"role": "user", "content": "What is six times seven?"}],
                }
                load = Load(
                    port=server.port,
                    operation="rounds",
                    first=0,
                    seconds=asked.seconds,
                    connections=asked.connections,
                    path=_PATH,
                    body=json.dumps(body),
                )
                came, cpu = ask(server, load)
                if number:  # the first pass is not counted
                    found[label].add(came, cpu)
        return {
            "python": platform.python_version(),
            "load": os.getloadavg()[0],
            "servers": {label: measured.figures() for label, measured in found.items()},
        }


def main() -> None:
    """Read the options, measure, and print."""
    parser = argparse.ArgumentParser(prog="bench-gateway", description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="of one pass")
    parser.add_argument("--passes", type=int, default=6)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--only", default="", help="servers whose name holds this")
    asked = parser.parse_args()
    found = run(asked)
    print(f"Python {found['python']}, load {found['load']:.1f}, {asked.connections} connections")
    print("| | questions/s | CPU per question, ms | on one core/s | p50, ms | p99, ms |")
    print("|---|---|---|---|---|---|")
    for label, each in found["servers"].items():
        cpu = each["server_cpu_us"]
        print(
            f"| {label} | {each['rate']:.0f} | {cpu / 1e3:.3f} | {1e6 / np.maximum(cpu, 1.0):.0f}"
            f" | {each['p50_ms']:.1f} | {each['p99_ms']:.1f} |"
        )


if __name__ == "__main__":
    main()
