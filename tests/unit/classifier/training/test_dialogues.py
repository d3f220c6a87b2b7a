import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import classifier
from classifier.decision import QueryType
from classifier.relation.relations import Relation
from classifier.training.dialogues import (
    FOLDS,
    LANGUAGES,
    Dialogue,
    DialogueError,
    dialogue_files,
    examples,
    read_dialogues,
    split,
)

DATA = Path(classifier.__file__).parent / "data" / "dialogues"


def turn(
    text: str, relation: str, refers_to: Any = (), standalone: Any = None, type_: str = "RETRIEVAL"
) -> dict[str, Any]:
    return {
        "text": text, "type": type_, "relation": relation, "refers_to": list(refers_to), "standalone": standalone,
    }  # fmt: skip


def entry(*turns: Any, **changes: Any) -> dict[str, Any]:
    return {"id": "d1", "language": "en", "domain": "boats", "fold": 0, "turns": list(turns)} | changes


ASKED = turn("What is a keel?", "stands_alone", (), "What is a keel?")
MORE = turn("Who needs one?", "follow_up", (1,), "Who needs a keel?")
THANKS = turn("thanks", "courtesy", type_="CONVERSATIONAL")
GOOD = entry(ASKED, MORE, THANKS)


def written(tmp_path: Path, *entries: Any, name: str = "a.jsonl") -> Path:
    path = tmp_path / name
    lines = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in entries]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


class TestReading:
    def test_a_dialogue(self, tmp_path: Path) -> None:
        (found,) = read_dialogues([written(tmp_path, GOOD, "")])
        assert (found.id, found.language, found.domain, found.fold) == ("d1", "en", "boats", 0)
        assert [one.relation for one in found.turns] == [Relation.STANDS_ALONE, Relation.FOLLOW_UP, Relation.COURTESY]
        assert found.turns[1].refers_to == (1,)
        assert found.turns[1].standalone == "Who needs a keel?"
        assert found.turns[2].type is QueryType.CONVERSATIONAL
        assert found.turns[2].standalone is None

    def test_files_follow_each_other_and_ids_are_unique(self, tmp_path: Path) -> None:
        paths = [written(tmp_path, GOOD | {"id": name}, name=f"{name}.jsonl") for name in ("b", "a")]
        assert [one.id for one in read_dialogues(paths)] == ["b", "a"]
        assert dialogue_files(tmp_path) == sorted(paths)
        with pytest.raises(DialogueError, match="'b' is that of an earlier dialogue"):
            read_dialogues([paths[0], paths[0]])

    def test_a_line_separator_inside_a_text_does_not_end_the_line(self, tmp_path: Path) -> None:
        text = "uno\u2028dos"
        (found,) = read_dialogues([written(tmp_path, entry(ASKED | {"text": text}, MORE, THANKS))])
        assert found.turns[0].text == text

    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            ("{", "is not an object"),
            ("[]", "is not an object"),
            (entry(ASKED, MORE, THANKS, id=""), "id and domain"),
            (entry(ASKED, MORE, THANKS, domain=3), "id and domain"),
            (entry(ASKED, MORE, THANKS, language="fr"), "language is one of en, es, zh, not 'fr'"),
            (entry(ASKED, MORE, THANKS, fold=FOLDS), "fold is a number from 0 to 4"),
            (entry(ASKED, MORE, THANKS, fold=True), "fold is a number"),
            (entry(ASKED, MORE, THANKS, turns=3), "is not an object with id"),
            (entry(ASKED, MORE), "turns are 3 to 8, not 2"),
            (entry(ASKED, *[THANKS] * 8), "turns are 3 to 8, not 9"),
            (entry(ASKED, "hi", THANKS), "turn 2 is not an object with text"),
            (entry(ASKED, {"text": "hi"}, THANKS), "turn 2 is not an object with text"),
            (entry(ASKED, MORE | {"relation": "chat"}, THANKS), "turn 2: type is one of RETRIEVAL.* stands_alone"),
            (entry(ASKED, MORE | {"type": "OUT_OF_SCOPE"}, THANKS), "turn 2: type is one of"),
            (entry(ASKED, MORE | {"text": " "}, THANKS), "turn 2: text is empty"),
            (entry(ASKED, MORE | {"refers_to": [2]}, THANKS), r"refers_to is a list .* not \[2\]"),
            (entry(ASKED, MORE | {"refers_to": [0]}, THANKS), "refers_to is a list"),
            (entry(ASKED, MORE | {"refers_to": [True]}, THANKS), "refers_to is a list"),
            (entry(ASKED, MORE | {"refers_to": "1"}, THANKS), "refers_to is a list"),
            (entry(ASKED, MORE, MORE | {"refers_to": [2, 1]}), "turn 3: refers_to is ascending"),
            (entry(ASKED, MORE, MORE | {"refers_to": [1, 1]}), "turn 3: refers_to is ascending"),
            (entry(ASKED, MORE | {"refers_to": []}, THANKS), "turn 2: refers_to is empty for follow_up"),
            (entry(ASKED, MORE, THANKS | {"refers_to": [1]}), "turn 3: refers_to is empty for courtesy"),
            (entry(ASKED, MORE | {"standalone": None}, THANKS), "turn 2: standalone is the question in full"),
            (entry(ASKED, MORE | {"standalone": ""}, THANKS), "turn 2: standalone is the question in full"),
            (entry(ASKED, MORE, THANKS | {"standalone": "Thanks."}), "turn 3: standalone .* else null"),
            (entry(MORE, ASKED, THANKS), "turn 1: refers_to is a list"),
        ],
    )
    def test_a_bad_line_is_named(self, tmp_path: Path, line: Any, problem: str) -> None:
        path = written(tmp_path, GOOD | {"id": "other"}, line)
        with pytest.raises(DialogueError, match=problem) as caught:
            read_dialogues([path])
        assert f"{path}:2" in str(caught.value)

    def test_nothing_at_all(self, tmp_path: Path) -> None:
        with pytest.raises(DialogueError, match="no dialogues"):
            read_dialogues([written(tmp_path, "")])
        with pytest.raises(DialogueError, match=r"no \.jsonl file"):
            dialogue_files(tmp_path / "empty")


