from __future__ import annotations

from pathlib import Path

import pytest

from engine.domain import Passage
from engine.testing import HashedWordsEmbedder
from engine.text.sentences import units
from scripts.fitting import answerability_examples
from scripts.fitting.answerability_examples import written
from scripts.fitting.passages import Block, Question, read_blocks

BLOCK = "# Kites\nKites fly on Mondays. A kite costs five coins.\n+2 How much is a kite?\n- Who made the kites?"


def test_the_passages_are_whole() -> None:
    blocks = list(read_blocks())
    assert {block.language for block in blocks} == {"en", "es"}
    assert len({block.text for block in blocks}) == len(blocks) > 1_500
    parted = [len(units(block.text)) for block in blocks]
    answered = [(said, one) for said, block in zip(parted, blocks, strict=True) for one in block.questions]
    there = [one.sentence < said for said, one in answered if one.sentence >= 0]
    assert sum(there) / len(there) > 0.99
    assert 0.4 < len(there) / len(answered) < 0.6


def test_a_block_is_a_heading_a_passage_and_questions(tmp_path: Path) -> None:
    (tmp_path / "en.txt").write_text(f"{BLOCK}\n", encoding="utf-8")
    (block,) = read_blocks(tmp_path)
    questions = (Question("How much is a kite?", 1), Question("Who made the kites?", -1))
    assert block == Block("en", "Kites", "Kites fly on Mondays. A kite costs five coins.", questions)


@pytest.mark.parametrize(
    "broken", ["Kites\ntext\n- Who?", "# Kites\ntext", "# Kites\ntext\n* Who?", "# K\ntext\n+x Who?"]
)
def test_a_block_of_another_form_is_named(tmp_path: Path, broken: str) -> None:
    (tmp_path / "es.txt").write_text(f"{BLOCK}\n\n{broken}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"es\.txt, block 2: "):
        list(read_blocks(tmp_path))


def test_an_answered_question_is_asked_without_its_passage_and_without_its_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blocks = [
        Block("en", "Kites", "Kites fly on Mondays. A kite costs five coins.", (Question("How much is a kite?", 1),)),
        Block("en", "Boats", "A boat costs much. Boats sail.", (Question("Who made the boats?", -1),)),
        Block("en", "Bad", "One sentence.", (Question("What is the ninth?", 8),)),
    ]
    monkeypatch.setattr(answerability_examples, "read_blocks", lambda: iter(blocks))
    made = written(HashedWordsEmbedder())
    asked = [(one.asked.question, one.asked.kind, one.asked.answered) for one in made]
    assert asked == [
        ("How much is a kite?", "written-in-en-cut", False),
        ("How much is a kite?", "written-in-en", True),
        ("How much is a kite?", "written-in-en-without", False),
        ("Who made the boats?", "written-in-en", False),
    ]
    cut, whole, without, _ = made
    assert whole.asked.gold == "Kites: A kite costs five coins."
    assert whole.asked.gold in whole.sentences
    assert "Kites: Kites fly on Mondays." in cut.sentences
    assert whole.asked.gold not in cut.sentences
    assert not any(sentence.startswith("Kites") for sentence in without.sentences)
    assert len({one.key for one in made[:3]}) == 3
    assert all(isinstance(passage, Passage) for one in made for passage in one.found)
