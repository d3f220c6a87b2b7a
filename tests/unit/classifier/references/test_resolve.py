import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classifier.decision import IntentEntry, Layer, Opinion, Query, QueryType
from classifier.reasons import Reason
from classifier.references.resolve import (
    RULE_CONFIDENCE,
    Kind,
    about_editor,
    folded,
    has_code,
    kind_of,
    last_substantial,
    leans_on_conversation,
    resolve,
)

R, G, C, P = QueryType


def turns(*kinds: QueryType) -> tuple[IntentEntry, ...]:
    return tuple(IntentEntry(kind, "an earlier query") for kind in kinds)


def opinion(best: QueryType = C, *, abstains: bool = False) -> Opinion:
    return Opinion(
        Layer.EMBEDDING, None if abstains else best, 0.7, "confident", runner_up=R, runner_up_confidence=0.2, best=best
    )


CODE_WORK = [
    "repair all the mistakes here",
    "please solve these problems",
    "quita los fallos de aquí",
    "solucióname los problemas",
    "fix it",
    "Fix this!",
    "please fix this",
    "can you fix this function?",
    "debug this",
    "refactor this to use async",
    "refactor the selected code",
    "optimize it",
    "optimise this query",
    "document it",
    "document this function",
    "comment this code",
    "clean this up",
    "convert it to python",
    "convert this function to typescript",
    "translate this code to go",
    "add comments",
    "add comments to it",
    "add some unit tests",
    "write tests for this",
    "generate docstrings",
    "add error handling to this function",
    "make it faster",
    "make it work",
    "why doesn't it work",
    "it doesn't work",
    "what's wrong with this code?",
    "what is wrong here",
    "find the bug",
    "test this",
    "review my code",
    "arréglalo",
    "arregla esto",
    "Corrige este código.",
    "corrígelo",
    "refactorízalo",
    "optimiza esta función",
    "documenta esto",
    "documéntalo",
    "comenta el código",
    "añade comentarios",
    "agrega comentarios a esta función",
    "escribe pruebas para esto",
    "pon tipos",
    "por qué no funciona",
    "¿por qué falla?",
    "no compila",
    "esto no funciona",
    "hazlo funcionar",
    "mejóralo por favor",
]

EXPLANATION = [
    "explain this",
    "Explain this.",
    "explain",
    "please explain this",
    "explain it to me",
    "explain this code",
    "explain the selected function",
    "explain this step by step",
    "can you explain this",
    "explain what this does",
    "what does this do?",
    "what does this mean",
    "what is this",
    "what's this for",
    "how does this work",
    "describe this",
    "walk me through this code",
    "I don't understand this",
    "explica esto",
    "explícame esto",
    "Explica este código",
    "explícalo",
    "explica la función",
    "¿qué hace esto?",
    "qué hace esta función",
    "qué significa esto",
    "¿para qué sirve esto?",
    "¿cómo funciona esto?",
    "no entiendo esto",
]

SELF_CONTAINED = [
    "What is addVar in AVAP?",
    "Write an endpoint that returns hello world",
    "¿Cómo registro un endpoint?",
    "cuántas llamadas llevo este mes?",
    "You have a project usage percentage of 20%, provide a recommendation",
    "explain how addVar works in AVAP",
    "explain polymorphism",
    "explain this error: KeyError 'id' in handler.py at line 3",
    "fix my subscription",
    "fix the charge on my account",
    "add a user to my plan",
    "document management systems",
    "what does addParam do",
    "what is a closure",
    "translate hello to Spanish",
    "tell me more about the AVAP language",
    "summarize the documentation of addVar",
    "show my usage as a table",
    "give me the last invoice in English",
    "arregla mi factura",
    "explica qué es addVar",
    "resume el documento de facturación",
    "thanks",
    "hello",
    "what was my first question?",
    "why doesn't my card work",
    "",
    ".",
    "？？？？",
    "寫一句鼓勵正在準備考試的學生的話。",
]


