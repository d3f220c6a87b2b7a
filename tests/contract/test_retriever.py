"""What every `Retriever` promises. One suite, run on every implementation."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from engine.domain import Passage
from engine.errors import DependencyUnavailable
from engine.retrieval.elastic.index import ElasticIndex
from engine.retrieval.local.index import LocalIndex
from engine.retrieval.port import Document, Half, Index, Retriever
from engine.testing import HashedWordsEmbedder
from tests import elastic_backend

Opener = Callable[[], Index]
EMBEDDER = HashedWordsEmbedder(256)
#: Seconds for a search on the server: many at once are tried here, and how fast the machine is is not.
PATIENCE = 20.0
IMPLEMENTATIONS = ["local", pytest.param("elastic", marks=pytest.mark.backends)]


@pytest.fixture(params=IMPLEMENTATIONS)
def implementation(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def open_index(implementation: str, tmp_path: Path) -> AsyncIterator[Opener]:
    """Opens one and the same index, of the implementation that is tested, as often as it is called."""
    opened: list[Index] = []
    with ExitStack() as made:
        own = cache(lambda: made.enter_context(elastic_backend.index_of_its_own()))

        def open_one() -> Index:
            local = implementation == "local"
            opened.append(LocalIndex(tmp_path / "index", EMBEDDER) if local else ElasticIndex(own(), EMBEDDER))
            return opened[-1]

        yield open_one
        for index in opened:
            await index.close()


def document(name: str, text: str, title: str = "", kind: str = "markdown") -> Document:
    return Document(name=name, title=title, text=text, kind=kind, source=f"/docs/{name}", digest=text)


LIBRARY = [
    document("guide.md", "## Variables\n\n`addVar(name, value)` declares a variable.\n\n## Loops\n\nstartLoop counts."),
    document("cooking.md", "## Soup\n\nBoil the leeks slowly.\n\n## Bread\n\nKnead the dough, then bake it."),
    document("guia.md", "## Variables\n\nLas variables se declaran al principio del programa.", title="Guía"),
    *(document(f"filler-{n}", f"Sentence {n} about gardens, rivers and hill{n}.", kind="passage") for n in range(30)),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An embedded index that holds LIBRARY, for the same tests."""
    made = tmp_path_factory.mktemp("library")
    LocalIndex(made, EMBEDDER).index(LIBRARY)
    return made


@pytest.fixture(scope="module")
def library() -> Iterator[Callable[[], ElasticIndex]]:
    """Opens an index on the server that holds LIBRARY, for the same tests; the first puts it there."""
    left = list(LIBRARY)
    with ExitStack() as made:
        own = cache(lambda: made.enter_context(elastic_backend.index_of_its_own()))

        def open_one() -> ElasticIndex:
            index = ElasticIndex(own(), EMBEDDER, budget=PATIENCE)
            if left:
                index.index(left)
                left.clear()
            return index

        yield open_one


@pytest.fixture
async def retriever(implementation: str, folder: Path, library: Callable[[], Index]) -> AsyncIterator[Retriever]:
    index = LocalIndex(folder, EMBEDDER) if implementation == "local" else library()
    yield index
    await index.close()


def ids(passages: Iterable[Passage]) -> list[str]:
    return [passage.id for passage in passages]


@pytest.mark.parametrize("half", list(Half))
async def test_the_passage_that_answers_comes_first(retriever: Retriever, half: Half) -> None:
    best = (await retriever.search("knead dough bake bread", half=half))[0]
    assert best.document == "cooking.md"
    assert best.heading == "Bread"
    assert best.text == "Knead the dough, then bake it."


async def test_names_of_code_are_found_as_written_and_in_any_case(retriever: Retriever) -> None:
    for query in ("addVar", "ADDVAR", "what does addvar do?", "How do I add a var?"):
        assert (await retriever.search(query, half=Half.TEXT))[0].heading == "Variables"


async def test_words_are_found_in_their_other_forms(retriever: Retriever) -> None:
    assert (await retriever.search("baking", half=Half.TEXT))[0].heading == "Bread"
    assert (await retriever.search("declarando al principio", half=Half.TEXT))[0].document == "guia.md"


async def test_headings_and_titles_are_searched(retriever: Retriever) -> None:
    assert (await retriever.search("soup", half=Half.TEXT))[0].text == "Boil the leeks slowly."
    assert (await retriever.search("guía", half=Half.TEXT))[0].document == "guia.md"


