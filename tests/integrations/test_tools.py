"""The real LiteLLM, LangChain and OpenAI client over real sockets: decisions and totals as without them.

They have an environment of their own, ``make test-integrations``; elsewhere these tests are skipped.
"""

import asyncio
import json
import math
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import weitzman as wz
from tests.integrations import known
from tests.integrations.recorded import (
    CALLS,
    WRONG,
    Reference,
    Upstream,
    gateway,
    recorded_log,
    reference,
    simulated_log,
    upstream,
    write_config,
    write_table,
)
from weitzman.integrations.pool import Features, Model, Pool
from weitzman.integrations.searching import ModelSearch

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it would fetch one when it is imported
litellm = pytest.importorskip("litellm", reason="make test-integrations has LiteLLM")
pytest.importorskip("langchain")
openai = pytest.importorskip("openai")

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.filterwarnings("ignore")  # theirs
ROUNDS = 60


@pytest.fixture(
    scope="module",
    params=[
        "simulated",
        pytest.param(
            "recorded",
            marks=[
                pytest.mark.slow,
                pytest.mark.skipif(
                    not CALLS.exists(), reason="the recorded rounds are not at hand"
                ),
            ],
        ),
    ],
)
def log(request: pytest.FixtureRequest) -> Any:
    return simulated_log(ROUNDS) if request.param == "simulated" else recorded_log()


