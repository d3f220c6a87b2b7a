"""What is known of an answer while it is made."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.answering.state import AgentState
from engine.domain import Answer, Evaluation, Evidence, Grounding, Outcome, Plan, Turn, Usage
from engine.generation.citations import CitationFilter
from engine.generation.grounding import quoted
from engine.planning.execute import Found

#: Question, plan, results and passages.
Judged = tuple[str, Plan, tuple[Found, ...], tuple[Evidence, ...]]


@dataclass(slots=True)
class Draft:
    """An answer in the making.

    Attributes:
        started: On the engine's monotonic clock, seconds.
        created_at: Unix seconds.
        text: What was said so far, piece by piece.
        timings: Milliseconds by stage, beside those of the state.
        passes: Drafts that were made and judged.
        grounding: Of what a model wrote, once it is whole.
        answer: Once it is stored.
    """

    turn: Turn
    started: float
    created_at: float
    turn_id: str
    state: AgentState = field(default_factory=AgentState)
    citations: CitationFilter = field(default_factory=lambda: CitationFilter(()))
    text: list[str] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    usage: Usage = Usage()
    evaluation: Evaluation | None = None
    passes: int = 0
    grounding: Grounding | None = None
    answer: Answer | None = None

    def finish(self, outcome: Outcome, now: float) -> Answer:
        """The answer as it stands.

        Args:
            outcome: How it ended.
            now: On the clock that `started` is read from, seconds.
        """
        self.timings = {**self.state.get("timings", {}), **self.timings, "total": (now - self.started) * 1000}
        return Answer(
            "".join(self.text),
            self.turn.session_id,
            self.turn_id,
            self.state["route"],
            self.citations.citations,
            self.state.get("searches", 0),
            usage=self.usage,
            timings=self.timings,
            outcome=outcome,
            calls=tuple(one.call for one in self.state.get("found", ())),
            evaluation=self.evaluation,
            passes=self.passes,
            answerability=self.state.get("answerability"),
            prompt=self.state["prompt"].receipt if "prompt" in self.state else None,
            grounding=self.grounding or quoted(self.state["route"].model, self.citations.cited),
        )

    @property
    def spoken(self) -> bool:
        """Whether anything but white space was said."""
        return any(piece.strip() for piece in self.text)

    @property
    def judged(self) -> Judged:
        """What an evaluator is given beside the draft's text."""
        plan = self.state["route"].plan
        assert plan is not None  # noqa: S101  # relate has planned
        return self.turn.query, plan, self.state["found"], self.state["evidence"]
