"""The golden questions about accounts, and how an answer is held against one: every number in it has to be allowed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.bootstrap import MODEL_DIR
from engine.generation.extractive.account_figures import phrases
from engine.retrieval.embedding.cache import MemoEmbedder
from engine.retrieval.embedding.onnx import OnnxEmbedder

GOLDEN = Path(__file__).parents[1] / "examples" / "golden"
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_DATE = re.compile(r"\d{1,2} de \w+ de \d{4}|[A-Z]\w+ \d{1,2}, \d{4}|[^\W\d]{3,} \d{4}")


@cache
def encoder() -> MemoEmbedder:
    """The bundled encoder, which the heads of the account questions are fitted to; loaded once a process."""
    return MemoEmbedder(OnnxEmbedder(MODEL_DIR, threads=1), 8192, batches=True)


@dataclass(frozen=True)
class AccountCase:
    """A question with its context; `missing` is None where the context has the answer."""

    id: str
    language: str
    query: str
    context: str
    says: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    missing: str | None = None

    def holds(self, answer: str) -> bool:
        """Whether the answer says what it has to, and no figure that was not asked for."""
        if self.missing is not None:
            return doubts(answer) and self.missing.lower() in answer.lower()
        allowed = {number for text in (*self.says, *self.may) for number in _NUMBER.findall(text)}
        said = _NUMBER.findall(_DATE.sub("", answer))
        extra = [n for n in said if n not in allowed and n.rstrip("0").rstrip(".,") not in allowed]
        return not doubts(answer) and all(text in answer for text in self.says) and not extra


def doubts(answer: str) -> bool:
    """Whether an answer says that it has no figure, or does not know which one is meant."""
    kinds = (phrases.MISSING, phrases.EMPTY, phrases.NOT_WHEN, phrases.NOT_KNOWN, phrases.UNSURE, phrases.LIKELY)
    return any(answer.startswith(said.partition("{")[0]) for kind in kinds for said in kind.values())


def account_cases(name: str = "account.jsonl") -> list[AccountCase]:
    """The cases of a golden file: lines with a context's text, and lines with questions on it."""
    rows = [json.loads(line) for line in (GOLDEN / name).read_text("utf-8").splitlines()]
    contexts = {row["context"]: row["text"] for row in rows if "text" in row}
    return [
        AccountCase(
            row["id"],
            row["language"],
            row["query"],
            contexts[row["context"]],
            tuple(row.get("says", ())),
            tuple(row.get("may", ())),
            row.get("missing"),
        )
        for row in rows
        if "query" in row
    ]