@pytest.fixture(scope="module")
def table(log: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("table") / "rounds.npz"
    write_table(log, place)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(known.TABLE, str(place))
        known.table.cache_clear()
        yield place


@pytest.fixture(scope="module")
def expected(log: Any) -> Reference:
    return reference(log)


@pytest.fixture
def models(table: Path) -> Iterator[Upstream]:
    with upstream(table) as running:
        yield running


def search_over(log: Any, price: Callable[[Any], float | None]) -> ModelSearch:
    pool = Pool(
        models=[Model(name=box) for box in log.boxes],
        wrong_answer=WRONG,
        give_up=WRONG,
        features=Features(length=False, function=known.features, names=log.features),
        costs=known.costs,
    )
    return ModelSearch(pool=pool, grader=lambda question, text: text == "right", price=price)


def messages(number: int) -> list[dict[str, str]]:
    return [{"role": "user", "content": f"Question {number}: what is right?"}]


def check(reports: list[dict[str, Any]], expected: Reference, models: Upstream) -> None:
    """The same models were asked in the same order, totals are the same bits, and nothing was asked twice."""
    for number, (said, opened, total) in enumerate(
        zip(reports, expected.opened, expected.totals, strict=True)
    ):
        assert tuple(look["model"] for look in said["asked"]) == opened, number
        assert min(WRONG, said["value"]) + said["paid"] == total
    account = models.account()
    asked = {f"{k} {box}": 1 for k, boxes in enumerate(expected.opened) for box in boxes}
    assert account["asked"] == asked
    assert account["billed"] == pytest.approx(math.fsum(said["paid"] for said in reports))


@pytest.mark.parametrize("way", ["plain", "asyncio"])
def test_the_provider_of_litellm_decides_as_a_replay_does(
    log: Any, expected: Reference, models: Upstream, way: str
) -> None:
    from weitzman.integrations.litellm import SearchProvider

    search = search_over(log, lambda reply: float(reply.usage.cost))
    calls = {
        box: {"model": f"openai/{box}", "api_base": f"{models.url}/v1", "api_key": "none"}
        for box in log.boxes
    }
    provider = SearchProvider({"answers": search}, calls)
    litellm.custom_provider_map = [{"provider": "weitzman", "custom_handler": provider}]
    reports = []
    for number in range(len(expected.totals)):
        given = {"model": "weitzman/answers", "messages": messages(number)}
        reply = (
            litellm.completion(**given)
            if way == "plain"
            else asyncio.run(litellm.acompletion(**given))
        )
        assert reply.choices[0].message.content in ("right", "wrong")
        assert reply._hidden_params["response_cost"] == reply.weitzman["paid"]
        reports.append(reply.weitzman)
    check(reports, expected, models)


@pytest.mark.parametrize("way", ["plain", "asyncio"])
def test_the_middleware_of_langchain_decides_as_a_replay_does(
    log: Any, expected: Reference, models: Upstream, way: str
) -> None:
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI

    from weitzman.integrations.langchain import SearchMiddleware

    def price(response: Any) -> float:
        return float(response.result[0].response_metadata["token_usage"]["cost"])

    chats = {
        box: ChatOpenAI(model=box, base_url=f"{models.url}/v1", api_key="none", max_retries=0)
        for box in log.boxes
    }
    middleware = SearchMiddleware(chats, search_over(log, price))
    agent = create_agent(chats[log.boxes[0]], tools=[], middleware=[middleware])
    given = [{"messages": messages(number)} for number in range(len(expected.totals))]

    async def invoke_all() -> list[Any]:
        return [await agent.ainvoke(one) for one in given]

    ended = list(map(agent.invoke, given)) if way == "plain" else asyncio.run(invoke_all())
    said = [one["messages"][-1].response_metadata["weitzman"] for one in ended]
    check(said, expected, models)


def test_the_client_of_openai_is_answered_as_a_replay_decides(
    log: Any, table: Path, expected: Reference, models: Upstream, tmp_path: Path
) -> None:
    config = write_config(log, tmp_path / "gateway.toml", models.url)
    with gateway(config, table, tmp_path / "a.db") as service:
        url = f"http://127.0.0.1:{service.port}/v1"
        client = openai.OpenAI(base_url=url, api_key="any")
        assert [model.id for model in client.models.list()] == ["weitzman"]
        reports = []
        for number in range(len(expected.totals)):
            given = {"model": "weitzman", "messages": messages(number)}
            if number % 2:
                reply = client.chat.completions.create(**given)
                assert reply.choices[0].message.content in ("right", "wrong")
                reports.append(reply.weitzman)
            else:
                chunks = list(client.chat.completions.create(**given, stream=True))
                said = "".join(c.delta.content or "" for chunk in chunks for c in chunk.choices)
                assert said in ("right", "wrong")
                reports.append(chunks[-1].weitzman)
        check(reports, expected, models)
        with pytest.raises(openai.NotFoundError, match="ask for 'weitzman'"):
            client.chat.completions.create(model="gpt", messages=messages(0))


def test_a_failing_call_of_a_tool_is_a_wrong_answer_and_is_not_repeated(
    log: Any, table: Path, expected: Reference
) -> None:
    from weitzman.integrations.litellm import SearchProvider

    with upstream(table, 1.0) as models:
        search = search_over(log, lambda reply: float(reply.usage.cost))
        calls = {
            box: {
                "model": f"openai/{box}",
                "api_base": f"{models.url}/v1",
                "api_key": "none",
                "timeout": 0.3,
            }
            for box in log.boxes
        }
        provider = SearchProvider({"answers": search}, calls)
        litellm.custom_provider_map = [{"provider": "weitzman", "custom_handler": provider}]
        for number in range(10):
            with pytest.raises(Exception, match=r".+"):
                litellm.completion("weitzman/answers", messages=messages(number), num_retries=0)
        assert set(models.account()["asked"].values()) == {1}
    assert search.searcher.rounds == 10


@pytest.mark.parametrize("stream", [False, True])
def test_a_turn_that_calls_tools_comes_through_litellm_as_it_is(stream: bool) -> None:
    from weitzman.integrations.litellm import SearchProvider

    made = [
        {
            "id": f"call-{k}",
            "type": "function",
            "function": {"name": "add", "arguments": f'{{"n":{k}}}'},
        }
        for k in range(2)
    ]
    pool = Pool(models=[Model(name="a"), Model(name="b")], wrong_answer=1.0)
    search = ModelSearch(pool=pool, grader=lambda question, text: False, policy="all")
    turn = {"model": "openai/none", "mock_response": "", "mock_tool_calls": made}
    provider = SearchProvider({"tools": search}, {"a": turn, "b": turn})
    litellm.custom_provider_map = [{"provider": "weitzman", "custom_handler": provider}]
    reply = litellm.completion("weitzman/tools", messages=messages(0), stream=stream)
    if stream:
        reply = litellm.stream_chunk_builder(list(reply))
    calls = reply.choices[0].message.tool_calls
    assert [json.loads(call.function.arguments) for call in calls] == [{"n": 0}, {"n": 1}]
    assert [call.id for call in calls] == ["call-0", "call-1"]
    assert [call.function.name for call in calls] == ["add", "add"]


def test_the_logger_writes_a_log_that_can_be_read(
    log: Any, models: Upstream, tmp_path: Path
) -> None:
    from weitzman.integrations.litellm import LogWriter

    writer = LogWriter(
        tmp_path / "calls.csv", grader=lambda question, text: text == "right", wrong_answer=WRONG
    )
    litellm.callbacks = [writer]
    try:
        for number in range(5):
            for box in log.boxes[:3]:
                asyncio.run(_logged(f"logged {number}", number, box, models.url))
        lines = _lines_of(tmp_path / "calls.csv", "logged", 15)
    finally:
        litellm.callbacks = []
    (tmp_path / "mine.csv").write_text("".join(lines), encoding="utf-8")
    read = wz.read_log(tmp_path / "mine.csv")
    assert (len(read.rounds), sorted(read.boxes)) == (5, sorted(log.boxes[:3]))
    for row, values in enumerate(read.values):
        for place, box in enumerate(read.boxes):
            assert values[place] == log.values[row, log.boxes.index(box)]


def _lines_of(place: Path, name: str, count: int) -> list[str]:
    """Return the head and the rows of these rounds, once there are so many.

    LiteLLM calls back when it finds time, also for calls of tests that came before.
    """
    for _ in range(600):
        lines = place.read_text(encoding="utf-8").splitlines(True) if place.exists() else [""]
        mine = [line for line in lines[1:] if line.startswith(name)]
        if len(mine) >= count:
            break
        time.sleep(0.1)
    return [lines[0], *mine]


async def _logged(name: str, number: int, box: str, url: str) -> None:
    await litellm.acompletion(
        model=f"openai/{box}",
        api_base=f"{url}/v1",
        api_key="none",
        messages=messages(number),
        metadata={"round": name},
        max_retries=0,
    )
    await asyncio.sleep(0.2)  # its logging runs behind


def test_a_turn_that_calls_a_tool_is_returned_without_another_look(log: Any, table: Path) -> None:
    from langchain.agents.middleware.types import ModelRequest, ModelResponse
    from langchain_core.language_models.fake_chat_models import FakeListChatModel
    from langchain_core.messages import AIMessage, HumanMessage

    from weitzman.integrations.langchain import SearchMiddleware

    chats = {box: FakeListChatModel(responses=["right"]) for box in log.boxes}
    middleware = SearchMiddleware(chats, search_over(log, lambda response: 0.5))
    called = []

    def handler(request: ModelRequest) -> ModelResponse:
        called.append(request.model)
        call = {"name": "look_up", "args": {}, "id": "1"}
        return ModelResponse(result=[AIMessage(content="", tool_calls=[call])])

    request = ModelRequest(
        model=chats[log.boxes[0]], messages=[HumanMessage("Question 0: what is right?")]
    )
    response = middleware.wrap_model_call(request, handler)
    assert len(called) == 1
    said = response.result[0].response_metadata["weitzman"]
    assert said["why"] == "the answer could not be graded: it calls a tool"
    assert (said["value"], said["paid"]) == (None, 0.5)
