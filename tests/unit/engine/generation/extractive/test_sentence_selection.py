"""What makes a sentence worth quoting, with an embedder whose cosines are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from classifier.embedder import Embedder, likeness
from engine.domain import Evidence, Passage
from engine.generation.extractive import sentence_selection, word_overlap
from engine.generation.extractive.candidates import Candidate, candidates, unsaid_subject
from engine.generation.extractive.sentence_selection import FLOOR, Weighed
from engine.generation.extractive.weighing import weigh
from engine.text.language import Language

QUESTION = "how do bees find flowers"


class GivenCosines(Embedder):
    """Vectors on a circle: the question at angle 0, texts at angles whose cosines are given."""

    id, dimensions, unrelated = "given", 2, 0.0

    def __init__(self, cosines: Mapping[str, float], unrelated: float) -> None:
        self._cosines = dict(cosines)
        self.unrelated = unrelated

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = [self._cosines[text] for text in texts]
        return np.asarray([[abs(c), np.copysign(np.sqrt(1 - c**2), c)] for c in found], np.float32)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.asarray([[1.0, 0.0] for _ in texts], np.float32)


def weighed(cosines: Mapping[str, float], unrelated: float) -> Weighed:
    passages = [Evidence(number, Passage(f"p{number}", "d", "", "", text)) for number, text in enumerate(cosines, 1)]
    return weigh(QUESTION, candidates(passages), GivenCosines(cosines, unrelated))


@pytest.mark.parametrize(
    ("cosine", "floor", "share"),
    [(1.0, 0.75, 1.0), (0.75, 0.75, 0.0), (0.6, 0.75, 0.0), (0.875, 0.75, 0.5), (0.4, 0, 0.4)],
)
def test_likeness_begins_at_the_floor(cosine: float, floor: float, share: float) -> None:
    assert likeness(np.asarray([cosine], np.float32), floor)[0] == pytest.approx(share)


def test_a_sentence_that_is_as_far_as_any_is_not_quoted() -> None:
    cosines = {"Zinc melts at 419 degrees.": 0.76, "Insects see ultraviolet marks on petals.": 0.92}
    chosen = weighed(cosines, 0.75).sentences(4)
    assert [candidate.text for candidate in chosen] == ["Insects see ultraviolet marks on petals."]
    scores = weighed(cosines, 0.0).scores  # without a floor both would pass
    assert (scores > FLOOR).all()


def test_the_same_likeness_above_another_floor_is_worth_the_same() -> None:
    high = weighed({"Insects see ultraviolet marks.": 0.9}, 0.8)
    low = weighed({"Insects see ultraviolet marks.": 0.5}, 0.0)
    assert high.scores == pytest.approx(low.scores, abs=1e-5)


def test_what_repeats_a_chosen_sentence_comes_after_what_does_not() -> None:
    cosines = {"Bees dance.": 0.95, "Bees are dancing.": 0.949, "A scent guides them too.": -0.93}
    chosen = weighed(cosines, 0.75).sentences(2)
    assert [candidate.text for candidate in chosen] == ["Bees dance.", "A scent guides them too."]


def test_the_likeness_to_a_chosen_sentence_is_taken_of_all_the_others_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    many = weighed({f"Bees dance {number} times a day.": 0.9 + number / 1000 for number in range(6)}, 0.75)
    chosen, taken = many.likest(4), list[int]()

    def counted(cosines: NDArray[np.float32], floor: float) -> NDArray[np.float32]:
        taken.append(len(cosines))
        return likeness(cosines, floor)

    monkeypatch.setattr(sentence_selection, "likeness", counted)
    assert many.likest(4) == chosen
    assert taken == [6] * 4


def test_what_was_read_for_whether_it_answers_is_not_chosen_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    many = weighed({f"Bees dance {number} times a day.": 0.9 + number / 1000 for number in range(6)}, 0.75)
    read = replace(many, answering=dict.fromkeys(many.likest(6), 1.0))
    quoted = read.sentences(4)
    monkeypatch.setattr(sentence_selection, "likeness", lambda *_: pytest.fail("it was chosen anew"))
    assert read.sentences(4) == quoted
    assert len(quoted) == 4
    assert read.score is read.score


@pytest.mark.parametrize(("second", "places"), [("B", [0, 1]), ("A", [0, 2]), ("", [0, 2])])
def test_what_is_told_of_another_thing_that_was_asked_about_repeats_nothing(second: str, places: list[int]) -> None:
    among = tuple(Candidate("Told.", code=False, number=1, place=place, rank=0) for place in range(3))
    vectors, scores = np.eye(2, dtype=np.float32)[[0, 0, 1]], np.asarray([0.5, 0.48, 0.35], np.float32)
    chosen = Weighed(among, vectors, scores, named=("A", second, "")).likest(2)
    assert [one.place for one in chosen] == places


def test_the_words_of_a_sentence_are_read_once_in_all_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    words_of = word_overlap.words_of

    def counted(text: str) -> dict[str, str]:
        read.append(text)
        return words_of(text)

    monkeypatch.setattr(word_overlap, "words_of", counted)
    sentence = "Nobody has asked for this sentence on zinc before."
    for _ in range(2):
        weighed({sentence: 0.9}, 0.75)
    assert read.count(sentence) == 1


@pytest.mark.parametrize(
    ("title", "cosine", "logit", "told"),
    [
        ("Boiler", 0.8, -3.0, False),  # of another document and subject, and no answer
        ("Boiler", 0.8, 0.5, True),
        ("Boiler", 0.95, -3.0, True),
        ("Parking", 0.8, -3.0, True),
    ],
)
def test_what_a_document_on_something_else_says_is_told_where_it_answers(
    title: str, cosine: float, logit: float, told: bool
) -> None:
    first = Candidate("Park in the square.", code=False, number=1, place=0, rank=0, title="Parking")
    second = Candidate("Keep it near the boiler.", code=False, number=2, place=1, rank=1, title=title)
    vectors = np.asarray([[1, 0], [cosine, np.sqrt(1 - cosine**2)]], np.float32)
    scores, logits = np.asarray([0.9, 0.8], np.float32), {first: -1.6, second: logit}
    found = Weighed((first, second), vectors, scores, floor=0.75, answering=logits, order={first: 2.0, second: 1.0})
    assert found.sentences(2) == ([first, second] if told else [first])


@pytest.mark.parametrize(
    ("question", "name", "asked"),
    [
        ("how much do members pay", "non-members", ("members", False)),
        ("how much is it if I am not a member", "Non-members", ("members", True)),
        ("cuánto pagan los abonados", "no abonados", ("abonados", False)),
        ("¿y si no estoy abonado?", "No abonados", ("abonados", True)),
        ("how much do pupils pay", "non-members", None),
        ("how much do members pay", "members", None),
    ],
)
def test_what_a_name_denies_is_asked_for_with_a_denial_or_without(
    question: str, name: str, asked: tuple[str, bool] | None
) -> None:
    assert word_overlap.without_denial(question, name) == asked


@pytest.mark.parametrize(
    ("question", "first"),
    [("what do members pay for a night", "Members: 11 €"), ("what do I pay, I am not a member", "Non-members: 19 €")],
)
def test_rows_of_members_and_of_others_are_told_as_is_asked(question: str, first: str) -> None:
    rows = ("Members: 11 €", "Non-members: 19 €")
    prices = "- " + "\n- ".join(rows)
    for cosines in ((0.9, 0.92), (0.92, 0.9)):
        given = GivenCosines(dict(zip(rows, cosines, strict=True)), 0.75)
        passage = Passage("p", "d", "", "", f"Prices of a night:\n\n{prices}")
        found = weigh(question, candidates([Evidence(1, passage)]), given)
        assert found.likest(2)[0].text == first


#: Of two documents on the same: what each says, and how near it is to the question.
MUSEUM, CLINIC = ("Open until six in summer.", 0.9), ("In summer it opens until two.", 0.93)


class _Answering(GivenCosines):
    """Holds every sentence for an answer."""

    def answers_in(
        self, question: str, sentences: Sequence[str], states: Mapping[str, NDArray[np.float32]] | None = None
    ) -> NDArray[np.float32]:
        return np.ones(len(sentences), np.float32)


def of_two_documents(question: str, titles: tuple[str, str]) -> list[str]:
    """The sentences that answer a question, of a document with the first title and of one with the second."""
    said = dict(zip(titles, (MUSEUM, CLINIC), strict=True))
    passages = [
        Evidence(number, Passage(f"p{number}", f"{title}.md", title, "", text))
        for number, (title, (text, _)) in enumerate(said.items(), 1)
    ]
    found = weigh(question, candidates(passages), _Answering(dict(said.values()), 0.75), answering=True)
    return [candidate.text for candidate in found.sentences(4)]


def test_a_question_that_names_a_document_is_answered_from_that_alone() -> None:
    titles = ("Railway museum of Calder", "Calder dental clinic: guide")
    assert of_two_documents("when does the museum close?", titles) == [MUSEUM[0]]
    assert of_two_documents("when does the clinic close?", titles) == [CLINIC[0]]


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        ("when does it close?", ("Railway museum of Calder", "Calder dental clinic: guide")),
        ("when does all of Calder close?", ("Railway museum of Calder", "Calder dental clinic: guide")),
        ("is the museum or the clinic open longer?", ("Railway museum", "Dental clinic")),
        ("when does the museum close?", ("Opening times", "Other opening times")),
    ],
)
def test_a_question_that_tells_no_document_from_another_is_answered_from_all(
    question: str, titles: tuple[str, str]
) -> None:
    assert sorted(of_two_documents(question, titles)) == sorted([MUSEUM[0], CLINIC[0]])


@pytest.mark.parametrize("question", ["What is nectar?", "¿Qué es nectar?", "what's nectar"])
def test_what_something_is_stands_in_the_sentence_whose_subject_it_is(question: str) -> None:
    cosines = {
        "Bees turn nectar into honey.": 0.9,
        "`sugar`: how sweet nectar tastes.": 0.9,
        "Nectar is a sweet fluid of flowers.": 0.88,
    }
    passages = [Evidence(number, Passage(f"p{number}", "d", "", "", text)) for number, text in enumerate(cosines, 1)]
    found = weigh(question, candidates(passages), GivenCosines(cosines, 0.75))
    assert found.sentences(1)[0].text == "Nectar is a sweet fluid of flowers."
    by_text = dict(zip(cosines, found.scores, strict=True))
    assert by_text["`sugar`: how sweet nectar tastes."] < by_text["Bees turn nectar into honey."]


def test_a_question_of_many_words_asks_less_what_something_is() -> None:
    cosines = {"Nectar is a sweet fluid.": 0.85, "Bees drink nectar through a tongue like a tube.": 0.93}
    passages = [Evidence(number, Passage(f"p{number}", "d", "", "", text)) for number, text in enumerate(cosines, 1)]
    question = "How does nectar reach the stomach of honey bees through that tongue tube?"
    found = weigh(question, candidates(passages), GivenCosines(cosines, 0.75))
    assert found.sentences(1)[0].text.startswith("Bees drink")


@pytest.mark.parametrize(
    ("scores", "chosen"),
    [((0.8, 0.7, 0.5), [0, 2]), ((0.7, 0.8, 0.5), [1, 0, 2])],
    ids=["the best is in the question's language", "only the other language tells the best"],
)
def test_an_answer_is_in_one_language_where_the_best_sentence_is_in_the_questions(
    scores: tuple[float, ...], chosen: list[int]
) -> None:
    texts = ("Bees see ultraviolet marks.", "Las abejas ven marcas ultravioletas.", "They dance for each other.")
    among = tuple(Candidate(text, code=False, number=1, place=place, rank=0) for place, text in enumerate(texts))
    foreign = np.array([False, True, False])
    given = Weighed(among, np.eye(3, dtype=np.float32), np.array(scores, np.float32), foreign=foreign)
    assert given.sentences(4) == [among[place] for place in chosen]


def test_a_question_in_another_language_than_the_passages_is_answered_by_meaning() -> None:
    text = "The bees find the flowers by their colour."
    among = candidates([Evidence(1, Passage("p", "d", "", "", text))])
    likes = GivenCosines({text: 0.85}, 0.75)
    (alike,) = weigh("how do insects look for blossoms", among, likes).scores
    (across,) = weigh("cómo buscan los insectos las plantas", among, likes).scores
    assert alike == pytest.approx(0.2)  # half of it is words, and none are shared
    assert across == pytest.approx(0.4)


@pytest.mark.parametrize(
    "other",
    ["hive-box is where the hive stands.", "hive (wood): a place for bees.", "Kind: hive."],
    ids=["a compound", "a label with its kind", "a label"],
)
def test_a_compound_or_a_label_does_not_say_what_its_word_is(other: str) -> None:
    said = "Hive is what their home is called."
    given = weigh(
        "What is a hive?",
        candidates([Evidence(1, Passage("p", "d", "", "", f"{other} {said}"))]),
        GivenCosines({said: 0.85, other: 0.85}, 0.75),
    )
    assert given.sentences(1)[0].text == said


def test_what_is_asked_of_a_thing_stands_behind_its_label() -> None:
    row, other = "Hive: wood.", "The frame in the hive is old."
    given = weigh(
        "hive material",
        candidates([Evidence(1, Passage("p", "d", "", "", f"{other} {row}"))]),
        GivenCosines({row: 0.85, other: 0.85}, 0.75),
    )
    assert given.sentences(1)[0].text == row


def test_the_conversations_language_is_that_of_a_question_too_short_to_tell() -> None:
    english, spanish = "The bees find the flowers by their colour.", "Las abejas encuentran las flores por su color."
    among = candidates([Evidence(n, Passage("p", "d", "", "", text)) for n, text in enumerate((english, spanish), 1)])
    likes = GivenCosines({english: 0.9, spanish: 0.9}, 0.75)
    chosen = [weigh("apis 7", among, likes, language=language).sentences(2) for language in Language]
    assert [[one.text for one in found] for found in chosen] == [[english], [spanish]]
    sure = weigh("how do bees find the flowers", among, likes, language=Language.SPANISH).sentences(2)
    assert [one.text for one in sure] == [english]


TABLE = "| Fuel | Heat | Cost |\n|---|---|---|\n| gas | 1 | 2 |\n| wood | 3 | 4 |\n| peat | 5 | 6 |"


def of_table(*cosines: float) -> list[str]:
    texts = ["gas — Heat: 1; Cost: 2", "wood — Heat: 3; Cost: 4", "peat — Heat: 5; Cost: 6"]
    passages = [Evidence(1, Passage("p", "d", "", "", TABLE))]
    found = weigh("zzz", candidates(passages), GivenCosines(dict(zip(texts, cosines, strict=True)), 0.0))
    return [candidate.text for candidate in found.sentences(1)]


def test_a_table_is_quoted_whole_where_its_rows_answer_alike() -> None:
    assert of_table(0.9, 0.85, 0.6) == [TABLE]
    assert of_table(0.9, 0.6, 0.6) == ["gas — Heat: 1; Cost: 2"]


@pytest.mark.parametrize(
    ("heading", "text", "question", "subject"),
    [
        ("Kilns > fireKiln", "Lights the burners.", "how is it lit?", "fireKiln"),
        ("RAKU", "A quick firing.", "what is it?", "RAKU"),
        ("fireKiln", "fireKiln lights the burners.", "how is it lit?", ""),
        ("fireKiln(heat, hours)", "Lights the burners.", "how is it lit?", "fireKiln(heat, hours)"),
        ("STORE", "Pop and store it.", "what is STORE?", "STORE"),
        ("Overview", "It lights the burners.", "what is it?", ""),
        ("Firing times", "Eight hours.", "how long is a firing?", "Firing times"),
        ("Firing times", "A firing takes eight hours.", "how long is a firing?", ""),
        ("Firing times", "Eight hours.", "how long?", ""),
        ("", "Eight hours.", "how long?", ""),
    ],
)
def test_a_heading_leads_in_what_does_not_say_its_subject(heading: str, text: str, question: str, subject: str) -> None:
    (candidate,) = candidates([Evidence(1, Passage("p", "d", "", heading, text))])
    assert unsaid_subject(candidate, question) == subject


@pytest.mark.parametrize(
    ("text", "heading", "subject"),
    [
        ("- Raw clay.\n- Glass.", "What not to fire", "What not to fire"),
        ("These are not fired:\n\n- Raw clay.\n- Glass.", "Firing", "These are not fired"),
        ("No se cuece:\n\n- Arcilla cruda.\n- Vidrio.", "Horno", "No se cuece"),
        ("- Dry clay.\n- Glazed bowls.", "What to fire", ""),
        ("Glass melts.", "What not to fire", ""),
    ],
)
def test_an_item_is_led_in_by_a_list_that_denies_it(text: str, heading: str, subject: str) -> None:
    among = candidates([Evidence(1, Passage("p", "d", "", heading, text))])
    assert unsaid_subject(among[-1], "can I put it in?") == subject


def test_the_first_sentence_under_a_name_that_is_asked_for_defines_it() -> None:
    text = "Of gas or wood. Lights all the burners."
    cosines = {"fireKiln: Of gas or wood.": 0.5, "fireKiln: Lights all the burners.": 0.6}
    for question, first in (("What is fireKiln?", "Of gas or wood."), ("What is it?", "Lights all the burners.")):
        among = candidates([Evidence(1, Passage("p", "d", "", "Kilns > fireKiln", text))])
        assert weigh(question, among, GivenCosines(cosines, 0.0)).sentences(1)[0].text == first


def test_two_things_that_are_asked_about_are_both_told_of() -> None:
    said = {"LOAD": "Puts a variable there.", "PUSH": "Puts a constant there.", "POP": "Puts a nothing there."}
    passages = [Evidence(n, Passage(name, "d", "", name, text)) for n, (name, text) in enumerate(said.items(), 1)]
    cosines = {f"{name}: {text}": 0.6 for name, text in said.items()}
    found = weigh("LOAD or PUSH?", candidates(passages), GivenCosines(cosines, 0.0)).sentences(4)
    assert [candidate.heading for candidate in found] == ["LOAD", "PUSH"]


def test_a_named_passage_behind_the_best_is_read_too() -> None:
    passages = [Evidence(n, Passage(f"p{n}", "d", "", f"Part{n}", f"Says {n} things.")) for n in range(1, 12)]
    ranks = {candidate.number: candidate.rank for candidate in candidates(passages, "What is part10 for?")}
    assert ranks == {1: 0, 2: 1, 3: 2, 10: 2, 4: 3, 5: 4}
    assert {candidate.number for candidate in candidates(passages)} == set(range(1, 7))


class KnowingWords(GivenCosines):
    """All texts are alike to it; of words it knows that coats and abrigos are the same."""

    def __init__(self) -> None:
        super().__init__({}, 0.0)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.asarray([[0.6, 0.8] for _ in texts], np.float32)

    def word_vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.eye(len(words), 32, dtype=np.float32)
        vectors[[word in ("coats", "abrigos") for word in words]] = np.eye(1, 32, 31)
        return vectors


def test_a_word_of_like_meaning_counts_less_than_the_word_and_more_than_none() -> None:
    texts = ["Umbrellas stay at the door.", "Abrigos stay at the door.", "Coats stay at the door."]
    among = candidates([Evidence(1, Passage("p", "d", "", "", " ".join(texts)))])
    scores = weigh("Where do I leave coats?", among, KnowingWords(), language=Language.ENGLISH).scores
    assert scores[0] + 0.05 < scores[1] < scores[2] - 0.05
    without = weigh("Where do I leave it?", among, KnowingWords(), language=Language.ENGLISH).scores
    assert without[0] == pytest.approx(without[1])


def test_across_languages_the_words_of_like_meaning_tell_sentences_apart() -> None:
    text = (
        "Los paraguas se quedan siempre en la entrada de la casa. Los abrigos se quedan siempre en la sala de la casa."
    )
    among = candidates([Evidence(1, Passage("p", "d", "", "", text))])
    found = weigh("Where are the coats of the guests kept?", among, KnowingWords(), language=Language.ENGLISH)
    assert not found.foreign.any()  # nothing in the question's language is there
    assert found.sentences(1)[0].text.startswith("Los abrigos")


@pytest.mark.parametrize(
    ("question", "first"),
    [("How many rooms has the hut?", "The hut has 12."), ("Who has built the hut?", "The hut has doors.")],
)
def test_where_a_number_is_asked_for_a_sentence_with_one_is_before_others(question: str, first: str) -> None:
    cosines = {"The hut has doors.": 0.52, "The hut has 12.": 0.5}
    among = candidates([Evidence(1, Passage("p", "d", "", "", " ".join(cosines)))])
    assert weigh(question, among, GivenCosines(cosines, 0.0)).sentences(1)[0].text == first


def test_what_a_follow_up_says_itself_counts_more_than_what_it_goes_on_from() -> None:
    texts = {"Ovens are swept on Monday.": 0.5, "Mills are swept on Friday.": 0.5}
    among = candidates([Evidence(1, Passage("p", "d", "", "", " ".join(texts)))])
    question, message = "and the mills? When are ovens swept", "and the mills?"
    alike = GivenCosines(texts, 0.0)
    even = weigh(question, among, alike).scores
    own = weigh(question, among, alike, message=message).scores
    assert own[1] - own[0] > even[1] - even[0]


def test_what_a_message_is_near_to_counts_beside_what_its_question_is_near_to() -> None:
    class Apart(GivenCosines):
        def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return np.asarray([[1.0, 0.0], [0.0, 1.0]][: len(texts)], np.float32)

    texts = {"Aaa bbb ccc ddd.": 1.0, "Eee fff ggg hhh.": 0.0}
    among = candidates([Evidence(1, Passage("p", "d", "", "", " ".join(texts)))])
    assert weigh("xxx yyy", among, Apart(texts, 0.0)).scores.argmax() == 0
    nearer = weigh("xxx yyy", among, Apart(texts, 0.0), message="xxx").scores
    assert nearer[1] > weigh("xxx yyy", among, Apart(texts, 0.0)).scores[1]


def test_what_was_said_before_comes_behind_what_was_not() -> None:
    texts = {"Ovens are swept on Monday.": 0.55, "Ovens are lit on Friday.": 0.5}
    among = candidates([Evidence(1, Passage("p", "d", "", "", " ".join(texts)))])
    chosen = [
        weigh("ovens", among, GivenCosines(texts, 0.0), said=said).sentences(1)[0].text for said in ((), among[:1])
    ]
    assert chosen == list(texts)


@pytest.mark.parametrize(("cosine", "again"), [(0.56, True), (0.44, False)])
def test_what_was_said_is_told_again_where_it_alone_is_clearly_like_the_question(cosine: float, *, again: bool) -> None:
    texts = {"Stoves burn very dry wood.": cosine, "Cellars hold some old wine.": 0.0}
    among = candidates([Evidence(1, Passage("p", "d", "", "", " ".join(texts)))])
    told = weigh("xxx yyy", among, GivenCosines(texts, 0.0), said=among[:1]).sentences(1)
    assert [one.text for one in told] == ["Stoves burn very dry wood."] * again


def test_what_is_worth_much_less_than_the_best_is_not_quoted_with_it() -> None:
    among = tuple(Candidate(text, code=False, number=1, place=at, rank=0) for at, text in enumerate(("A.", "B.", "C.")))
    for scores, chosen in (((1.0, 0.5, 0.6), [0, 2]), ((0.8, 0.5, 0.6), [0, 2, 1]), ((0.4, 0.21, 0.3), [0, 2])):
        given = Weighed(among, np.eye(3, dtype=np.float32), np.array(scores, np.float32), foreign=np.zeros(3, bool))
        assert given.sentences(4) == [among[place] for place in chosen]


def test_asked_what_a_thing_is_its_section_begins_the_answer() -> None:
    cosines = {"fireKiln: fireKiln lights the burners.": 0.5, "fireKiln: fireKiln needs no gas at all.": 0.6}
    text = "fireKiln lights the burners. fireKiln needs no gas at all."
    for question, first in (("What is fireKiln?", "fireKiln lights"), ("Which gas has fireKiln?", "fireKiln needs")):
        among = candidates([Evidence(1, Passage("p", "d", "", "Kilns > fireKiln", text))])
        assert weigh(question, among, GivenCosines(cosines, 0.0)).sentences(1)[0].text.startswith(first)


class KnowingAnswers(GivenCosines):
    """Also says how far a sentence answers."""

    def __init__(self, cosines: Mapping[str, float], logits: Mapping[str, float]) -> None:
        super().__init__(cosines, 0.0)
        self._logits = logits

    def answers_in(
        self, question: str, sentences: Sequence[str], states: Mapping[str, NDArray[np.float32]] | None = None
    ) -> NDArray[np.float32]:
        return np.asarray([self._logits[one] for one in sentences], np.float32)


def chosen_by(logits: Mapping[str, float], question: str = QUESTION) -> list[str]:
    cosines = {"Hives are made of wood.": 0.9, "Scouts dance the way.": 0.88, "Wax melts in summer.": 0.8}
    passages = [Evidence(1, Passage("p", "d", "", "", " ".join(cosines)))]
    found = weigh(question, candidates(passages), KnowingAnswers(cosines, logits), answering=True)
    return [candidate.text for candidate in found.sentences(4)]


def test_what_answers_comes_before_what_is_as_like_and_without_what_does_not() -> None:
    logits = {"Hives are made of wood.": -3.0, "Scouts dance the way.": 2.0, "Wax melts in summer.": -2.0}
    assert chosen_by(logits) == ["Scouts dance the way."]


@pytest.mark.parametrize(
    ("logit", "quoted"), [(3.0, "spanish"), (-2.0, "english")], ids=["it answers better", "it answers no better"]
)
def test_the_other_language_is_quoted_where_it_answers_better_and_alone(logit: float, quoted: str) -> None:
    english = "How the bees find their way to the flowers is not known to the keeper."
    spanish = {"Las abejas se guían por el color de las flores.": 0.8, "Las flores tienen marcas que se ven mal.": 0.79}
    cosines = {english: 0.9, **spanish}
    among = candidates([Evidence(n, Passage(f"p{n}", "d", "", "", text)) for n, text in enumerate(cosines, 1)])
    knowing = KnowingAnswers(cosines, {english: -1.5, **dict.fromkeys(spanish, logit)})
    found = weigh(QUESTION, among, knowing, answering=True, language=Language.ENGLISH).sentences(4)
    assert [one.text for one in found] == (list(spanish) if quoted == "spanish" else [english])
    unread = weigh(QUESTION, among, GivenCosines(cosines, 0.0), language=Language.ENGLISH).sentences(4)
    goes_on = weigh(QUESTION, among, knowing, answering=True, language=Language.ENGLISH, going_on={1}).sentences(4)
    assert [one.text for one in unread] == [one.text for one in goes_on] == [english]


def test_what_answers_nearly_as_well_as_the_best_is_quoted_with_it() -> None:
    logits = {"Hives are made of wood.": 1.0, "Scouts dance the way.": 2.0, "Wax melts in summer.": -1.4}
    assert chosen_by(logits) == ["Scouts dance the way.", "Hives are made of wood.", "Wax melts in summer."]


def test_where_nothing_is_known_to_answer_all_that_is_like_is_quoted() -> None:
    logits = dict.fromkeys(("Hives are made of wood.", "Scouts dance the way.", "Wax melts in summer."), -3.0)
    assert len(chosen_by(logits)) == 3


def test_a_field_of_an_object_says_whose_it_is() -> None:
    told = [("Breads > Rye loaf", "Price eur: 4"), ("Breads > Plain loaf", "Price eur: 4")]
    among = candidates(
        [Evidence(n, Passage(f"p{n}", "shop.json", "", heading, text)) for n, (heading, text) in enumerate(told, 1)]
    )
    assert [unsaid_subject(one, "what is the price?") for one in among] == ["Rye loaf", "Plain loaf"]


@pytest.mark.parametrize(
    ("question", "logits", "count"),
    [
        ("how long do scouts fly", (2.0, 1.4, -0.5), 1),
        ("how early do scouts fly", (2.0, 1.6, -0.5), 2),  # as surely an answer
        ("how long do scouts and drones fly", (2.0, 1.4, -0.5), 3),  # two numbers
        ("how long do scouts fly", (-1.6, -2.2, -2.4), 3),  # which of them tells it is open
        ("why do scouts fly", (2.0, 1.4, -0.5), 3),
        ("do scouts fly far", (2.5, 0.6, 0.4), 2),
        ("do scouts fly far", (1.8, 0.6, -0.5), 3),  # it may depend
    ],
)
def test_what_one_sentence_tells_is_told_alone(question: str, logits: tuple[float, ...], count: int) -> None:
    texts = ("Scouts dance the way.", "Hives are made of wood.", "Wax melts in summer.")
    assert len(chosen_by(dict(zip(texts, logits, strict=True)), question)) == count