class TestKinds:
    @pytest.mark.parametrize("text", CODE_WORK)
    def test_work_on_code(self, text: str) -> None:
        assert kind_of(text) is Kind.CODE_WORK

    @pytest.mark.parametrize("text", EXPLANATION)
    def test_explanations(self, text: str) -> None:
        assert kind_of(text) is Kind.EXPLANATION

    @pytest.mark.parametrize("text", SELF_CONTAINED)
    def test_what_stands_on_its_own(self, text: str) -> None:
        assert kind_of(text) is Kind.NOTHING

    @pytest.mark.parametrize(
        "text", ["explain this\n\ndef f(): pass", "fix it\nx = 1", f"explain this {'and that ' * 20}"]
    )
    def test_long_or_pasted_text_is_left_to_the_model(self, text: str) -> None:
        assert kind_of(text) is Kind.NOTHING

    @pytest.mark.parametrize(
        "text",
        ["and " * 100, "explain " * 50, "please can you just " * 20 + "x", "a" * 10_000, "make it " * 300, "que " * 90],
    )
    def test_no_text_takes_long(self, text: str) -> None:
        start = time.perf_counter()
        kind_of(text)
        leans_on_conversation(text)
        about_editor(Query(text, has_selection=True), G)
        assert time.perf_counter() - start < 5  # a pattern that backtracks takes minutes

    @given(st.text(max_size=300))
    def test_no_text_raises(self, text: str) -> None:
        assert kind_of(text) in Kind
        assert leans_on_conversation(text) in (True, False)

    def test_folding(self) -> None:
        assert folded("¿Qué  HACE esto?") == "que hace esto"
        assert folded("don’t C++ C#; a_b") == "don't c++ c#; a b"


class TestLeaning:
    @pytest.mark.parametrize(
        "text",
        [
            *CODE_WORK,
            *EXPLANATION,
            "and the other one?",
            "What about CrossLab?",
            "¿y el segundo?",
            "what did you mean by that?",
            "Calculate the exact income cutoff for that family",
            "why is it slower than the previous one?",
            "¿y cuánto cuesta eso al mes?",
            "lo anterior pero con ejemplos",
            "... and then?",
            "… go on",
            "thanks",
            "addVar?",
            "",
        ],
    )
    def test_it_leans(self, text: str) -> None:
        assert leans_on_conversation(text)

    @pytest.mark.parametrize(
        "text",
        [
            "What is addVar in AVAP?",
            "Write an endpoint that returns hello world",
            "cuántas llamadas llevo este mes?",
            "¿Cómo registro un endpoint en AVAP?",
            "how many calls did I make this month?",
            "You have a project usage percentage of 20%, provide a recommendation",
            "What percentage of SMI determines eligibility?",
            "¿qué diferencia hay entre addParam y addVar?",
            "Write a function that takes a list and sorts it by the key that the caller names, then test it on three lists",
        ],
    )
    def test_it_stands_alone(self, text: str) -> None:
        assert not leans_on_conversation(text)


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        ((), None),
        (turns(C), None),
        (turns(C, C, C), None),
        (turns(R), R),
        (turns(R, G), G),
        (turns(G, C), G),
        (turns(G, C, C, P), P),
        (turns(P, R, C), R),
    ],
)
def test_the_last_substantial_turn(history: tuple[IntentEntry, ...], expected: QueryType | None) -> None:
    assert last_substantial(history) is expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query("x"), False),
        (Query("x", has_selection=True), True),
        (Query("x", has_editor=True), True),
        (Query("x", has_context=True), False),
        (Query("x", history=turns(G)), True),
        (Query("x", history=turns(G, C)), True),
        (Query("x", history=turns(G, R)), False),
    ],
)
def test_evidence_of_code(query: Query, expected: bool) -> None:
    assert has_code(query) is expected


