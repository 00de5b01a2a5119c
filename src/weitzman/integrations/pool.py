"""What is known before a model is asked: the models with their prices, and what a question is like.

A pool is the boxes of a round of asking. Money has one unit of the user's choice: the prices of tokens, what
a wrong answer costs and all limits are in it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import nan
from typing import Any, Final

from weitzman.errors import InvalidInputError
from weitzman.learn.policy import Policy
from weitzman.learn.searcher import Searcher
from weitzman.search.numbers import finite_number

MILLION: Final = 1_000_000.0
_CHARACTERS: Final = 4.0
"""How many characters a token has, more or less."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked: messages as of OpenAI's interface, a tag of their task, and their whole request.

    ``embedding`` are numbers that say what the text is about, if they are known.
    """

    messages: Sequence[Mapping[str, Any]]
    task: str | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    embedding: Sequence[float] = ()

    @classmethod
    def of(cls, text: str) -> "Question":
        """Return a question of one message."""
        return cls(messages=[{"role": "user", "content": text}])

    @cached_property
    def text(self) -> str:
        """The texts of all messages, one after the other."""
        return "\n".join(part for message in self.messages for part in _texts(message))

    @property
    def tokens(self) -> float:
        """About how many tokens it has."""
        return len(self.text) / _CHARACTERS


def _texts(message: Mapping[str, Any]) -> list[str]:
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, Sequence) else ()
    return [p["text"] for p in parts if isinstance(p, Mapping) and isinstance(p.get("text"), str)]


@dataclass(frozen=True, kw_only=True)
class Model:
    """A model that may be asked, and what a million tokens of it cost.

    ``answer_tokens`` is how long an answer is expected to be.
    """

    name: str
    input: float = 0.0
    output: float = 0.0
    answer_tokens: float = 300.0

    def price(self, prompt_tokens: float, answer_tokens: float) -> float:
        """Return what a call costs."""
        return (prompt_tokens * self.input + answer_tokens * self.output) / MILLION

    def expected_price(self, question: Question) -> float:
        """Return what a call is expected to cost."""
        return self.price(question.tokens, self.answer_tokens)


@dataclass(frozen=True, kw_only=True)
class Features:
    """What is known of a question before any model is asked, as numbers with names.

    ``length`` is its number of characters; each of ``tasks`` is 1 where that is its tag, 0 elsewhere;
    ``function`` returns more by name, those of ``names``; the first ``embedding`` numbers of the embedding
    come last, and are missing where there is none.
    """

    length: bool = True
    tasks: Sequence[str] = ()
    function: Callable[[Question], Mapping[str, float]] | None = None
    names: Sequence[str] = ()
    embedding: int = 0

    @property
    def columns(self) -> list[str]:
        """The names of the numbers."""
        length = ["length"] if self.length else []
        embedding = [f"embedding {k}" for k in range(self.embedding)]
        return [*length, *(f"task={task}" for task in self.tasks), *self.names, *embedding]

    def row(self, question: Question) -> list[float]:
        """Return the numbers of a question."""
        found = [float(len(question.text))] if self.length else []
        found += [float(task == question.task) for task in self.tasks]
        if self.function is not None:
            more = self.function(question)
            for name in self.names:
                if name not in more:
                    raise InvalidInputError("The features of a question", f"have {name!r}", more)
                found.append(finite_number(more[name], f"The feature {name!r}"))
        known = list(question.embedding[: self.embedding])
        return found + known + [nan] * (self.embedding - len(known))


@dataclass(frozen=True, kw_only=True)
class Pool:
    """The models that may be asked, and what is at stake.

    Attributes
    ----------
    models
        The models, in any order: the policy finds its own.
    wrong_answer
        What a wrong answer costs, in the unit of the prices.
    give_up
        What no answer costs; None: at least one model is asked.
    features
        What the choice may depend on.
    costs
        ``"estimated"``: a call is expected to cost its price at the length of the question and
        ``answer_tokens``. ``"learned"``: what calls really cost so far. Or a function that returns the
        expected costs of a question by name of model.
    judge
        A model that grades: what it is expected to cost is part of every look.
    """

    models: Sequence[Model]
    wrong_answer: float
    give_up: float | None = None
    features: Features = Features()
    costs: str | Callable[[Question], Mapping[str, float]] = "estimated"
    judge: Model | None = None

    @property
    def names(self) -> list[str]:
        """The names of the models."""
        return [model.name for model in self.models]

    def check(self) -> "Pool":
        """Return the pool, or refuse what breaks a rule in it."""
        if not self.models or len(set(self.names)) < len(self.names):
            raise InvalidInputError(
                "The models", "be at least one, with distinct names", self.names
            )
        if not self.features.columns:
            raise InvalidInputError("The features of a question", "be at least one", self.features)
        if len(self.features.columns) == self.features.embedding:
            rule = "be at least one beside the embedding, which may be missing"
            raise InvalidInputError("The features of a question", rule, self.features)
        if not finite_number(self.wrong_answer, "The price of a wrong answer") > 0.0:
            raise InvalidInputError("The price of a wrong answer", "be above 0", self.wrong_answer)
        if not callable(self.costs) and self.costs not in ("estimated", "learned"):
            rule = "be 'estimated', 'learned' or a function"
            raise InvalidInputError("The expected costs", rule, self.costs)
        return self

    def rows(self, question: Question) -> list[list[float]]:
        """Return the contexts of a round: what is known of the question, for every model."""
        return [self.features.row(question)] * len(self.models)

    def expected_costs(self, question: Question) -> list[float] | None:
        """Return what calls are expected to cost; None if that is learned."""
        if self.costs == "learned":
            return None
        if callable(self.costs):
            found = self.costs(question)
            return [
                found[m.name] + self._price_of_a_grade(question, m.answer_tokens)
                for m in self.models
            ]
        return [
            m.expected_price(question) + self._price_of_a_grade(question, m.answer_tokens)
            for m in self.models
        ]

    def _price_of_a_grade(self, question: Question, answer_tokens: float) -> float:
        """Return what the judge is expected to cost, who reads the question and an answer."""
        judge = self.judge
        if judge is None:
            return 0.0
        return judge.price(question.tokens + answer_tokens, judge.answer_tokens)

    def searcher(
        self, policy: Policy | str = "default", *, explore: float | None = None, rng: int = 0
    ) -> Searcher:
        """Return a searcher over the models that has learned nothing."""
        self.check()
        return Searcher(
            boxes=self.names,
            features=self.features.columns,
            policy=policy,
            feedback="opened",
            least=0.0,
            explore=explore,
            rng=rng,
        )