@pytest.mark.parametrize("half", list(Half))
@pytest.mark.parametrize("query", ["gardens rivers", "addVar variable", "Sentence 7", "las variables"])
async def test_scores_fall_and_nothing_comes_twice(retriever: Retriever, half: Half, query: str) -> None:
    passages = await retriever.search(query, k=20, half=half)
    assert passages
    assert len(set(ids(passages))) == len(passages)
    scores = [passage.score for passage in passages]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("half", list(Half))
@pytest.mark.parametrize("k", [1, 3, 10, 1_000])
async def test_at_most_k_are_found(retriever: Retriever, half: Half, k: int) -> None:
    assert 0 < len(await retriever.search("gardens", k=k, half=half)) <= min(k, await retriever.count())


@pytest.mark.parametrize("k", [0, -1])
async def test_none_are_found_when_none_are_asked_for(retriever: Retriever, k: int) -> None:
    assert await retriever.search("gardens", k=k) == []


async def test_eight_are_found_unless_otherwise_asked(retriever: Retriever) -> None:
    assert len(await retriever.search("gardens rivers hills")) == 8


@pytest.mark.parametrize("half", list(Half))
async def test_the_same_question_has_the_same_answer(retriever: Retriever, half: Half) -> None:
    first = await retriever.search("gardens and rivers", half=half)
    assert await retriever.search("gardens and rivers", half=half) == first


async def test_more_is_the_same_and_more(retriever: Retriever) -> None:
    assert ids(await retriever.search("gardens 5", k=10))[:3] == ids(await retriever.search("gardens 5", k=3))


async def test_the_halves_together_find_what_either_finds(retriever: Retriever) -> None:
    query = "leeks"
    both = ids(await retriever.search(query, k=50))
    for half in (Half.TEXT, Half.DENSE):
        assert set(ids(await retriever.search(query, k=20, half=half))) <= set(both)


async def test_passages_are_counted(retriever: Retriever) -> None:
    assert await retriever.count() == 35


async def test_it_answers_a_ping(retriever: Retriever) -> None:
    await retriever.ping()


@pytest.mark.parametrize("half", list(Half))
async def test_an_empty_index_finds_nothing(open_index: Opener, half: Half) -> None:
    index = open_index()
    assert await index.search("anything", half=half) == []
    assert await index.count() == 0
    await index.ping()
    await index.close()


@pytest.mark.parametrize("half", list(Half))
async def test_an_emptied_index_finds_nothing(open_index: Opener, half: Half) -> None:
    index = open_index()
    index.index(LIBRARY[:4])
    index.index([], roots=["/docs"])
    assert await index.search("gardens", half=half) == []
    assert await index.count() == 0
    await index.close()


@pytest.mark.parametrize("query", ["", " ", "\n\t\r", "\u3000"])
async def test_a_blank_query_finds_nothing(retriever: Retriever, query: str) -> None:
    assert await retriever.search(query) == []


async def test_many_searches_at_once(retriever: Retriever) -> None:
    queries = [f"hill{n % 30}" for n in range(60)]
    answers = await asyncio.gather(*(retriever.search(query, k=1, half=Half.TEXT) for query in queries))
    assert [ids(passages) for passages in answers] == [[f"filler-{n % 30}"] for n in range(60)]


async def test_a_search_that_is_given_up_disturbs_no_other(retriever: Retriever) -> None:
    tasks = [asyncio.create_task(retriever.search("gardens")) for _ in range(20)]
    for task in tasks[::2]:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(result, list) and result for result in results[1::2])
    assert await retriever.search("leeks")


async def test_closing_twice_is_once(retriever: Retriever) -> None:
    await retriever.search("gardens")
    await retriever.close()
    await retriever.close()


async def test_what_is_closed_cannot_be_asked(retriever: Retriever) -> None:
    await retriever.close()
    for question in (retriever.search("gardens"), retriever.count(), retriever.ping()):
        with pytest.raises(DependencyUnavailable):
            await question


