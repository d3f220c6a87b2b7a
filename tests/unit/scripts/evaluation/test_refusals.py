from __future__ import annotations

from pathlib import Path

import pytest

from scripts.evaluation.refusals import COLLECTIONS, Judged, Row, judged, language_of, read_rows, report, states
from scripts.fitting.passages import read_blocks


@pytest.mark.parametrize(
    ("text", "fact", "stated"),
    [
        ("It costs £12.", "£12", True),
        ("It costs £120.", "£12", False),
        ("Write to DOROTHEA Lunn", "Dorothea Lunn", True),
        ("A 17.5 tonne lorry", "7.5 ton", False),
        ("7.5 tonnes (laden)", "7.5 tonnes", True),
        ("C++ only", "c++", True),
    ],
)
def test_a_fact_is_stated_by_its_letters_as_whole_words(text: str, fact: str, stated: bool) -> None:
    assert states(text, fact) is stated


def test_the_collections_are_whole() -> None:
    rows = read_rows(COLLECTIONS)
    for name in {row.collection for row in rows}:
        folder = COLLECTIONS / name
        documents = " ".join(path.read_text(encoding="utf-8") for path in folder.glob("*.md"))
        assert len(list(folder.glob("*.md"))) == 4
        kinds = [row.kind for row in rows if row.collection == name]
        assert (kinds.count("answered"), kinds.count("near"), kinds.count("other")) == (22, 22, 4)
        assert [row.fact for row in rows if row.collection == name and row.kind == "answered" and row.fact in documents]
    assert language_of(COLLECTIONS / "orchestra") == "es"
    assert language_of(COLLECTIONS / "ferry") == "en"


def test_none_of_their_questions_is_fitted_to() -> None:
    fitted = {question.text.casefold() for block in read_blocks() for question in block.questions}
    assert not fitted & {row.question.casefold() for row in read_rows(COLLECTIONS)}


@pytest.mark.parametrize("line", ["a\tnear\tWhy?", "a\tfar\tWhy?\t-", "Why?"])
def test_a_line_of_another_form_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "questions.tsv").write_text(f"a\tnear\tWho?\t-\n{line}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"questions\.tsv:2: "):
        read_rows(tmp_path)


def test_the_report_counts_by_kind_and_by_language() -> None:
    answered, near = Row("a", "answered", "Who?", "Ana"), Row("a", "near", "Why?", "-")
    found = [
        Judged(answered, across=False, refused=False, right=True, text="Ana"),
        Judged(answered, across=True, refused=True, right=False, text=""),
        Judged(near, across=True, refused=True, right=False, text=""),
    ]
    assert list(report(found)) == [
        "answered  across     1 questions, refused 1 (1.00), right 0 (0.00)",
        "answered  alike      1 questions, refused 0 (0.00), right 1 (1.00)",
        "answered  all        2 questions, refused 1 (0.50), right 1 (0.50)",
        "near      across     1 questions, refused 1 (1.00)",
        "near      all        1 questions, refused 1 (1.00)",
    ]


async def test_a_collection_is_asked_without_a_model_whatever_the_caller_has_configured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EMBEDDING_MODEL", "somebody/elses")
    monkeypatch.setenv("OLLAMA_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    rows = [row for row in read_rows(COLLECTIONS) if row.collection == "ferry"]
    asked = [*[row for row in rows if row.kind == "answered"][:4], *[row for row in rows if row.kind == "other"][:2]]
    found = await judged(COLLECTIONS / "ferry", asked, "en")
    assert [one.row for one in found] == asked
    assert all(one.text for one in found)
    assert [one.across for one in found[:4]] == [False] * 4
    assert sum(one.right for one in found[:4]) >= 2
    assert not any(one.right for one in found if one.refused or one.row.kind != "answered")
    assert all(one.refused for one in found[4:])
