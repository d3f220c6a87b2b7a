"""The bundled model, as it ships: no stand-in."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.errors import ConfigurationError
from engine.retrieval.embedding.answer_head import SENTENCE_TOKENS
from engine.retrieval.embedding.cache import MemoEmbedder
from engine.retrieval.embedding.graphs import read_tokenizer
from engine.retrieval.embedding.onnx import OnnxEmbedder
from engine.retrieval.embedding.words import dequantised
from engine.testing import HashedWordsEmbedder

MODEL = Path(__file__).parents[5] / "engine" / "models" / "multilingual-e5-small"

MIXED = [
    "How do I reset my password?",
    "",
    "def add(a, b): return a + b",
    "El contrato vence el 31 de diciembre.",
    "The treaty was signed in 1648 after four years of negotiations in two cities. " * 20,
    "¿Cómo cambio mi contraseña?",
    "photosynthesis",
    "🙂 " * 400,
]


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    embedder = OnnxEmbedder(MODEL, threads=2)
    embedder.warm_up()
    return embedder


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(MODEL, tmp_path / "model"))


def cosine(embedder: OnnxEmbedder, query: str, passage: str) -> float:
    return float(embedder.embed_queries([query])[0] @ embedder.embed([passage])[0])


def test_card_and_files_agree(embedder: OnnxEmbedder) -> None:
    assert embedder.id == "multilingual-e5-small-int8"
    assert embedder.dimensions == 384
    card = json.loads((MODEL / "card.json").read_text(encoding="utf-8"))
    assert min(card["cosine_to_float32_with_all_pieces"][name] for name in ("en", "es", "code", "zh")) >= 0.99
    assert sum(path.stat().st_size for path in MODEL.iterdir()) < 60_000_000
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in MODEL.iterdir()}
    assert card["sha256"] == {name: digest for name, digest in found.items() if name != "card.json"}


def test_shape_type_and_length(embedder: OnnxEmbedder) -> None:
    vectors = embedder.embed(MIXED)
    assert vectors.shape == (len(MIXED), 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_nothing_gives_an_empty_array(embedder: OnnxEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_results_come_in_the_order_of_the_texts_and_do_not_depend_on_company(embedder: OnnxEmbedder) -> None:
    alone = np.concatenate([embedder.embed([text]) for text in MIXED])
    assert np.array_equal(embedder.embed(MIXED), alone)
    assert np.array_equal(embedder.embed(MIXED[::-1]), alone[::-1])
    assert np.array_equal(OnnxEmbedder(MODEL, threads=1).embed(MIXED), alone)


@pytest.mark.parametrize(
    ("text", "paraphrase", "stranger"),
    [
        ("How do I reset my password?", "Steps to recover a forgotten login credential", "Mitochondria make energy."),
        ("The car would not start.", "The automobile failed to start.", "The soup was far too salty."),
        ("sort a list in Python", "order the elements of an array by value", "the fall of the Roman empire"),
    ],
)
def test_near_synonyms_are_closer_than_strangers(
    embedder: OnnxEmbedder, text: str, paraphrase: str, stranger: str
) -> None:
    assert cosine(embedder, text, paraphrase) > cosine(embedder, text, stranger) + 0.04


@pytest.mark.parametrize(
    "query", ["¿Cuándo vence el contrato de alquiler?", "When does the lease end?", "租约什么时候到期？"]
)
@pytest.mark.parametrize(
    "passage", ["El contrato de alquiler vence el 31 de diciembre.", "The lease ends in December."]
)
def test_languages_find_each_other(embedder: OnnxEmbedder, query: str, passage: str) -> None:
    related = cosine(embedder, query, passage)
    assert related > cosine(embedder, query, "Los domingos cocino paella con marisco.") + 0.01
    assert related > cosine(embedder, query, "On Sundays we go sailing off the coast.") + 0.01


def test_queries_and_passages_are_read_behind_different_prefixes(embedder: OnnxEmbedder) -> None:
    query, passage = embedder.embed_queries(["a word"])[0], embedder.embed(["a word"])[0]
    assert 0.8 < float(query @ passage) < 0.9999


def test_the_empty_string_and_odd_text_have_vectors(embedder: OnnxEmbedder) -> None:
    vectors = embedder.embed(["", " ", "\x00", "\ud800 lone surrogate", "漢字", "\u202e"])
    assert np.isfinite(vectors).all()
    assert np.array_equal(vectors[0], vectors[1])


@pytest.mark.parametrize(("role", "tokens"), [("embed", 512), ("embed_queries", 256)])
def test_long_text_is_cut(embedder: OnnxEmbedder, role: str, tokens: int) -> None:
    start = "word " * (tokens - 2)  # with the two special tokens and those of the prefix: more than are read
    embed = getattr(embedder, role)
    full, longer, shorter = embed([start, start + "another tail " * 20_000, "word " * (tokens - 50) + "tail"])
    assert np.array_equal(full, longer)
    assert not np.array_equal(full, shorter)


@pytest.mark.parametrize(
    ("question", "answer", "beside"),
    [
        (
            "How long may a tent stay on the lawn?",
            "Tents may stay on the lawn for six nights.",
            "Tents on the lawn have to be pegged down with wooden pegs.",
        ),
        (
            "¿Quién riega las plantas del patio?",
            "The courtyard's plants are watered by the caretaker.",
            "The courtyard's plants come from a nursery near the coast.",
        ),
    ],
)
def test_a_sentence_that_answers_is_told_from_one_about_the_same(
    embedder: OnnxEmbedder, question: str, answer: str, beside: str
) -> None:
    found = embedder.answers_in(question, [beside, answer])
    assert found is not None
    assert found[1] > found[0] + 1
    alone = [embedder.answers_in(question, [sentence]) for sentence in (beside, answer)]
    np.testing.assert_allclose(found, np.concatenate([one for one in alone if one is not None]), atol=1e-4)


def test_texts_are_encoded_with_the_states_that_answers_are_told_by(embedder: OnnxEmbedder) -> None:
    texts = ["The gates open at seven.", "word " * SENTENCE_TOKENS, "", "\ud800"]
    vectors, states = embedder.embed_with_states(texts)
    np.testing.assert_array_equal(vectors, embedder.embed(texts))
    for text, read in zip(texts, states, strict=True):
        if read is not None:
            np.testing.assert_array_equal(read, embedder.states_of(text, query=False)[0])
    assert [read is None for read in states] == [False, True, False, False]
    none, nothing = embedder.embed_with_states([])
    assert (none.shape, nothing) == ((0, 384), [])


def test_known_states_are_taken_and_the_other_sentences_read(embedder: OnnxEmbedder) -> None:
    question, sentences = "When do the gates open?", ["The gates open at seven.", "Dogs stay outside."]
    read = embedder.answers_in(question, sentences)
    other = embedder.embed_with_states(sentences)[1][1]
    assert other is not None
    found = embedder.answers_in(question, sentences, {sentences[0]: other})
    assert read is not None
    assert found is not None
    assert found[1] == read[1]
    np.testing.assert_allclose(found[0], read[1], atol=0.01)


def test_what_the_lower_layers_make_of_a_text_is_pooled(embedder: OnnxEmbedder) -> None:
    states = embedder.states_of("how many are left")[0]
    pooled = embedder.embed_pooled(["how many are left", "and why?"])
    assert pooled.shape == (2, 3 * embedder.dimensions)
    np.testing.assert_allclose(pooled[0], np.concatenate([states.mean(0), states.max(0), states.min(0)]), rtol=1e-6)
    np.testing.assert_array_equal(embedder.embed_pooled(["and why?"])[0], pooled[1])
    assert embedder.embed_pooled([]).shape == (0, 3 * embedder.dimensions)


def test_odd_texts_are_read_for_an_answer(embedder: OnnxEmbedder) -> None:
    found = embedder.answers_in("\ud800", ["", "word " * 5_000, "🙂"])
    assert found is not None
    assert np.isfinite(found).all()
    assert embedder.states_of("word " * 5_000, query=False).shape == (1, SENTENCE_TOKENS, 384)
    assert embedder.states_of("word " * 5_000).shape == (1, 256, 384)


def test_an_encoder_without_the_head_knows_nothing_of_answers(copy: Path) -> None:
    card = json.loads((copy / "card.json").read_text(encoding="utf-8"))
    del card["answers"]
    (copy / "card.json").write_text(json.dumps(card), encoding="utf-8")
    (copy / "answers.npz").unlink()
    assert OnnxEmbedder(copy).answers_in("Why?", ["Therefore."]) is None


def test_a_damaged_head_says_what_mends_it(copy: Path) -> None:
    path = copy / "answers.npz"
    path.write_bytes(b"x" * path.stat().st_size)
    with pytest.raises(ConfigurationError, match=r"answers\.npz.*restore"):
        OnnxEmbedder(copy).answers_in("Why?", ["Therefore."])


class TestNames:
    #: Names of figures, with questions in other words that mean each.
    ASKED: ClassVar = {
        "cancelled bookings": ("how many guests called it off?", "¿cuántos clientes se echaron atrás?"),
        "no shows": ("who never turned up on the day?", "¿cuánta gente nos dejó esperando?"),
        "storage limit": ("what is the most we may keep there?", "¿cuánto cabe como máximo?"),
        "storage used": ("how full is it by now?", "¿cuánto tenemos ya guardado?"),
        "next delivery": ("when is the van coming again?", "¿qué día nos traen el pedido?"),
        "unpaid fees": ("what do people still owe us?", "¿quién no ha pagado todavía?"),
        "refunds": ("how much did we give back?", "¿cuánto dinero hemos devuelto?"),
        "new members": ("how many people joined us?", "¿cuánta gente se ha apuntado?"),
        "shift manager": ("who is in charge tonight?", "¿quién lleva el turno?"),
        "monthly fee": ("what does it cost us every four weeks?", "¿cuánto nos cobran cada mes?"),
    }

    def test_questions_are_nearest_to_the_names_that_they_mean(self, embedder: OnnxEmbedder) -> None:
        def found(embed: Callable[[Sequence[str]], NDArray[np.float32]]) -> int:
            names = embed(list(self.ASKED))
            questions = enumerate(self.ASKED.values())
            return sum(int((names @ embed([one])[0]).argmax()) == place for place, both in questions for one in both)

        assert found(embedder.embed_names) >= found(embedder.embed_queries) + 4

    def test_they_are_read_in_small_letters_and_the_search_as_ever(self, embedder: OnnxEmbedder) -> None:
        assert np.array_equal(embedder.embed_names(["Unpaid Fees"]), embedder.embed_names(["unpaid fees"]))
        assert not np.allclose(embedder.embed_names(["fees"]), embedder.embed_queries(["fees"]), atol=0.01)
        assert np.allclose(np.linalg.norm(embedder.embed_names(MIXED), axis=1), 1.0, atol=1e-5)
        assert embedder.name_id.startswith(f"{embedder.id}+names-")

    def test_all_but_the_adapters_is_read_out_of_the_layers_of_the_search(self, copy: Path) -> None:
        card = json.loads((copy / "card.json").read_text(encoding="utf-8"))
        assert card["names"]["reads"] == card["sha256"]["upper.onnx"]
        assert (copy / "names.onnx").stat().st_size < 0.02 * (copy / "upper.onnx").stat().st_size

    def test_an_encoder_without_them_reads_names_as_any_text(self, copy: Path) -> None:
        card = json.loads((copy / "card.json").read_text(encoding="utf-8"))
        del card["names"]
        (copy / "card.json").write_text(json.dumps(card), encoding="utf-8")
        (copy / "names.onnx").unlink()
        plain = OnnxEmbedder(copy)
        assert np.array_equal(plain.embed_names(["fees"]), plain.embed_queries(["fees"]))

    def test_a_memo_remembers_them_apart_from_other_vectors(self, embedder: OnnxEmbedder) -> None:
        memo = MemoEmbedder(embedder)
        for embed in (embedder.embed_names, memo.embed_names, memo.embed_names):
            assert np.array_equal(embed(["fees"]), embedder.embed_names(["fees"]))
        assert np.array_equal(memo.embed(["fees"]), embedder.embed(["fees"]))
        assert memo.name_id == embedder.name_id

    def test_another_embedder_reads_names_as_any_text(self) -> None:
        hashed = HashedWordsEmbedder()
        assert np.array_equal(hashed.embed_names(["fees"]), hashed.embed(["fees"]))
        assert hashed.name_id == hashed.id


class TestLanguageOffset:
    #: Said in both languages; of the second half to judge.
    PAIRS = (
        ("The lighthouse keeper repairs nets in winter.", "El farero arregla redes en invierno."),
        ("A glass of cider costs three coins at the fair.", "Un vaso de sidra cuesta tres monedas en la feria."),
        ("Trains to the valley leave every forty minutes.", "Los trenes al valle salen cada cuarenta minutos."),
        ("Nobody may swim in the reservoir after dusk.", "Nadie puede bañarse en el embalse tras el anochecer."),
    )

    def test_it_lies_between_passages_that_say_the_same(self, embedder: OnnxEmbedder) -> None:
        offset = embedder.language_offset
        assert offset is not None
        english, spanish = (embedder.embed([pair[place] for pair in self.PAIRS]) for place in (0, 1))
        apart = np.linalg.norm(spanish - english, axis=1)
        assert (np.linalg.norm(spanish - english - offset, axis=1) < apart).all()

    def test_an_encoder_may_have_none(self, copy: Path) -> None:
        card = json.loads((copy / "card.json").read_text(encoding="utf-8"))
        del card["bytes"]["language_offset.npy"]
        (copy / "card.json").write_text(json.dumps(card), encoding="utf-8")
        assert OnnxEmbedder(copy).language_offset is None

    @pytest.mark.parametrize("numbers", [np.zeros(3, np.float32), np.full(384, np.nan, np.float32), np.zeros(384)])
    def test_a_damaged_one_is_told_at_the_start(self, copy: Path, numbers: NDArray[np.float64]) -> None:
        path = copy / "language_offset.npy"
        np.save(path, numbers)
        card = json.loads((copy / "card.json").read_text(encoding="utf-8"))
        card["bytes"][path.name] = path.stat().st_size
        (copy / "card.json").write_text(json.dumps(card), encoding="utf-8")
        with pytest.raises(ConfigurationError, match=r"language_offset\.npy.*restore"):
            OnnxEmbedder(copy).warm_up()

    def test_what_is_no_array_is_told_too(self, copy: Path) -> None:
        path = copy / "language_offset.npy"
        path.write_bytes(b"x" * path.stat().st_size)
        with pytest.raises(ConfigurationError, match=r"language_offset\.npy.*restore"):
            OnnxEmbedder(copy).warm_up()

    def test_wrappers_hand_it_on(self, embedder: OnnxEmbedder) -> None:
        assert MemoEmbedder(embedder).language_offset is embedder.language_offset
        assert HashedWordsEmbedder().language_offset is None


def test_blocks_of_four_bits_are_weights() -> None:
    block = np.zeros((2, 18), np.uint8)
    block[:, :2] = np.asarray([0.5], "<f2").view(np.uint8)
    block[0, 2:] = 0x88  # nibbles of 8 stand for nothing
    block[1, 2] = 0xF0
    weights = dequantised(block)
    assert weights.shape == (64,)
    assert not weights[:32].any()
    assert (weights[32], weights[48]) == (-4.0, 3.5)


def test_four_threads_at_once() -> None:
    embedder = OnnxEmbedder(MODEL, threads=2)  # cold: the threads race to load it
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: embedder.embed(MIXED), range(12)))
    assert all(np.array_equal(result, results[0]) for result in results)


def test_building_one_reads_nothing(tmp_path: Path) -> None:
    embedder = OnnxEmbedder(tmp_path / "nowhere")
    with pytest.raises(ConfigurationError, match=r"nowhere.card\.json.*scripts/tuning"):
        _ = embedder.dimensions


@pytest.mark.parametrize(
    "name", ["lower.onnx", "upper.onnx", "tokenizer.json", "type.onnx", "relation.onnx", "words.q4"]
)
def test_a_missing_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    one = OnnxEmbedder(copy)
    for use in (OnnxEmbedder(copy).warm_up, lambda: one.intents_of(["a"])):
        with pytest.raises(ConfigurationError, match=rf"{name}: .*missing; restore"):
            use()


def test_the_tokenizer_of_a_file_is_read_once_until_it_is_changed() -> None:
    path = MODEL / "tokenizer.json"
    once = read_tokenizer(path, 1)
    assert read_tokenizer(path, 1) is once
    assert read_tokenizer(path, 2) is not once


def test_a_short_file_is_found_at_start(copy: Path) -> None:
    model = copy / "lower.onnx"
    model.write_bytes(model.read_bytes()[:-1])
    with pytest.raises(ConfigurationError, match=r"lower\.onnx: \d+ bytes where card\.json says \d+; restore"):
        OnnxEmbedder(copy).warm_up()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"id": "x"}', '{"id": "x", "dimensions": "many"}', "\udcff"])
def test_a_card_that_is_none(copy: Path, content: str) -> None:
    (copy / "card.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigurationError, match=r"card\.json: not a card"):
        OnnxEmbedder(copy).warm_up()


@pytest.mark.parametrize("name", ["lower.onnx", "upper.onnx", "tokenizer.json", "type.onnx", "relation.onnx"])
def test_a_file_of_the_right_size_that_cannot_be_loaded(copy: Path, name: str) -> None:
    (copy / name).write_bytes(b"?" * (copy / name).stat().st_size)
    with pytest.raises(ConfigurationError, match=rf"{name}: .*cannot|{name}: .*load"):
        OnnxEmbedder(copy).warm_up()
