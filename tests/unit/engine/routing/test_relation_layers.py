"""The shipped encoder with the layers fitted to the relations: no stand-in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from classifier.relation.relations import TOGETHER, Relation, together
from classifier.training.held_out_logits import HeldOut
from classifier.training.relations import dialogue_rows
from engine.bootstrap import HELD_OUT_RELATIONS, MODEL_DIR, relation_encoders
from engine.errors import ConfigurationError
from engine.retrieval.embedding.onnx import EARLIER_TOKENS, MESSAGE_TOKENS, OnnxEmbedder
from engine.routing.fitted_layers import RelationLayers

ORDER = tuple(Relation)
ASKED = ("How tall is the lighthouse of Finisterre?", "When was the lighthouse of Chipiona built?")


@pytest.fixture(scope="module")
def encoder() -> OnnxEmbedder:
    return OnnxEmbedder(MODEL_DIR, threads=1)


@pytest.fixture(scope="module")
def layers(encoder: OnnxEmbedder) -> RelationLayers:
    return RelationLayers(encoder, HELD_OUT_RELATIONS)


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("and who designed it", Relation.FOLLOW_UP),
        ("How tall is the lighthouse of Chipiona?", Relation.STANDS_ALONE),
        ("can you put that in fewer words", Relation.REWORDING),
        ("what was the first thing I asked you", Relation.RECALL),
        ("lovely, thanks a lot", Relation.COURTESY),
    ],
)
def test_the_relations_are_told_apart(layers: RelationLayers, text: str, relation: Relation) -> None:
    found = layers.relations_of(text, ASKED)
    assert found.shape == (len(ORDER),)
    assert ORDER[int(found.argmax())] is relation


def test_a_message_is_read_with_the_questions_before_it(layers: RelationLayers) -> None:
    alone, after, turned = (layers.relations_of("and in Cádiz?", one) for one in ((), ASKED, ASKED[::-1]))
    assert not np.allclose(alone, after, atol=1e-2)
    assert not np.allclose(turned, after, atol=1e-4)
    assert len(ASKED) == TOGETHER
    assert np.array_equal(layers.relations_of("and in Cádiz?", ("What is a buoy?", *ASKED)), after)


def test_what_was_read_alone_is_not_encoded_again(
    encoder: OnnxEmbedder, layers: RelationLayers, runs: list[object]
) -> None:
    encoder.intents_of(["How far does its light reach?"])
    layers.relations_of("How far does its light reach?", ("Is the tower of Hercules Roman?",))
    assert len(runs) == 2
    layers.relations_of("And how old is it?", ("Is the tower of Hercules Roman?", "How far does its light reach?"))
    assert len(runs) == 3


def test_long_texts_are_cut(encoder: OnnxEmbedder) -> None:
    read = encoder.together("a pasted file " * 80, ["a long question " * 60, "short"])
    assert np.bincount(read.segments[0]).tolist()[::2] == [MESSAGE_TOKENS, EARLIER_TOKENS]
    assert read.states.shape[1] == read.segments.shape[1]


def test_messages_of_the_dialogues_are_read_as_if_they_had_not_been_fitted_on(
    encoder: OnnxEmbedder, tmp_path: Path
) -> None:
    told = np.asarray([[9, 8, 7, 6, 5]], np.float32)
    HeldOut.of([together("why?", ASKED)], told).write(tmp_path / "held_out.npz")
    judged = RelationLayers(encoder, tmp_path / "held_out.npz")
    assert np.array_equal(judged.unseen("why?", ASKED), told[0])
    assert np.array_equal(judged.unseen("why?", ASKED[:1]), judged.relations_of("why?", ASKED[:1]))


def test_the_shipped_file_knows_the_shipped_dialogues() -> None:
    """Mend: python -m scripts.tuning.tune_relations, then python -m scripts.fitting.relations."""
    known, _ = HeldOut.read(HELD_OUT_RELATIONS).find([row.together for row in dialogue_rows()])
    assert known.all()


def test_a_file_that_is_missing_is_named_where_it_is_needed(encoder: OnnxEmbedder, tmp_path: Path) -> None:
    judged = RelationLayers(encoder, tmp_path / "nowhere.npz")
    judged.relations_of("why?", ASKED)
    with pytest.raises(ConfigurationError, match=r"nowhere\.npz.*tune_relations"):
        judged.unseen("why?", ASKED)


def test_the_encoders_of_the_heads_are_named_together(encoder: OnnxEmbedder) -> None:
    read = relation_encoders(encoder)
    assert read.id == f"{encoder.id} {encoder.intent_id} {encoder.relation_id}"
    assert read.relations.id.startswith("multilingual-e5-small-int8+relations-")
