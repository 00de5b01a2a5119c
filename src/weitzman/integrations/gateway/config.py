"""The file of a gateway: models, features, how answers are graded, limits.

It is read strictly: a field that is not known is refused. A key is named by the environment variable that
holds it and is read from there alone.
"""

import os
import tomllib
from collections.abc import Callable, Mapping
from importlib import import_module
from math import inf
from pathlib import Path
from typing import Annotated, Any

import msgspec

from weitzman.errors import InvalidFileError, InvalidInputError
from weitzman.integrations.pool import Features, Model, Pool
from weitzman.integrations.spending import Limits
from weitzman.serve.messages.schema import Label, Name

Amount = Annotated[float, msgspec.Meta(ge=0.0)]
Positive = Annotated[float, msgspec.Meta(gt=0.0)]


class Section(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """A part of the file."""


class ModelSection(Section, frozen=True):
    """An upstream model: where it is, the environment variable of its key, and its prices per million tokens.

    ``model`` is what the upstream calls it. ``cost`` is where its replies say what they cost, such as
    ``usage.cost``. ``pays_failures``: a call that ended without a reply may have to be paid.
    """

    name: Label
    url: str
    model: str | None = None
    key: str | None = None
    input: Amount = 0.0
    output: Amount = 0.0
    answer_tokens: Amount = 300.0
    timeout: Positive = 60.0
    cost: str | None = None
    pays_failures: bool = False

    @property
    def priced(self) -> Model:
        """The model with its prices."""
        return Model(
            name=self.name,
            input=self.input,
            output=self.output,
            answer_tokens=self.answer_tokens,
        )


class GatewaySection(Section, frozen=True):
    """The name that clients ask for, what is at stake, and what decides."""

    wrong_answer: Positive
    name: Name = "weitzman"
    give_up: Amount | None = None
    policy: str | None = None
    explore: Annotated[float, msgspec.Meta(gt=0.0, le=1.0)] | None = None
    costs: str = "estimated"
    second: Amount = 0.0
    waiting_time: Positive = 86_400.0


class EmbeddingSection(Section, frozen=True):
    """An endpoint of embeddings, as of OpenAI's interface, and how many of the numbers are features."""

    url: str
    model: str
    key: str | None = None
    numbers: Annotated[int, msgspec.Meta(ge=1, le=256)] = 16
    timeout: Positive = 2.0


class FeaturesSection(Section, frozen=True):
    """What is known of a question."""

    length: bool = True
    tasks: list[str] = []
    function: str | None = None
    names: list[Label] = []
    embedding: EmbeddingSection | None = None


class ByFunctionSection(Section, frozen=True, tag="function", tag_field="by"):
    """A Python function grades, ``module:function``."""

    function: str


class ByHttpSection(Section, frozen=True, tag="http", tag_field="by"):
    """A verifier grades that is asked by HTTP."""

    url: str
    key: str | None = None
    timeout: Positive = 30.0


class ByPatternSection(Section, frozen=True, tag="pattern", tag_field="by"):
    """A regular expression is found in a right answer."""

    pattern: str


class BySchemaSection(Section, frozen=True, tag="schema", tag_field="by"):
    """A right answer is JSON of a schema, which stands here or in a file."""

    schema: dict[str, Any] | str


class AgreementSection(Section, frozen=True, tag="agreement", tag_field="by"):
    """Models that say the same are right."""

    count: Annotated[int, msgspec.Meta(ge=2)] = 2
    pattern: str | None = None


class ByModelSection(Section, frozen=True, tag="model", tag_field="by"):
    """A model grades, with a price of its own."""

    model: ModelSection
    prompt: str | None = None
    right: str | None = None


class LaterSection(Section, frozen=True, tag="feedback", tag_field="by"):
    """Grades are reported to ``POST /v1/feedback``."""


Grade = (
    ByFunctionSection
    | ByHttpSection
    | ByPatternSection
    | BySchemaSection
    | AgreementSection
    | ByModelSection
    | LaterSection
)


class LimitsSection(Section, frozen=True):
    """The most that a request and a day may cost, and a request may take."""

    request: Positive | None = None
    day: Positive | None = None
    timeout: Positive | None = None

    @property
    def of_a_request(self) -> Limits:
        """Those of one request."""
        request, timeout = (inf if x is None else x for x in (self.request, self.timeout))
        return Limits(request=request, seconds=timeout)


class Config(Section, frozen=True):
    """A whole file."""

    gateway: GatewaySection
    models: Annotated[list[ModelSection], msgspec.Meta(min_length=1)]
    grade: Grade
    features: FeaturesSection = FeaturesSection()
    limits: LimitsSection = LimitsSection()

    def pool(self) -> Pool:
        """Return the models with their prices, and what is at stake."""
        described, about = self.features, self.gateway
        function = None if described.function is None else loaded(described.function)
        costs: str | Callable[..., Mapping[str, float]] = about.costs
        judge = self.grade.model if isinstance(self.grade, ByModelSection) else None
        return Pool(
            models=[section.priced for section in self.models],
            judge=None if judge is None else judge.priced,
            wrong_answer=about.wrong_answer,
            give_up=about.give_up,
            features=Features(
                length=described.length,
                tasks=described.tasks,
                function=function,
                names=described.names,
                embedding=0 if described.embedding is None else described.embedding.numbers,
            ),
            costs=loaded(about.costs) if ":" in about.costs else costs,
        ).check()


def read_config(place: Path) -> Config:
    """Return what a file says."""
    try:
        given = tomllib.loads(place.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidFileError(str(place), "be a file that can be read", error.strerror) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidFileError(str(place), "be TOML", str(error)) from None
    try:
        return msgspec.convert(given, Config)
    except msgspec.ValidationError as error:
        raise InvalidFileError(str(place), "be as the reference has it", str(error)) from None


def loaded(text: str) -> Callable[..., Any]:
    """Return the function that ``module:function`` names."""
    module, _, name = text.partition(":")
    try:
        found: Callable[..., Any] = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        rule = "be module:function of a module that can be imported"
        raise InvalidInputError(f"The function {text!r}", rule, str(error)) from None
    return found


def secret(variable: str | None) -> str | None:
    """Return what an environment variable holds, which must be there; None without a name."""
    if variable is None:
        return None
    found = os.environ.get(variable, "").strip()
    if not found or not found.isascii() or not found.isprintable():
        # Never what it holds
        rule = "hold a key of printable ASCII"
        raise InvalidInputError(
            f"The environment variable {variable}", rule, f"{len(found)} characters"
        )
    return found