def test_an_example_is_a_message_and_the_last_one_that_is_no_courtesy(tmp_path: Path) -> None:
    dialogues = read_dialogues([written(tmp_path, entry(ASKED, THANKS, MORE, MORE | {"text": "and why?"}))])
    found = examples(dialogues)
    assert [one.earlier for one in found] == [
        (),
        ("What is a keel?",),
        ("What is a keel?",),
        ("What is a keel?", "Who needs one?"),
    ]
    assert [one.turn.text for one in found] == ["What is a keel?", "thanks", "Who needs one?", "and why?"]


@pytest.fixture(scope="module")
def shipped() -> list[Dialogue]:
    return read_dialogues(dialogue_files(DATA))


class TestShipped:
    def test_languages_are_in_equal_parts_over_many_domains(self, shipped: list[Dialogue]) -> None:
        counts = Counter(one.language for one in shipped)
        assert set(counts) == set(LANGUAGES)
        assert counts["en"] == counts["es"] >= 900
        assert counts["zh"] >= 200
        for language in ("en", "es"):
            domains = Counter(one.domain for one in shipped if one.language == language)
            assert len(domains) >= 50
            assert max(domains.values()) <= 0.05 * counts[language]

    def test_every_relation_is_frequent_in_every_language(self, shipped: list[Dialogue]) -> None:
        for language in LANGUAGES:
            turns = [turn for one in shipped if one.language == language for turn in one.turns]
            shares = Counter(one.relation for one in turns)
            assert all(shares[relation] > 0.05 * len(turns) for relation in Relation), (language, shares)
            assert set(QueryType) == {one.type for one in turns}

    def test_no_dialogue_is_there_twice(self, shipped: list[Dialogue]) -> None:
        said = Counter(tuple(turn.standalone or turn.text for turn in one.turns) for one in shipped)
        assert max(said.values()) == 1

    def test_what_is_left_out_shares_no_domain_and_no_question(self, shipped: list[Dialogue]) -> None:
        for fold in range(FOLDS):
            kept, left = split(shipped, fold)
            assert kept
            assert left
            assert not {one.domain for one in kept} & {one.domain for one in left}
            asked = [
                {turn.standalone for one in part for turn in one.turns if turn.standalone} for part in (kept, left)
            ]
            assert not asked[0] & asked[1]

    def test_wordings_of_recalls_are_left_out_with_the_domains(self, shipped: list[Dialogue]) -> None:
        """A head that has learnt the words of one recall must be judged by other words."""
        for fold in range(FOLDS):
            kept, left = split(shipped, fold)
            words = [
                {turn.text.lower() for one in part for turn in one.turns if turn.relation is Relation.RECALL}
                for part in (kept, left)
            ]
            assert not words[0] & words[1]
