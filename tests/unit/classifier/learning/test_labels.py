"""Which labels may train layer 2, and how many of one principal's."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter

import pytest

from classifier.decision import QueryType
from classifier.learning.labels import (
    Label,
    Provenance,
    allowance,
    cleaned,
    latest,
    pseudonym,
    select,
    text_key,
    to_rows,
)


def label(
    text: str = "how many calls have I got left",
    type_: QueryType = QueryType.PLATFORM,
    source: Provenance = Provenance.CORRECTED,
    principal: str = "ana",
    session: str = "s",
    day: str = "2026-11-21",
) -> Label:
    return Label(text, type_, source, principal, session, day=day, language="en")


def test_the_order_of_belief() -> None:
    ranks = [
        Provenance.DECLARED, Provenance.CORRECTED, Provenance.ASKED_AGAIN, Provenance.LAYER_3, Provenance.LAYER_1,
        Provenance.LAYER_2,
    ]  # fmt: skip
    assert sorted(Provenance, reverse=True) == ranks
    assert [source for source in Provenance if not source.trains] == [Provenance.LAYER_2]


def test_layer_twos_own_labels_never_train_it() -> None:
    found = select([label(source=Provenance.LAYER_2), label("another message here")], {})
    assert [entry.text for entry in found.labels] == ["another message here"]
    assert found.untrainable == 1


def test_what_a_layer_said_of_a_disliked_answer_trains_nothing_and_what_a_person_said_does() -> None:
    disliked = [
        dataclasses.replace(label(f"message of {source.name}", source=source, principal=source.name), rating="DOWN")
        for source in Provenance
    ]
    found = select(disliked, {})
    assert {entry.provenance for entry in found.labels} == {
        Provenance.ASKED_AGAIN,
        Provenance.CORRECTED,
        Provenance.DECLARED,
    }
    assert found.untrainable == 3
    liked = [dataclasses.replace(label(source=Provenance.LAYER_3), rating="UP")]
    assert len(select(liked, {}).labels) == 1


@pytest.mark.parametrize("text", ["explain this", "fix it"])
def test_what_says_nothing_alone_trains_nothing(text: str) -> None:
    found = select([label(text)], {})
    assert (found.labels, found.leaning) == ((), 1)


def test_of_one_text_the_most_believed_label_stays() -> None:
    same = [
        label("How many CALLS have I got left?", source=Provenance.LAYER_3, type_=QueryType.RETRIEVAL, principal="eve"),
        label("how many calls have i got left", source=Provenance.DECLARED),
        label(source=Provenance.CORRECTED, type_=QueryType.CONVERSATIONAL, principal="bob"),
    ]
    found = select(same, {})
    assert [(entry.type, entry.provenance) for entry in found.labels] == [(QueryType.PLATFORM, Provenance.DECLARED)]
    assert found.duplicates == 2


def test_labels_that_are_as_good_and_disagree_are_all_dropped() -> None:
    pair = [label(), label(type_=QueryType.RETRIEVAL, principal="bob"), label(source=Provenance.LAYER_1)]
    found = select(pair, {})
    assert (found.labels, found.conflicts, found.duplicates) == ((), 3, 0)


def test_no_principal_has_more_than_its_share_of_a_type() -> None:
    mine = [label(f"mine {word}") for word in words(50)]
    others = [label(f"theirs {word}", principal=f"p{place}") for place, word in enumerate(words(50))]
    found = select([*mine, *others], {"PLATFORM": 247})
    of_each = Counter(entry.principal for entry in found.labels)
    assert of_each["ana"] == 3  # 1 % of 247 and 50 and 3
    assert sum(of_each.values()) == 53
    assert found.capped == 47


def test_a_small_set_is_not_emptied() -> None:
    found = select([label(f"mine {word}") for word in words(5)], {})
    assert len(found.labels) == 1


def test_a_share_is_counted_by_type() -> None:
    given = [label(f"{type_} {word}", type_) for type_ in QueryType for word in words(4)]
    kept = Counter(entry.type for entry in select(given, {"RETRIEVAL": 300}).labels)
    assert kept == {kind: 3 if kind is QueryType.RETRIEVAL else 1 for kind in QueryType}


def test_of_a_principals_labels_the_most_believed_and_then_the_newest_stay() -> None:
    given = [
        label("guess of a model", source=Provenance.LAYER_3, day="2026-11-21"),
        label("said long ago", source=Provenance.CORRECTED, day="2026-01-01"),
        label("said today", source=Provenance.CORRECTED, day="2026-11-21"),
    ]
    assert [entry.text for entry in select(given, {}).labels] == ["said today"]


@pytest.mark.parametrize(
    ("counts", "base", "expected"),
    [
        ([], 0, 1),
        ([5], 0, 1),
        ([1_000_000], 1000, 10),  # flooding does not raise one's own share
        ([10] * 200, 0, 10),
        ([3, 3, 3], 297, 3),
        ([2], 198, 2),
        ([2], 197, 1),
        ([7], 10_000, 7),
    ],
)
def test_the_allowance(counts: list[int], base: int, expected: int) -> None:
    assert allowance(counts, base) == expected


def test_the_allowance_is_the_largest_that_keeps_the_share() -> None:
    chance = random.Random(0)
    for _ in range(200):
        counts = [chance.randint(1, 40) for _ in range(chance.randint(1, 300))]
        base = chance.randint(0, 3000)

        def kept(limit: int, counts: list[int] = counts, base: int = base) -> bool:
            return limit <= 0.01 * (base + sum(min(count, limit) for count in counts))

        assert allowance(counts, base) == max([1, *(limit for limit in range(1, max(counts) + 1) if kept(limit))])


def test_the_order_given_changes_nothing() -> None:
    given = [label(f"a {word}", principal=f"p{place % 7}") for place, word in enumerate(words(40))]
    shuffled = random.Random(1).sample(given, len(given))
    assert select(given, {"PLATFORM": 120}) == select(shuffled, {"PLATFORM": 120})


def test_the_last_word_of_a_session_on_a_text_counts() -> None:
    first, second = label(), label("How many calls have I got left?", QueryType.RETRIEVAL)
    assert latest([first, label(session="t"), second]) == [second, label(session="t")]


def test_a_long_text_is_scrubbed_and_cut_to_what_is_read_of_it() -> None:
    long = label("my name is Ana. " + "x" * 5000 + " the end 123456")
    text = cleaned(long).text
    assert text.startswith("my name is [name].")
    assert text.endswith("the end 000000")
    assert len(text) <= 1001


def test_a_pseudonym_is_stable_under_a_key_and_another_under_another() -> None:
    assert pseudonym("ana", b"k") == pseudonym("ana", b"k")
    assert len({pseudonym(value, key) for value in ("ana", "\ud800") for key in (b"k", b"l")}) == 4


def test_rows_of_one_session_and_type_are_a_family() -> None:
    rows = to_rows([label("one text"), label("two texts"), label("three texts", session="t")])
    assert [row.family == rows[0].family for row in rows] == [True, True, False]
    assert {row.label for row in rows} == {"PLATFORM"}
    assert to_rows([Label("x y", QueryType.RETRIEVAL, Provenance.LAYER_3, "p", "s")])[0].language == "en"


@pytest.mark.parametrize(("left", "right"), [("¿Qué es  addVar?", "que es addvar"), ("in 1999", "IN 2024!")])
def test_texts_that_say_the_same_have_one_key(left: str, right: str) -> None:
    assert text_key(left) == text_key(right)


def test_a_text_without_words_is_its_own_key() -> None:
    assert text_key(" ?? ") == "??"


def words(count: int) -> list[str]:
    """So many different words without digits, which a key does not tell apart."""
    return ["".join("abcdefghij"[int(digit)] for digit in str(number)) for number in range(100, 100 + count)]
