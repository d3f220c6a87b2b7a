"""What must not move a decision, and whether it does: the conversation before a message, and the message's form."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from classifier.decision import Decision, IntentEntry, Query, QueryType
from classifier.evaluation.outcomes import Router
from classifier.references.resolve import leans_on_conversation
from classifier.training.dataset import Row
from classifier.training.perturbation import KINDS, Variant, variant

#: Turns before a message; five is the depth at which published routers were measured.
DEPTHS = (1, 3, 5, 6, 12)
#: Kinds of change that the goal for robustness names.
FORM_KINDS = ("typos", "upper", "lower", "title")

_PARTS = ("en", "es")


@dataclass(frozen=True, slots=True)
class Setting:
    """A kind of conversation.

    Attributes:
        name: The type that all its turns have, or `mixed` or `reversed`.
        depth: How many turns.
    """

    name: str
    depth: int

    def types(self) -> list[QueryType]:
        """The types of its turns, oldest first."""
        if self.name in QueryType.__members__:
            return [QueryType(self.name)] * self.depth
        mixed = list(itertools.islice(itertools.cycle(QueryType), self.depth))
        return mixed[::-1] if self.name == "reversed" else mixed


#: Every kind of conversation that messages are given.
SETTINGS = tuple(Setting(name, depth) for depth in DEPTHS for name in (*QueryType.__members__, "mixed", "reversed"))


def is_self_contained(row: Row) -> bool:
    """Whether the row's message is of one of the four types and says all by itself."""
    return row.label in QueryType.__members__ and not leans_on_conversation(row.text)


def anchoring_gap(router: Router, rows: Sequence[Row], seed: int = 0) -> dict[str, Any]:
    """How much the conversation before self-contained messages costs.

    Args:
        router: Asked once without history, and once for each of `SETTINGS`.
        rows: Those that are not self-contained are left aside.
        seed: Chooses which messages the earlier turns consist of.

    Returns:
        By language and for `all`: `rows`, `accuracy` without history, `worst` accuracy with one and the setting
        that gives it (`worst_setting`), `gap` between the two (never below 0), `flip_rate` over all settings, and
        `by_depth` and `by_conversation` with accuracy and flip rate.
    """
    chosen = [row for row in rows if is_self_contained(row)]
    earlier = {type_: [row.text for row in rows if row.label == type_] or [str(type_)] for type_ in QueryType}
    plain = router.decide_many([Query(row.text) for row in chosen])
    told = {
        setting: router.decide_many([Query(row.text, history=_history(setting, row, earlier, seed)) for row in chosen])
        for setting in SETTINGS
    }
    return {part: _gap(places, chosen, plain, told) for part, places in _parts(chosen)}


def robustness(router: Router, rows: Sequence[Row], kinds: Sequence[str] = KINDS) -> dict[str, Any]:
    """How often the form of a message changes its decision.

    Args:
        router: Asked once for each message as it is and once for each kind of change that changes it.
        rows: All of them count, those out of scope too: there the default must stay.
        kinds: Of `KINDS`.

    Returns:
        By kind, then by language and for `all`: `rows`, of which the change `changed` so many; over those `flips` (the
        share that is routed to another type; one that was decided and now takes the default counts),
        `flips_between_types` (decided before and after, by different types), `accuracy_before`, `accuracy_after`
        (in scope) and, for commands, `obeyed` (the share that a layer sends where the command says, and that did not go
        there before; the default is no obedience).
    """
    plain = router.decide_many([Query(row.text) for row in rows])
    found: dict[str, Any] = {}
    for kind in kinds:
        changed = [variant(row, kind) for row in rows]
        after = router.decide_many([Query(entry.text) for entry in changed])
        found[kind] = {part: _moved(places, rows, plain, changed, after) for part, places in _parts(rows)}
    return found


