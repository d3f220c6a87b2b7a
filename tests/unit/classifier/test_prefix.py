import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import classifier
from classifier.decision import Layer, Query, QueryType
from classifier.prefix import HEAD_CHARS, PrefixFileError, PrefixLayer, normalised_head
from classifier.reasons import Reason

SHIPPED = Path(classifier.__file__).parent / "data" / "prefixes.json"
LAYER = PrefixLayer(["You have a project", "Provide an insight", "Métricas de la cuenta:", "Eres un asistente"])


@pytest.mark.parametrize(
    "text",
    [
        "You have a project",
        "You have a project usage percentage of 20%",
        "  you HAVE\n\ta   project, and more",
        "ＹＯＵ have a project",  # full width letters
        "You have a project: 20%",
        "You have a project. Provide advice",
        "Provide an insight",
        "provide an insight.Rules: exactly 3 sentences",
        "métricas de la cuenta:20%",  # the prefix ends with a sign, so a word may follow at once
        "MÉTRICAS DE LA CUENTA: 20%",
        "me\u0301tricas de la cuenta: 20%",  # the accent as a character of its own
        "Eres un asistente, directo",
    ],
)
def test_a_known_opening_is_platform(text: str) -> None:
    opinion = LAYER.opinion(Query(text))
    assert (opinion.type, opinion.confidence, opinion.reason) == (QueryType.PLATFORM, 1.0, Reason.PREFIX)
    assert opinion.layer is Layer.PREFIX
    assert opinion.best is QueryType.PLATFORM


def test_from_a_caller_who_may_not_speak_as_the_platform_an_opening_is_text() -> None:
    query = Query("You have a project usage percentage of 20%", platform=False)
    for opinion in (LAYER.opinion(query), *LAYER.decide_many([query])):
        assert (opinion.type, opinion.reason) == (None, Reason.NO_PREFIX)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        ".",
        "You have a projector",
        "You have a project2",
        "You have a proj",
        "Do You have a project",
        "provide an insightful summary",
        "Eres un asistentes",
        "What is addVar in AVAP?",
        "\x00\ud800",
    ],
)
def test_anything_else_abstains(text: str) -> None:
    opinion = LAYER.opinion(Query(text))
    assert (opinion.type, opinion.confidence, opinion.reason, opinion.best) == (None, 0.0, Reason.NO_PREFIX, None)


def test_the_longest_prefix_is_named() -> None:
    layer = PrefixLayer(["You have", "You have a project usage", "You have a project"])
    assert layer.match("you have a project usage of 3") == "you have a project usage"
    assert layer.match("you have a project plan") == "you have a project"
    assert layer.match("you have none") == "you have"


async def test_decide_and_decide_many_agree() -> None:
    queries = [Query("You have a project"), Query("hello"), Query("Provide an insight now")]
    many = LAYER.decide_many(queries)
    assert [opinion.type for opinion in many] == [QueryType.PLATFORM, None, QueryType.PLATFORM]
    assert [(await LAYER.decide(query)).type for query in queries] == [opinion.type for opinion in many]


def test_an_empty_prefix_is_refused() -> None:
    with pytest.raises(ValueError, match="would match every message"):
        PrefixLayer(["fine", "  "])


def test_a_long_text_costs_no_more_than_its_head() -> None:
    start = time.perf_counter()
    assert LAYER.match("word " * 1_000_000) is None
    assert time.perf_counter() - start < 5
    assert len(normalised_head("x" * 10 * HEAD_CHARS)) == HEAD_CHARS


@given(st.text())
def test_no_text_raises(text: str) -> None:
    assert LAYER.opinion(Query(text)).reason in (Reason.PREFIX, Reason.NO_PREFIX)


@given(st.text(max_size=50))
def test_what_follows_a_prefix_and_a_space_does_not_matter(rest: str) -> None:
    assert LAYER.match(f"You have a project \n{rest}") is not None


class TestFile:
    def write(self, folder: Path, content: object) -> Path:
        path = folder / "prefixes.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    def test_a_file_is_read(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, {"version": 1, "prefixes": [{"text": "Status of", "language": "en"}]})
        layer = PrefixLayer.from_file(path)
        assert layer.version == 1
        assert layer.match("status of my account") == "status of"

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            ("{", "is not JSON"),
            ("", "is not JSON"),
            ([], "not a prefix file of version 1"),
            ({"version": 2, "prefixes": [{"text": "a"}]}, "not a prefix file of version 1"),
            ({"version": 1}, "no list of prefixes"),
            ({"version": 1, "prefixes": []}, "no list of prefixes"),
            ({"version": 1, "prefixes": {"text": "a"}}, "no list of prefixes"),
            ({"version": 1, "prefixes": [{"text": "a"}, {"language": "en"}]}, "prefix number 2 has no text"),
            ({"version": 1, "prefixes": [{"text": " "}]}, "prefix number 1 has no text"),
            ({"version": 1, "prefixes": ["a"]}, "prefix number 1 has no text"),
            ({"version": 1, "prefixes": [{"text": 3}]}, "prefix number 1 has no text"),
        ],
    )
    def test_an_unusable_file_is_named(self, tmp_path: Path, content: object, problem: str) -> None:
        path = self.write(tmp_path, content)
        with pytest.raises(PrefixFileError, match=problem) as caught:
            PrefixLayer.from_file(path)
        assert str(path) in str(caught.value)

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(PrefixFileError, match=r"nowhere\.json: cannot be read"):
            PrefixLayer.from_file(tmp_path / "nowhere.json")

    def test_a_file_in_another_encoding_is_named(self, tmp_path: Path) -> None:
        path = tmp_path / "latin.json"
        path.write_bytes('{"version": 1, "prefixes": [{"text": "métricas"}]}'.encode("latin-1"))
        with pytest.raises(PrefixFileError, match="UTF-8"):
            PrefixLayer.from_file(path)


@pytest.mark.parametrize(
    "text",
    [
        "You are a direct and concise assistant. Answer in two lines.",
        "You have a project usage percentage of 20%. Provide an insight. Rules: Exactly 3 sentences.",
        "You have a project usage percentage of 20%, provide a recommendation",
        "Provide an insight",
        "Eres un asistente directo y conciso. Resume.",
    ],
)
def test_the_shipped_prefixes_know_the_product_s_openings(text: str) -> None:
    assert PrefixLayer.from_file(SHIPPED).opinion(Query(text)).type is QueryType.PLATFORM


@pytest.mark.parametrize(
    "text",
    ["You have a typo in line 3", "What is a project?", "Provide an example of addVar", "¿Eres un asistente?", "you"],
)
def test_the_shipped_prefixes_leave_users_alone(text: str) -> None:
    assert PrefixLayer.from_file(SHIPPED).opinion(Query(text)).type is None
