from __future__ import annotations

import pytest
import tantivy
from hypothesis import given
from hypothesis import strategies as st

from engine.domain import Passage
from engine.retrieval.analysis import (
    QUERY_WORDS,
    TERM_BYTES,
    FieldWeights,
    build_query,
    build_schema,
    name_parts,
    names_in_code,
    passage_of,
    query_terms,
    register_analysers,
    stems,
    stored_passage,
    well_formed,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)


def terms(query: str, field: str) -> list[str]:
    return [term for name, term, _ in query_terms(query) if name == field]


def index_of(*texts: str, heading: str = "") -> tantivy.Index:
    index = tantivy.Index(build_schema())
    register_analysers(index)
    writer = index.writer(15_000_000, 1)
    for number, text in enumerate(texts):
        passage = Passage(id=str(number), document="d", title="T", heading=heading, text=text)
        writer.add_document(stored_passage(passage, text, "fingerprint", number))
    writer.commit()
    index.reload()
    return index


def found(index: tantivy.Index, query: str) -> list[str]:
    built = build_query(index.schema, query)
    if built is None:
        return []
    searcher = index.searcher()
    return [passage_of(searcher.doc(address), score).id for score, address in searcher.search(built, 10).hits]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("ñandú 😀", "ñandú 😀"),
        ("a\ud800b", "a\ufffdb"),
        ("\udc00", "\ufffd"),
        ("\ud83d\ude00", "😀"),
    ],
)
def test_well_formed(text: str, expected: str) -> None:
    assert well_formed(text) == expected


@given(ANY_TEXT)
def test_well_formed_text_has_a_utf8_form(text: str) -> None:
    well_formed(text).encode()


@given(st.text())
def test_well_formed_leaves_ordinary_text_alone(text: str) -> None:
    assert well_formed(text) == text


def test_names_in_code_are_told_from_words() -> None:
    text = "Call addVar or conector.variables, HTTP_get2, encodeSHA256, not Variable, NASA, ID or e-mail."
    assert names_in_code(text) == ["addVar", "HTTP_get2", "encodeSHA256"]


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("addVar", ["add", "Var"]),
        ("HTTP_get2", ["HTTP", "get", "2"]),
        ("AddvariableToJSON", ["Addvariable", "To", "JSON"]),
        ("IS_INSTANCE", ["IS", "INSTANCE"]),
        ("XMLParser", ["XML", "Parser"]),
        ("añoNuevo", ["año", "Nuevo"]),
    ],
)
def test_the_parts_of_a_name(name: str, parts: list[str]) -> None:
    assert name_parts(name) == parts


@pytest.mark.parametrize(
    ("query", "searched"),
    [
        ("¿Cómo registro un endpoint?", {"spanish": 1.0, "english": 0.3}),
        ("que hace addVar", {"spanish": 1.0, "english": 0.3}),
        ("dime los comandos de bucles", {"spanish": 1.0, "english": 0.3}),
        ("What is addVar in AVAP?", {"english": 1.0}),
        ("how do I read a parameter", {"english": 1.0}),
        ("addVar", {"english": 1.0, "spanish": 0.3}),
        ("變數是什麼", {"english": 1.0, "spanish": 0.3}),
    ],
)
def test_a_query_is_searched_for_in_its_language(query: str, searched: dict[str, float]) -> None:
    weights = {name: weight for name, _, weight in query_terms(query) if name in ("english", "spanish")}
    assert weights == searched


def test_the_frame_of_a_question_is_dropped() -> None:
    assert terms("What is addVar in AVAP?", "english") == ["is", "addvar", "in", "avap", "add", "var"]


def test_a_query_of_frame_alone_is_taken_at_its_word() -> None:
    assert terms("What can you do?", "english") == ["what", "can", "you", "do"]


def test_words_of_code_are_kept() -> None:
    assert terms("if not in for", "english") == ["if", "not", "in", "for"]


def test_a_spanish_query_drops_spanish_function_words_and_weighs_spanish_more() -> None:
    found_terms = list(query_terms("¿Cómo registro un endpoint?"))
    assert [term for name, term, _ in found_terms if name == "spanish"] == ["registr", "endpoint"]
    weights = {name: weight for name, _, weight in found_terms}
    assert weights["spanish"] > weights["english"] > 0


