import ast
import itertools
import json
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import classifier
from classifier.linear.card import OUTPUTS
from classifier.training.dataset import (
    IMBALANCE,
    DatasetError,
    Row,
    check,
    digest,
    domain_groups,
    read_rows,
    seed_files,
)
from classifier.training.dialogues import dialogue_files, read_dialogues

DATA = Path(classifier.__file__).parent / "data"
TESTS = Path(__file__).parents[3]
ENTRY = {"text": "What is a loop?", "type": "RETRIEVAL", "language": "en", "family": "what-is", "domain": "code"}


def write(path: Path, *entries: Any) -> Path:
    lines = [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def _folded(text: str) -> str:
    """The words of a text in lower case and without accents."""
    plain = (char for char in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(char))
    return " ".join(re.findall(r"\w+", "".join(plain)))


def _strings(path: Path) -> list[str]:
    """The string constants of a module."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def _is_message(text: str) -> bool:
    """Whether a string is long enough that a row says the same on purpose only; "thanks" is not."""
    return len(text.split()) >= 3 or (not text.isascii() and len(text) > 4)


def row(text: str, label: str = "RETRIEVAL", family: str = "f", domain: str = "d", language: str = "en") -> Row:
    return Row(text, label, language, family, domain)


class TestReading:
    def test_rows(self, tmp_path: Path) -> None:
        path = write(tmp_path / "a.jsonl", ENTRY, "", ENTRY | {"register": "terse", "weight": 0.5, "language": "es"})
        first, second = read_rows([path])
        assert first == Row("What is a loop?", "RETRIEVAL", "en", "what-is", "code")
        assert (first.register, first.weight) == ("plain", 1.0)
        assert (second.register, second.weight, second.language) == ("terse", 0.5, "es")

    def test_files_follow_each_other(self, tmp_path: Path) -> None:
        paths = [write(tmp_path / name, ENTRY | {"text": name}) for name in ("b.jsonl", "a.jsonl")]
        assert [found.text for found in read_rows(paths)] == ["b.jsonl", "a.jsonl"]
        assert seed_files(tmp_path) == sorted(paths)

    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            ("{", "is not a row"),
            ("[]", "is not a row"),
            ("3", "is not a row"),
            ({"text": "x"}, "is not a row"),
            (ENTRY | {"weight": "heavy"}, "is not a row"),
            (ENTRY | {"text": ""}, "has no text"),
            (ENTRY | {"text": "  "}, "has no text"),
            (ENTRY | {"text": 3}, "has no text"),
            (ENTRY | {"type": "QUESTION"}, "a type that is none of RETRIEVAL"),
            (ENTRY | {"type": None}, "a type that is none of RETRIEVAL"),
            (ENTRY | {"language": "fr"}, "language is none of en, es, other"),
        ],
    )
    def test_a_bad_line_is_named(self, tmp_path: Path, line: Any, problem: str) -> None:
        path = write(tmp_path / "a.jsonl", ENTRY, line)
        with pytest.raises(DatasetError, match=problem) as caught:
            read_rows([path])
        assert f"{path}:2" in str(caught.value)

    def test_nothing_at_all(self, tmp_path: Path) -> None:
        with pytest.raises(DatasetError, match="no rows"):
            read_rows([write(tmp_path / "a.jsonl", "")])
        with pytest.raises(DatasetError, match=r"no \.jsonl file"):
            seed_files(tmp_path / "empty")


class TestDigest:
    def test_order_does_not_matter(self) -> None:
        assert digest([row("a"), row("b")]) == digest([row("b"), row("a")])

    @pytest.mark.parametrize("other", [row("c"), row("a", "PLATFORM"), row("a", language="es")])
    def test_content_does(self, other: Row) -> None:
        assert digest([row("a")]) != digest([other])

    def test_what_is_not_learnt_does_not(self) -> None:
        assert digest([row("a", family="x", domain="y")]) == digest([row("a", family="z", domain="w")])


def test_groups_are_domains_except_where_the_domain_is_the_type() -> None:
    rows = [row(f"thanks {n}", "CONVERSATIONAL", f"family-{n % 3}", "conversation") for n in range(30)]
    rows += [row(f"bill {n}", "PLATFORM", f"bill-{n % 2}", f"domain-{n % 10}") for n in range(30)]
    groups = domain_groups(rows)
    assert set(groups[:30]) == {"family family-0", "family family-1", "family family-2"}
    assert set(groups[30:]) == {f"domain domain-{n}" for n in range(10)}


class TestCheck:
    def test_a_clean_set(self) -> None:
        found = check(
            [row("how much storage is left", "PLATFORM", "a"), row("write quicksort", "CODE_GENERATION", "b")]
        )
        assert found.usable
        assert (found.rows, found.near_duplicates, found.conflicts, found.crossing) == (2, (), (), ())

    @pytest.mark.parametrize(
        ("left", "right"),
        [
            ("What is a loop?", "what is a loop?"),
            ("¿Qué es un bucle?", "¿que es un bucle?"),
            ("Write a function that sorts 20 numbers", "Write a function that sorts 35 numbers"),
            (
                "please show me how many requests my project made this week",
                "please show me how many requests my projects made this week",
            ),
        ],
    )
    def test_near_duplicates(self, left: str, right: str) -> None:
        found = check([row(left), row(right), row("something else entirely, about boats")])
        assert found.near_duplicates == ((left, right),)
        assert found.usable

    def test_pairs_are_those_that_a_comparison_of_each_with_each_finds(self) -> None:
        texts = [one.text for one in read_rows(seed_files(DATA / "seed"))[::1_700]]
        rows = [row(text) for text in (*texts, *(f"{text} {word}" for text in texts for word in ("s", "please")))]
        each = {
            found for a, b in itertools.combinations(rows, 2) for found in check([a, b]).near_duplicates if a is not b
        }
        assert set(check(rows).near_duplicates) == each
        assert 5 < len(each) < 50

    def test_contradictions(self) -> None:
        found = check([row("show my plan", "PLATFORM", "a"), row("Show my plan", "RETRIEVAL", "b")])
        assert found.conflicts == (("show my plan", "Show my plan"),)
        assert not found.usable

    def test_hard_pairs_are_no_duplicates(self) -> None:
        found = check([row("What is my limit?", "PLATFORM", "a"), row("What is a limit?", "RETRIEVAL", "b")])
        assert found.conflicts == found.near_duplicates == ()

    def test_families_that_cross_types(self) -> None:
        found = check([row("one thing", "PLATFORM", "same"), row("another matter", "RETRIEVAL", "same")])
        assert found.crossing == ("same",)
        assert not found.usable

    def test_balance(self) -> None:
        rows = [row(f"question {word}", "RETRIEVAL", "a") for word in ("one", "of", "boats", "trees", "law")]
        found = check([*rows, row("my bill", "PLATFORM", "b"), row("play jazz", "OUT_OF_SCOPE", "c")])
        assert found.imbalance == 5.0 > IMBALANCE
        assert not found.usable


class TestShipped:
    def test_the_seed_has_no_contradiction(self) -> None:
        found = check(read_rows(seed_files(DATA / "seed")))
        assert found.conflicts == ()
        assert len(found.near_duplicates) <= 5
        assert found.imbalance <= IMBALANCE

    def test_the_seed_is_large_and_balanced_over_languages(self) -> None:
        counts = Counter((found.label, found.language) for found in read_rows(seed_files(DATA / "seed")))
        assert sum(count for (label, _), count in counts.items() if label != OUTPUTS[-1]) >= 14_000
        assert sum(count for (label, _), count in counts.items() if label == OUTPUTS[-1]) >= 4_500
        for label in OUTPUTS[:-1]:
            english, spanish = counts[label, "en"], counts[label, "es"]
            assert 0.75 <= english / spanish <= 1.34

    def test_no_acceptance_case_is_a_row(self) -> None:
        """An acceptance test measures nothing when the message it routes was trained on."""
        rows = {_folded(found.text) for found in read_rows(seed_files(DATA / "seed"))}
        dialogues = read_dialogues(dialogue_files(DATA / "dialogues"))
        rows.update(_folded(turn.text) for dialogue in dialogues for turn in dialogue.turns)
        for name in ("e2e/test_acceptance", "e2e/test_conversation", "unit/classifier/test_acceptance"):
            cases = [text for text in _strings(TESTS / f"{name}.py") if _is_message(text)]
            assert cases, name
            assert [text for text in cases if _folded(text) in rows] == [], name

    def test_rows_that_judge_intents_are_not_trained_on(self) -> None:
        lines = (DATA / "left_out" / "intents.jsonl").read_text(encoding="utf-8").splitlines()
        judging = [_folded(json.loads(line)["text"]) for line in lines]
        rows = {_folded(found.text) for found in read_rows(seed_files(DATA / "seed"))}
        dialogues = read_dialogues(dialogue_files(DATA / "dialogues"))
        rows.update(_folded(turn.text) for dialogue in dialogues for turn in dialogue.turns)
        acts = json.loads((DATA / "dialogue_acts.json").read_text(encoding="utf-8"))
        rows.update(_folded(text) for languages in acts.values() for texts in languages.values() for text in texts)
        assert len(set(judging)) >= 60
        assert set(judging) & rows == set()

    def test_rows_that_judge_chinese_are_not_trained_on(self) -> None:
        """They are near no row of the seed either: every type has 200, each about many domains."""
        judging = read_rows([DATA / "left_out" / "chinese.jsonl"])
        seed = read_rows(seed_files(DATA / "seed"))
        counts = Counter(found.label for found in judging)
        assert set(counts) == set(OUTPUTS[:-1])
        assert min(counts.values()) >= 200
        assert {found.text for found in judging} & {found.text for found in seed} == set()
        assert {found.family for found in judging} & {found.family for found in seed} == set()
        for label in OUTPUTS[:-1]:
            domains = Counter(found.domain for found in judging if found.label == label)
            assert max(domains.values()) <= 0.2 * counts[label], label
        found = check(judging)
        assert (found.conflicts, found.near_duplicates, found.crossing) == ((), (), ())

    def test_hard_pairs_cover_many_subjects_evenly(self) -> None:
        """Rules that hold for everyone against the asker's own state: none of the subjects may carry the border."""
        rows = [
            row
            for row in read_rows([DATA / "seed" / "retrieval_or_platform.jsonl"])
            if row.family.startswith(("w3ret-rule-", "w3plat-own-"))
        ]
        subjects = Counter(row.domain for row in rows)
        assert len(rows) >= 2 * 600
        assert len(subjects) >= 40
        assert max(subjects.values()) <= 0.03 * len(rows)
        for subject in subjects:
            sides = Counter((row.label, row.language) for row in rows if row.domain == subject)
            assert set(sides) == {(label, lang) for label in ("RETRIEVAL", "PLATFORM") for lang in ("en", "es")}, (
                subject
            )


def test_a_line_separator_inside_a_text_does_not_end_its_row(tmp_path: Path) -> None:
    text = "uno\u2028dos\u0085tres"
    row = {"text": text, "type": "RETRIEVAL", "language": "es", "family": "f", "domain": "d", "register": "plain"}
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row, ensure_ascii=False) + "\n", "utf-8")
    assert [found.text for found in read_rows([path])] == [text]
