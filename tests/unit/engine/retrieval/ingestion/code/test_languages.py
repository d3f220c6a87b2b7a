"""What every language promises: passages at its functions, each under the path of what it is in, and nothing lost."""

from __future__ import annotations

import pytest

from engine.retrieval.ingestion.chunking import PASSAGE_CHARS, chunk
from engine.retrieval.ingestion.code.cutting import structured_pieces
from engine.retrieval.ingestion.code.grammars import parse
from engine.retrieval.ingestion.code.languages import LANGUAGES, language_of
from engine.retrieval.ingestion.formats.by_suffix import content_of
from engine.retrieval.port import Document
from tests.unit.engine.retrieval.ingestion.code.samples import SAMPLES, Sample

EVERY = pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES.keys())


def document(sample: Sample) -> Document:
    content = content_of(sample.suffix, sample.text.encode())
    return Document(f"src/a{sample.suffix}", "a", content.text, content.kind, "/a", "")


def lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def test_every_language_has_a_sample() -> None:
    assert {language_of(sample.suffix, sample.text) for sample in SAMPLES.values()} == set(LANGUAGES)


@EVERY
def test_its_sample_is_read_without_a_damaged_place(sample: Sample) -> None:
    root = parse(language_of(sample.suffix, sample.text), sample.text.encode())
    assert root is not None
    assert not root.has_error


@EVERY
def test_functions_are_cut_under_the_path_of_what_they_are_in(sample: Sample) -> None:
    passages = [part.passage for part in chunk(document(sample))]
    found = {line: [p.heading for p in passages if line in p.text.split("\n")] for line in sample.paths}
    assert found == {line: [path] for line, path in sample.paths.items()}


@EVERY
def test_comments_and_decorators_stay_with_what_they_are_of(sample: Sample) -> None:
    texts = [part.passage.text.split("\n") for part in chunk(document(sample))]
    for pair in sample.together:
        assert any(set(pair) <= set(text) for text in texts), pair


@EVERY
def test_joined_again_the_passages_are_the_source(sample: Sample) -> None:
    text = sample.text
    pieces = structured_pieces(language_of(sample.suffix, text), text, PASSAGE_CHARS, lambda part: [part])
    assert pieces is not None
    assert "".join(piece for _, piece in pieces) == text
    kept = [part.passage.text for part in chunk(document(sample))]
    assert [line for piece in kept for line in lines(piece)] == [line.rstrip() for line in lines(text)]
    assert all(len(piece) <= PASSAGE_CHARS for piece in kept)


@EVERY
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_source_that_breaks_off_is_cut_all_the_same(sample: Sample, share: float) -> None:
    text = sample.text[: int(len(sample.text) * share)]
    damaged = f"{text}\n}}}}))) <<<<<<< {{{{((( '\n{text}"
    pieces = structured_pieces(language_of(sample.suffix, sample.text), damaged, PASSAGE_CHARS, lambda part: [part])
    assert pieces is not None
    assert "".join(piece for _, piece in pieces) == damaged