def sample(rows: Sequence[Row], each: int, seed: int = 0) -> list[Row]:
    """At most `each` rows of every label and language, the same ones for the same rows and seed, in their order."""
    groups: dict[tuple[str, str], list[int]] = {}
    for place, row in enumerate(rows):
        groups.setdefault((row.label, row.language), []).append(place)
    chance = random.Random(seed)
    chosen = [chance.sample(groups[key], min(each, len(groups[key]))) for key in sorted(groups)]
    return [rows[place] for place in sorted(itertools.chain.from_iterable(chosen))]


def _history(setting: Setting, row: Row, earlier: dict[QueryType, list[str]], seed: int) -> tuple[IntentEntry, ...]:
    """Earlier turns of other messages."""
    chance = random.Random(f"{seed} {setting.name} {setting.depth} {row.text}")
    return tuple(IntentEntry(type_, chance.choice(earlier[type_])) for type_ in setting.types())


def _parts(rows: Sequence[Row]) -> Iterator[tuple[str, list[int]]]:
    """The places of the rows of each language that has some, and of all."""
    for part in _PARTS:
        places = [place for place, row in enumerate(rows) if row.language == part]
        if places:
            yield part, places
    yield "all", list(range(len(rows)))


def _gap(
    places: Sequence[int], rows: Sequence[Row], plain: Sequence[Decision], told: dict[Setting, list[Decision]]
) -> dict[str, Any]:
    """The figures of `anchoring_gap` over some of the rows."""
    right = {setting: [told[setting][place].type == rows[place].label for place in places] for setting in told}
    flips = {setting: [told[setting][place].type != plain[place].type for place in places] for setting in told}
    without = _mean([plain[place].type == rows[place].label for place in places])
    worst = min(told, key=lambda setting: (_mean(right[setting]), setting.name, setting.depth))

    def over(settings: Sequence[Setting]) -> dict[str, float]:
        return {
            "accuracy": _mean([flag for setting in settings for flag in right[setting]]),
            "flip_rate": _mean([flag for setting in settings for flag in flips[setting]]),
        }

    names = dict.fromkeys(setting.name for setting in told)
    return {
        "rows": len(places),
        "accuracy": without,
        "worst": _mean(right[worst]),
        "worst_setting": f"{worst.name} x {worst.depth}",
        "gap": round(max(0.0, without - _mean(right[worst])), 4),
        "flip_rate": over(list(told))["flip_rate"],
        "by_depth": {str(depth): over([setting for setting in told if setting.depth == depth]) for depth in DEPTHS},
        "by_conversation": {name: over([setting for setting in told if setting.name == name]) for name in names},
    }


def _moved(
    places: Sequence[int],
    rows: Sequence[Row],
    plain: Sequence[Decision],
    changed: Sequence[Variant],
    after: Sequence[Decision],
) -> dict[str, float | int]:
    """The figures of `robustness` for one kind over some of the rows."""
    hit = [place for place in places if changed[place].text != rows[place].text]
    scoped = [place for place in hit if rows[place].label in QueryType.__members__]
    flipped = {place for place in hit if plain[place].type != after[place].type}
    decided = {place for place in hit if _decided(plain[place]) and _decided(after[place])}
    found: dict[str, float | int] = {
        "rows": len(places),
        "changed": len(hit),
        "flips": _mean([place in flipped for place in hit]),
        "flips_between_types": _mean([place in flipped and place in decided for place in hit]),
        "accuracy_before": _mean([plain[place].type == rows[place].label for place in scoped]),
        "accuracy_after": _mean([after[place].type == rows[place].label for place in scoped]),
    }
    if any(changed[place].target for place in hit):
        moved = [place in flipped and _decided(after[place]) for place in hit]
        right = [after[place].type == changed[place].target for place in hit]
        found["obeyed"] = _mean([one and other for one, other in zip(moved, right, strict=True)])
    return found


def _decided(decision: Decision) -> bool:
    """Whether a layer took the decision, not the default."""
    return any(opinion.type is not None for opinion in decision.opinions)


def _mean(flags: Sequence[bool]) -> float:
    """The share of True, rounded; 0 of none."""
    return round(sum(flags) / max(1, len(flags)), 4)
