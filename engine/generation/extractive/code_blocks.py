"""Which block of code is shown with sentences, or in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.generation.extractive.sentence_selection import Candidate, Weighed
from engine.text.words import asks_yes_or_no

#: The share of the best sentence's worth that a block beside it has at least, and where a yes or a no is asked for.
#: Blocks that showed something else had .26 to .4, those that showed what was asked .45 and more.
_BESIDE, _BESIDE_A_YES = 0.42, 0.7
#: A sentence whose logit is above this answers by itself: no block stands in its place.
_ANSWERS = 0.0


def leading_block(weighed: Weighed, prose: Sequence[Candidate]) -> Candidate | None:
    """The block that is likelier what was asked for than the best sentence, where that does not answer.

    It stands below what introduces it, or its heading.
    """
    blocks = [one for one in weighed.candidates if one.code]
    if not blocks or not prose:
        return None
    score = weighed.score()
    best = max(blocks, key=score.__getitem__)
    answers = max((logit for one, logit in weighed.answering.items() if one.number == prose[0].number), default=0.0)
    if answers >= _ANSWERS or score[best] <= _worth(weighed, score, prose[0]):
        return None
    above = best.introduced or (f"{best.heading.rstrip(':')}:" if best.heading else "")
    return replace(best, text=f"{above}\n\n{best.text}".strip())


def goes_with(weighed: Weighed, block: Candidate, prose: Sequence[Candidate], question: str) -> bool:
    """Whether a block is near enough to the question to be shown as an example of the best sentence."""
    share, score = _BESIDE_A_YES if asks_yes_or_no(question) else _BESIDE, weighed.score()
    return not prose or score.get(block, 0.0) >= share * _worth(weighed, score, prose[0])


def _worth(weighed: Weighed, score: Mapping[Candidate, float], quoted: Candidate) -> float:
    """What the best sentence is worth; of a table or list that is quoted, the best part."""
    if quoted in score:
        return score[quoted]
    return max((score[one] for one in weighed.candidates if one.number == quoted.number and not one.code), default=0.0)