SYNTAX = [
    *'"\'()[]{}<>+-~^*?:!&|\\/=@#$%;,._`',
    "AND", "OR", "NOT", "TO", "IN", "NEAR", "a AND", "OR b", "NOT NOT", "AND OR NOT", "(", "((((", "))))", "()", "( )",
    'title:"x', "title:", ":x", "text:*", "*:*", "*", "a*", "*a", "?", "a?b", "a~", "a~2", '"a b"~3', "a^2", "a^", "^5",
    "[a TO b]", "[a TO", "{a TO b}", "TO b]", "[* TO *]", "field:[1 TO 2}", ">=5", "field:>5", "IN [a b c]",
    "+a -b", "+", "-", "--", "+-a", "-a", '+"a b" -"c d"', "\\", "\\\\", "\\x", "a\\", '\\"', '"', '""', '"""', "'a",
    "/regex/", "/re[/", "/", "//", "/.*/", "a/b/c", "http://a.b/c?d=e&f=g#h", "a:b:c", "::", "a::b", "{}", "{{}}", "[]",
    "[[", "]]", "${x}", "$(x)", "`x`", "%s %d", "%00", "%n", "{0}", "{{x}}", "<script>alert(1)</script>", "</x>", "<!--",
    "' OR 1=1 --", "; DROP TABLE passages;", "1; --", "a=b", "a==b", "a!=b", "a&&b", "a||b", "!a", "!!", "a,b", "a;b",
    '{"query": {"match_all": {}}}', '{"a": [1, 2', "null", "None", "undefined", "NaN", "true", "0", "-0", "1e309", "0x1F",
    "match_all", "_all", "_id:1", "key:1", "fingerprint:*", "a  b", " a ", "a\tb", "a\nb", "a\r\nb",
]  # fmt: skip
UNICODE = [
    "\x00", "a\x00b", "\x01\x02\x03", "\x07", "\x08", "\x1b[31m", "\x7f", "\x80", "\x85", "\xa0", "\xad", "\u00b7",
    "\u0300", "e\u0301", "\u0301\u0301\u0301", "a" + "\u0301" * 500, "\u200b", "a\u200bb", "\u200d", "\u200e", "\u200f",
    "\u202a", "\u202e", "\u202eabc", "\u2028", "\u2029", "\u2060", "\ufeff", "\ufeffabc", "\ufff9", "\ufffd", "\ufffe",
    "\uffff", "\ue000", "\U000f0000", "\U0010ffff", "\U0001f600", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇪🇸", "👍🏽", "😀" * 500, "é", "ñandú",
    "¿Cómo registro un endpoint?", "¡Hola!", "ÀÉÎÕÜ", "ß", "ẞ", "İ", "ı", "ſ", "ﬁ", "Ⅷ", "①", "½", "²", "℃", "Å", "Å",
    "Ω", "Ω", "Привет мир", "Γειά σου", "שלום עולם", "مرحبا بالعالم", "مرحبا hello שלום", "नमस्ते", "สวัสดี", "こんにちは世界",
    "カタカナ", "ﾊﾝｶｸ", "你好，世界", "？？？？", "안녕하세요", "ᄒᆞᆫ글", "ქართული", "አማርኛ", "ᚠᛇᚻ", "𝒽𝑒𝓁𝓁𝑜", "𓀀", "𐍈", "\u0378",
    "\ud800", "\udfff", "a\ud800b", "\udc00\ud800", "\ud83d", "\ud83d\ude00", "x" + "\udcff" * 100, "Z̷̢̛a̶l̴g̵o̸",
]  # fmt: skip
LARGE = [
    "a" * 100_000, "a " * 50_000, "😀 " * 5_000, " ".join(f"word{n}" for n in range(20_000)), "(" * 5_000, '"' * 5_001,
    "a AND " * 2_000, "-" * 5_000, "\\" * 5_000, "a:" * 5_000, "é" * 70_000, "_".join("ab" for _ in range(20_000)),
    "aB" * 20_000, "\n" * 10_000 + "x", "1" * 70_000, "漢" * 30_000,
]  # fmt: skip
NASTY = [*SYNTAX, *UNICODE, *LARGE, *("".join(pair) for pair in itertools.product('"(:*+', repeat=2))]


def test_there_are_enough_nasty_queries() -> None:
    assert len(NASTY) >= 200


@pytest.mark.parametrize("part", range(8))
async def test_any_text_is_a_query(retriever: Retriever, part: int) -> None:
    for query, half in itertools.product(NASTY[part::8], Half):
        try:
            passages = await retriever.search(query, k=3, half=half)
        except Exception as error:
            raise AssertionError(f"{ascii(query)[:80]} by {half}") from error
        assert len(passages) <= 3, query
        assert all(passage.text for passage in passages), query


async def test_syntax_around_a_word_does_not_hide_it(retriever: Retriever) -> None:
    for query in (
        '"leeks',
        "leeks)",
        "text:leeks",
        "-leeks",
        "NOT leeks",
        "leeks^9 ~",
        "[leeks TO x]",
        "\x00leeks\ud800",
    ):
        assert (await retriever.search(query, half=Half.TEXT))[0].text == "Boil the leeks slowly."
