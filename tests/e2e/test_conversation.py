"""Conversations over the wire, on the embedded engine and without a model: searches are made when they are needed."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from engine.client import AssistanceClient
from engine.v1 import engine_pb2 as pb

DOCUMENTS = {
    "features.md": (
        "# Features\n\n## Feature 1\n\nFeature 1 exports reports as PDF. It runs every night at two. An administrator "
        "can switch it off in the settings. The reports stay on the server for thirty days.\n\n"
        "## Limits of feature 1\n\nFeature 1 keeps the last two hundred reports. A report has at most ninety pages.\n"
    ),
    "crosslab.md": "# CrossLab\n\nCrossLab compares the results of two laboratories. It needs an account of its own.\n",
    "funciones.md": (
        "# Funciones\n\n## La función 1\n\nLa función 1 exporta informes en PDF. Se ejecuta cada noche a las dos. Un "
        "administrador puede apagarla en los ajustes. Los informes se guardan durante treinta días.\n"
    ),
    "eligibility.md": (
        "# Eligibility\n\nA family meets the income requirement when its income is at or below 85 % of the State "
        "Median Income (SMI).\n\n# SMI by family size\n\n- The SMI for a family of 3 is $76,500 a year.\n"
        "- The SMI for a family of 4 is $92,041 a year.\n- The SMI for a family of 5 is $106,768 a year.\n"
    ),
}


@pytest.fixture(scope="module")
def talking(tmp_path_factory: pytest.TempPathFactory, run_command: Callable[..., Any]) -> Any:
    """A service over the documents of this module."""
    from tests.conftest import Service

    folder = tmp_path_factory.mktemp("documents")
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text, "utf-8")
    data = tmp_path_factory.mktemp("data")
    done = run_command(data, "index", str(folder))
    assert done.returncode == 0, done.stderr
    running = Service(data, tmp_path_factory.mktemp("log") / "log")
    yield running
    running.end()


class Session:
    """One conversation."""

    def __init__(self, client: AssistanceClient) -> None:
        self._client = client
        self._id = uuid.uuid4().hex
        self.searches = 0

    async def say(self, query: str) -> Any:
        answer = await self._client.ask(query, session_id=self._id)
        self.searches += answer.searches
        return answer


@pytest.fixture
async def session(talking: Any) -> AsyncIterator[Session]:
    async with AssistanceClient(talking.address) as client:
        yield Session(client)


@pytest.mark.parametrize(
    ("first", "more", "other"),
    [
        ("What is feature 1?", "Tell me more about the first one.", "What about CrossLab?"),
        ("¿Qué es la función 1?", "Cuéntame más sobre la primera.", "¿Y CrossLab?"),
    ],
)
async def test_more_needs_no_search_and_another_topic_does(session: Session, first: str, more: str, other: str) -> None:
    told = await session.say(first)
    assert session.searches == 1
    further = await session.say(more)
    assert session.searches == 1
    assert further.route.relation == pb.CONTEXTUAL_FOLLOW_UP
    assert further.route.action == pb.HISTORY
    assert further.text not in told.text
    assert {piece.origin for piece in further.citations} == {pb.LEDGER}
    about = await session.say(other)
    assert session.searches == 2
    assert "CrossLab" in about.text


@pytest.mark.parametrize(
    ("first", "more"),
    [("What is feature 1?", "Elaborate on that."), ("¿Qué es la función 1?", "Profundiza en eso.")],
)
async def test_elaborating_needs_no_search(session: Session, first: str, more: str) -> None:
    await session.say(first)
    answer = await session.say(more)
    assert session.searches == 1
    assert answer.citations


@pytest.mark.parametrize(
    ("first", "recall", "says"),
    [
        ("What is feature 1?", "What was my first question?", "What is feature 1?"),
        ("¿Qué es la función 1?", "¿Cuál fue mi primera pregunta?", "¿Qué es la función 1?"),
        ("What is feature 1?", "what did I ask before?", "What is feature 1?"),
        ("¿Qué es la función 1?", "¿qué te pregunté antes?", "¿Qué es la función 1?"),
        ("What is feature 1?", "do you remember what we talked about?", "What is feature 1?"),
        ("What about CrossLab?", "what did you say about CrossLab?", "two laboratories"),
        ("¿Qué es la función 1?", "¿qué me dijiste sobre la función 1?", "informes"),
    ],
)
async def test_what_was_said_is_told_again_without_a_search(
    session: Session, first: str, recall: str, says: str
) -> None:
    await session.say(first)
    answer = await session.say(recall)
    assert session.searches == 1
    assert answer.route.relation == pb.HISTORY_RECALL
    assert says in answer.text


async def test_facts_across_turns(session: Session) -> None:
    share = await session.say("What percentage of SMI determines eligibility?")
    assert "85 %" in share.text
    amount = await session.say("What is SMI for family of 4?")
    assert "$92,041" in amount.text
    cutoff = await session.say("Calculate the exact income cutoff for that family")
    assert "$78,235" in cutoff.text
    judged = await session.say("If family of 4 makes $4,500/month, qualify?")
    assert judged.text.startswith("Yes")
    assert "$54,000" in judged.text
    again = await session.say("Based on what you told me, calculate the cutoff")
    assert "$78,235" in again.text
    assert session.searches == 2
    assert {piece.document.rsplit("/", 1)[-1] for piece in cutoff.citations} == {"eligibility.md"}


async def test_a_courtesy_is_not_what_is_reworked(session: Session) -> None:
    first = await session.say("What are the limits of feature 1?")
    await session.say("thanks!")
    short = await session.say("shorter")
    assert 0 < len(short.text) < len(first.text)
    assert short.citations[0].passage_id == first.citations[0].passage_id
    listed = await session.say("Give me that as a list")
    assert listed.text.startswith("- ")
    assert session.searches == 1
    item = await session.say("What was the first item of your list?")
    assert listed.text.splitlines()[0].removeprefix("- ").split(" [")[0] in item.text
    assert session.searches == 1


async def test_a_follow_up_that_the_passages_do_not_cover_is_searched_for(session: Session) -> None:
    await session.say("What is feature 1?")
    answer = await session.say("Who invented it?")
    assert answer.route.action == pb.REWRITE
    assert session.searches == 2
    assert "feature" in answer.route.search_query


ACCOUNT = (
    '{"plan": {"name": "Skipper", "renews_on": "2027-04-02"}, "exports": {"used": 30, "limit": 40}, '
    '"storage_gb": {"used": 12.5, "limit": 50}}'
)


@pytest.mark.parametrize(
    ("first", "more", "says"),
    [
        ("How many exports have I used?", "and how many are left?", "10 left (40 − 30)"),
        ("How many exports have I used?", "what percentage is that?", "75% used (30 of 40)"),
        ("¿Cuánto almacenamiento he gastado?", "¿y cuánto me queda?", "quedan 37,5 GB"),
        ("How is my usage?", "and when does my plan renew?", "April 2, 2027"),
        ("How is my usage?", "and the storage?", "12.5 GB"),
    ],
)
async def test_figures_of_an_earlier_turn_hold_for_the_next(talking: Any, first: str, more: str, says: str) -> None:
    session_id = uuid.uuid4().hex
    async with AssistanceClient(talking.address) as client:
        told = await client.ask(first, session_id=session_id, extra_context=ACCOUNT)
        assert told.route.type == pb.PLATFORM
        answer = await client.ask(more, session_id=session_id)
        assert says in answer.text
        assert (answer.route.type, answer.searches) == (pb.PLATFORM, 0)
        about = await client.ask("What does CrossLab compare?", session_id=session_id)
        assert about.route.type == pb.RETRIEVAL
        assert "two laboratories" in about.text
        stored = await client.session(session_id)
        assert [turn.extra_context for turn in stored.turns] == [ACCOUNT, "", ""]
        await client.delete_session(session_id)
        again = await client.ask(more, session_id=session_id)
        assert says not in again.text
