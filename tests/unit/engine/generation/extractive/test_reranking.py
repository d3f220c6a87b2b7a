from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.bootstrap import MODEL_DIR
from engine.domain import Evidence, Passage
from engine.generation.extractive.candidates import Candidate, candidates
from engine.generation.extractive.reranking import Asked, Known, Reranker, features, save, shipped
from engine.generation.extractive.sentence_selection import Weighed
from engine.generation.extractive.weighing import weigh
from engine.retrieval.embedding.onnx import OnnxEmbedder
from engine.testing import HashedWordsEmbedder

TEXT = """The Lantern Society is a club of people who mend lamps.

Members get:

- a key to the workshop
- wire at cost
- two hours of help a month

| Lamp | Price | Weight |
| --- | --- | --- |
| Heron | 30 euros | 2 kg |
| Otter | 45 euros | 3 kg |

It is closed in August. The key must be given back when one leaves."""
WORDS = HashedWordsEmbedder()
PASSAGE = Passage("p", "lanterns.md", "Lantern Society", "Membership", TEXT, similarity=0.86)


@pytest.fixture(scope="module")
def encoder() -> OnnxEmbedder:
    return OnnxEmbedder(MODEL_DIR)


def read(question: str, encoder: OnnxEmbedder) -> Weighed:
    return weigh(question, candidates([Evidence(1, PASSAGE)], question), encoder, answering=True)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what do I get as a member of the Lantern Society?", "Members get:\n- a key to the workshop\n- wire at cost"),
        ("¿qué ventajas tienen los socios?", "Members get:\n- a key to the workshop"),
        ("how many hours of help do members get a month", "two hours of help a month"),
        ("what does the Otter weigh", "Otter — "),
        ("in which month is the Lantern Society closed", "It is closed in August."),
        ("what must I return when I quit", "The key must be given back"),
    ],
)
def test_what_answers_comes_first(question: str, said: str, encoder: OnnxEmbedder) -> None:
    assert read(question, encoder).sentences(4)[0].text.startswith(said)


HALLS = """The guild was founded in 1911, and its yard is let by the day.

| Hall | Seats | Keeper |
| --- | --- | --- |
| Anvil | 40 | Ruth |
| Bellows | 25 | Omar |
| Crucible | 90 | Inga |

| Day | Opens |
| --- | --- |
| Monday | 9:00 |
| Friday | 8:00 |"""


@pytest.mark.parametrize(
    "question", ["which halls does the guild let?", "¿qué halls hay?", "what halls does the guild have"]
)
def test_what_there_is_of_a_thing_is_the_table_that_is_headed_by_it(question: str, encoder: OnnxEmbedder) -> None:
    halls = Evidence(1, Passage("p", "guild.md", "Guild", "The guild", HALLS, similarity=0.86))
    best = weigh(question, candidates([halls], question), encoder, answering=True).sentences(4)[0]
    assert best.text.startswith("| Hall | Seats | Keeper |")


def test_a_list_is_quoted_without_its_items_beside_it(encoder: OnnxEmbedder) -> None:
    best, *others = read("what do I get as a member of the Lantern Society?", encoder).sentences(4)
    assert best.text == best.whole
    assert not [one for one in others if one.whole == best.whole]


def test_comparisons_and_follow_ups_are_left_in_the_order_of_likeness(encoder: OnnxEmbedder) -> None:
    assert read("when is the society shut", encoder).order
    assert not read("is the Heron cheaper than the Otter?", encoder).order
    among = candidates([Evidence(1, PASSAGE)])
    asked = "and in August? is the society open"
    assert not weigh(asked, among, encoder, message="and in August?", answering=True).order


def known(*texts: str, whole: str = "") -> Known:
    among = [
        Candidate(text, code=False, number=1, place=place, rank=0, whole=whole, similarity=0.8)
        for place, text in enumerate(texts)
    ]
    n = len(among)
    scores = np.linspace(0.5, 0.3, n, dtype=np.float32)
    return Known(among, WORDS.embed(texts), scores, scores, scores, 0.0, {among[0]: 9.0})


def test_the_features_of_a_sentence_and_of_what_is_beside_it() -> None:
    given = known("Lamps are mended here.", "It opens at nine.")
    first, second = features(Asked("when does it open?", procedural=False), given, 2.0, WORDS).values()
    assert (first["first"], second["first"]) == (1.0, 0.0)
    assert (first["logit"], first["unread"], second["logit"], second["unread"]) == (6.0, 0.0, 0.0, 1.0)
    assert second["before"] == pytest.approx(first["meaning"])
    assert first["before"] == second["behind"] == 0.0
    assert first["several of a sentence"] == 2.0
    assert first["list"] == first["row"] == first["several of a list"] == 0.0
    assert second["similarity"] == 0.8


def test_a_list_stands_beside_its_items_and_is_worth_as_much_as_the_best_one() -> None:
    whole = "Bring:\n- wire\n- tape"
    found = features(Asked("what to bring", procedural=True), known("wire", "tape", whole=whole), 1.0, WORDS)
    by_text = {one.text: of for one, of in found.items()}
    assert list(by_text) == ["wire", whole, "tape"]
    assert by_text[whole]["score"] == by_text["wire"]["score"] == 0.5
    assert (by_text[whole]["list"], by_text[whole]["table"], by_text[whole]["steps"]) == (1.0, 0.0, 1.0)
    assert by_text[whole]["several of a list"] == by_text["tape"]["several of items"] == 1.0
    assert by_text[whole]["name"] > 0 == by_text["tape"]["label"]


def test_what_is_out_of_the_question_is_not_put_in_order() -> None:
    given = known("Lamps are mended here.", "It opens at nine.")
    scores = np.array([0.5, -np.inf], dtype=np.float32)
    found = features(Asked("when?", procedural=False), replace(given, scores=scores), 0.0, WORDS)
    assert [one.text for one in found] == ["Lamps are mended here."]
    none = replace(given, scores=np.full(2, -np.inf, dtype=np.float32))
    assert features(Asked("when?", procedural=False), none, 0.0, WORDS) == {}


def test_words_of_the_title_tell_nothing_apart(encoder: OnnxEmbedder) -> None:
    of_all = read("what is closed at the Lantern Society in August", encoder).known
    found = {
        one.text: of
        for one, of in features(Asked("Lantern Society August", procedural=False), of_all, 0, encoder).items()
    }
    intro, closed = found["The Lantern Society is a club of people who mend lamps."], found["It is closed in August."]
    assert intro["words"] > intro["told"]
    assert closed["told"] > intro["told"]


def test_an_encoder_that_the_head_was_not_fitted_to_gives_no_order() -> None:
    model = Reranker({"score": 1.0}, np.zeros(9, dtype=np.float32))
    assert model.order(Asked("when?", procedural=False), known("One."), WORDS) == {}


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    model = Reranker({"score": 1.5, "list": -0.25}, np.arange(4, dtype=np.float32))
    save(model, tmp_path / "model.npz")
    again = shipped(tmp_path / "model.npz")
    assert again.weights == model.weights
    assert again.several.tolist() == model.several.tolist()
    shipped.cache_clear()


def test_every_feature_has_a_weight() -> None:
    found = features(Asked("when?", procedural=False), known("One."), 0.0, WORDS)
    assert set(next(iter(found.values()))) == set(shipped().weights)