@pytest.mark.parametrize(
    "query", ["¿Cuáles son los límites que tienen los clientes?", "ENTRE LÍMITES Y CLIENTES, ¿QUÉ HAY?"]
)
def test_function_words_are_dropped_in_any_case(query: str) -> None:
    assert [term for name, term, _ in query_terms(query) if name == "spanish"] == ["limit", "client"]


def test_an_english_query_leaves_spanish_out() -> None:
    assert terms("the running horses", "english") == ["run", "hors"]
    assert terms("the running horses", "spanish") == []


def test_a_query_of_no_known_language_looks_in_both() -> None:
    weights = {name: weight for name, _, weight in query_terms("token")}
    assert weights["english"] > weights["spanish"] > 0


def test_no_field_has_a_term_twice() -> None:
    both = [(name, term) for name, term, _ in query_terms("run running runs addVar addVar ADDVAR")]
    assert len(both) == len(set(both))


def test_a_long_query_is_cut() -> None:
    assert len(terms(" ".join(f"word{n}" for n in range(10_000)), "identifier")) == QUERY_WORDS


def test_long_blobs_are_no_terms() -> None:
    assert list(query_terms("x" * (TERM_BYTES + 1))) == []


@given(ANY_TEXT)
def test_any_text_becomes_terms(text: str) -> None:
    for _, term, weight in query_terms(text):
        assert term
        assert weight > 0


@given(ANY_TEXT)
def test_any_text_becomes_a_query(text: str) -> None:
    built = build_query(build_schema(), text)
    assert built is None or isinstance(built, tantivy.Query)


@pytest.mark.parametrize("query", ["", "   ", "？？？？", "😀", "...", "\x00\x01"])
def test_a_query_without_words_is_none(query: str) -> None:
    assert build_query(build_schema(), query) is None


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("the horses were running", "horse runs"),
        ("los caballos corrían deprisa", "caballo correr"),
        ("Cómo se declara una variable", "declarando variables"),
        ("una canción preciosa", "cancion"),
        ("la can\u0303a", "caña"),
        ("addVar(total, 0)", "addvar"),
        ("addVar(total, 0)", "ADDVAR"),
        ("addVar(total, 0)", "add a var"),
        ("uses IS_INSTANCE here", "instance"),
        ("uses IS_INSTANCE here", "is_instance"),
        ("getTimeStamp", "time stamp"),
    ],
)
def test_what_belongs_together_is_found(text: str, query: str) -> None:
    assert found(index_of("nothing of the kind here", text), query)[:1] == ["1"]


def test_a_name_as_written_wins_over_its_parts() -> None:
    index = index_of("add a var and add another var, add var", "here addVar is explained at length with more words")
    assert found(index, "addVar")[0] == "1"


def test_words_of_the_heading_are_found() -> None:
    assert found(index_of("text without it", heading="Guide > Installation"), "installing") == ["0"]


def test_a_field_of_weight_zero_is_left_out() -> None:
    index = index_of("text without it", heading="Installation")
    assert build_query(index.schema, "installation", FieldWeights(0, 0, 0, 0)) is None


def test_a_passage_comes_back_as_it_was() -> None:
    passage = Passage(id="i d", document="a/b.md", title="T\u00edtulo", heading="A > B", text="  keep\n\n\tthis 😀 ")
    index = tantivy.Index(build_schema())
    register_analysers(index)
    writer = index.writer(15_000_000, 1)
    writer.add_document(stored_passage(passage, passage.text, "f", 1))
    writer.commit()
    index.reload()
    searcher = index.searcher()
    ((_, address),) = searcher.search(tantivy.Query.all_query(), 1).hits
    assert passage_of(searcher.doc(address), 0.0) == passage


@pytest.mark.parametrize(
    ("word", "text", "had"),
    [
        ("installed", "Installation and set-up", True),
        ("recorro", "Para recorrer una lista", True),
        ("glaze", "glazing a pot", True),
        ("price", "the prize", False),
        ("\ud800", "a lone surrogate", False),
    ],
)
def test_a_text_has_a_form_of_a_word_in_either_language(word: str, text: str, had: bool) -> None:
    assert bool(stems(word) & stems(text)) is had