class TestEvidence:
    @pytest.mark.parametrize(
        "text", ["explain this", "fix it", "arréglalo", "explica esto", "¿qué hace esto?", "add comments"]
    )
    @pytest.mark.parametrize(
        "evidence",
        [
            Query("", has_selection=True),
            Query("", has_editor=True),
            Query("", history=turns(G, G)),
            Query("", history=turns(R, G)),
            Query("", history=turns(G, C)),
            Query("", history=turns(P, P, P), has_selection=True),
            Query("", history=turns(R), has_editor=True),
        ],
    )
    @pytest.mark.parametrize("abstains", [True, False])
    def test_with_code_it_is_about_code(self, text: str, evidence: Query, abstains: bool) -> None:
        query = Query(text, None, evidence.history, evidence.has_selection, evidence.has_editor)
        found = resolve(query, opinion(C, abstains=abstains))
        assert (found.type, found.best, found.reason) == (G, G, Reason.REFERENCE_TO_CODE)
        assert found.editor
        assert found.layer is Layer.EMBEDDING
        assert found.confidence == RULE_CONFIDENCE
        assert found.runner_up is C

    @pytest.mark.parametrize("text", EXPLANATION)
    @pytest.mark.parametrize("history", [turns(R), turns(P), turns(P, P), turns(G, R), turns(C), turns(R, C)])
    def test_without_code_an_explanation_is_of_the_answer(self, text: str, history: tuple[IntentEntry, ...]) -> None:
        found = resolve(Query(text, history=history), opinion(G))
        assert (found.type, found.reason, found.editor) == (C, Reason.REFERENCE_TO_CONVERSATION, False)

    @pytest.mark.parametrize("text", ["explain this", "fix it", "document it", "¿qué hace esto?"])
    def test_without_anything_the_words_decide(self, text: str) -> None:
        assert resolve(Query(text), opinion(G)) == opinion(G)
        assert resolve(Query(text), opinion(R, abstains=True)) == opinion(R, abstains=True)

    @pytest.mark.parametrize("history", [turns(R), turns(P)])
    def test_work_on_code_without_code_is_left_to_the_words(self, history: tuple[IntentEntry, ...]) -> None:
        assert resolve(Query("fix it", history=history), opinion(G)) == opinion(G)

    def test_figures_that_came_beside_it(self) -> None:
        found = resolve(Query("explain this", has_context=True), opinion(C))
        assert (found.type, found.reason) == (P, Reason.REFERENCE_TO_FIGURES)
        assert resolve(Query("explain this", has_context=True, has_selection=True), opinion(C)).type is G

    @pytest.mark.parametrize("text", SELF_CONTAINED)
    @pytest.mark.parametrize("kind", list(QueryType))
    @pytest.mark.parametrize("history", [turns(R) * 5, turns(G) * 5, turns(C) * 5, turns(P) * 5, turns(P, R, G, C)])
    def test_history_never_changes_what_stands_alone(
        self, text: str, kind: QueryType, history: tuple[IntentEntry, ...]
    ) -> None:
        assert resolve(Query(text, history=history), opinion(kind)) == opinion(kind)

    def test_agreement_keeps_the_higher_confidence(self) -> None:
        sure = Opinion(Layer.EMBEDDING, G, 0.99, "confident", runner_up=C, runner_up_confidence=0.01, best=G)
        found = resolve(Query("fix it", has_selection=True), sure)
        assert (found.confidence, found.runner_up, found.runner_up_confidence) == (0.99, C, 0.01)


class TestEditor:
    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            (Query("explain this", has_selection=True), True),
            (Query("explain this", history=turns(G)), True),
            (Query("explain this"), False),
            (Query("refactor this function", has_editor=True), True),
            (Query("use a dictionary instead of the two lists", has_selection=True), True),
            (Query("rename the variable total to amount", has_selection=True), True),
            (Query("what does the function in my editor return", has_editor=True), True),
            (Query("¿qué devuelve la función seleccionada del archivo?", has_editor=True), True),
            (Query("add a check to this file so that it never divides by zero", has_editor=True), True),
            (Query("add a check to this file so that it never divides by zero"), False),
            (Query("Write an endpoint that returns hello world", has_editor=True), False),
            (Query("Write an endpoint that returns hello world", has_selection=True), False),
            (Query("escribe una función que sume dos números", has_selection=True), False),
            (Query("how do I sort a list in python", has_editor=True), False),
        ],
    )
    def test_what_is_about_code_that_is_there(self, query: Query, expected: bool) -> None:
        assert about_editor(query, G) is expected

    @pytest.mark.parametrize("kind", [R, C, P])
    def test_only_code_can_be(self, kind: QueryType) -> None:
        assert not about_editor(Query("explain this", has_selection=True), kind)

    def test_the_flag_reaches_an_opinion_that_no_rule_changes(self) -> None:
        query = Query("rename the variable total to amount", has_selection=True)
        assert resolve(query, opinion(G)).editor
        assert not resolve(query, opinion(R)).editor
        assert resolve(query, opinion(G)).type is G
