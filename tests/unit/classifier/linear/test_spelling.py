from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import classifier
from classifier.linear.spelling import Spelling, folded, is_slip, prose
from classifier.training.dataset import read_rows, seed_files
from classifier.training.perturbation import variant

DATA = Path(classifier.__file__).parent / "data"
SMALL = Spelling(
    {"en": ["explain", "invoice", "with", "function", "paint"], "es": ["factura", "cancelar", "quiero"]},
    ["voice", "plain", "pain"],
)


@pytest.fixture(scope="module")
def shipped() -> Spelling:
    return Spelling.from_json((DATA / "spelling.json").read_bytes())


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("wiht", "with"),  # swapped
        ("exlain", "explain"),  # left out
        ("invoicce", "invoice"),  # doubled
        ("witj", "with"),  # the key beside
        ("xplain", "explain"),
        ("explai", "explain"),
        ("facxtura", "factura"),  # long enough for any letter
        ("canzelar", "cancelar"),  # sounds alike
    ],
)
def test_a_slip(typed: str, meant: str) -> None:
    assert is_slip(typed, meant)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("with", "with"),
        ("wxth", "with"),  # a short word has too many neighbours
        ("widths", "with"),
        ("withe", "with"),
        ("htiw", "with"),
        ("explanation", "explain"),
        ("", "with"),
    ],
)
def test_no_slip(typed: str, meant: str) -> None:
    assert not is_slip(typed, meant)


@pytest.mark.parametrize(
    ("text", "language", "mended"),
    [
        ("Exlpain the ivnoice, please", "en", "explain the invoice, please"),
        ("explain the voice", "en", "explain the voice"),  # right as it is
        ("the INVOCIE", "en", "the invoice"),
        ("rename invocie_total in src/invocie.py", "en", "rename invocie_total in src/invocie.py"),
        ("call invocie(1) on obj.invocie --invocie", "en", "call invocie(1) on obj.invocie --invocie"),
        ("getInvocie", "en", "getInvocie"),
        ("cacelar la facutra", "es", "cancelar la factura"),
        ("cacelar la facutra", "en", "cacelar la facutra"),
        ("exlpain", "other", "exlpain"),
        ("", "en", ""),
    ],
)
def test_mend(text: str, language: str, mended: str) -> None:
    assert SMALL.mend(text, language) == mended


def test_the_most_frequent_candidate_is_meant() -> None:
    both = Spelling({"en": ["stand", "strand"]}, [])
    assert both.mend("sttand", "en") == "stand"
    assert Spelling({"en": ["strand", "stand"]}, []).mend("srand", "en") == "strand"


def test_another_ending_is_another_form() -> None:
    rest = ["clouds", "trees", "cups", "lets", "walked"]
    words = Spelling({"en": ["standard", "walks"]}, rest)
    assert words.mend("standards standardd", "en") == "standards standard"
    assert words.mend("wlks walkz stadards", "en") == "walks walks stadards"


def test_what_the_caller_knows_stays() -> None:
    assert SMALL.mend("facutra", "es", lambda word: word == "facutra") == "facutra"
    assert SMALL.mend("FÁCUTRA", "es", lambda word: word == "facutra") == "FÁCUTRA"


def test_it_reads_back() -> None:
    again = Spelling.from_json(SMALL.to_json())
    assert (again.common, again.known) == (SMALL.common, SMALL.known)
    assert again.to_json() == SMALL.to_json()


@pytest.mark.parametrize(
    "content", [b"[]", b"{}", b'{"version": 2}', b'{"version": 1}', b"?", b'{"version": 1, "common": []}']
)
def test_a_document_that_is_none(content: bytes) -> None:
    with pytest.raises((ValueError, KeyError, AttributeError, TypeError)):
        Spelling.from_json(content)


def test_a_language_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match="common words"):
        Spelling({"en": ["with"], "es": []}, [])


@given(st.text(max_size=80))
def test_any_text_is_taken_and_mending_twice_changes_nothing(text: str) -> None:
    once = SMALL.mend(text, "en")
    assert SMALL.mend(once, "en") == once


def test_the_shipped_file_is_the_seeds() -> None:
    """After a change of the seed: python -m scripts.fitting.write_spelling, then train."""
    from scripts.fitting.write_spelling import shipped as made_anew

    assert made_anew().to_json() + b"\n" == (DATA / "spelling.json").read_bytes()


def test_right_words_stay_and_half_of_the_slips_are_taken_back(shipped: Spelling) -> None:
    slips = mended = changed = words = 0
    for row in [row for row in read_rows(seed_files(DATA / "seed")) if row.language in shipped.common][::40]:
        mistyped = variant(row, "typos").text
        texts = (
            row.text,
            shipped.mend(row.text, row.language),
            mistyped,
            shipped.mend(mistyped, row.language),
        )
        found = [[folded(word) for word in prose(text)] for text in texts]
        if len({len(said) for said in found}) == 1:
            for said, left, typed, meant in zip(*found, strict=True):
                words, changed = words + 1, changed + (said != left)
                slips, mended = slips + (typed != said), mended + (typed != said == meant)
    assert slips > 400
    assert mended / slips > 0.5
    assert changed / words < 0.02  # slips of the seed itself among them, and rare forms of Spanish verbs


def test_the_caller_is_asked_of_slips_alone() -> None:
    asked: list[str] = []

    def knows(word: str) -> bool:
        asked.append(word)
        return False

    assert SMALL.mend("facutra de la factura", "es", knows) == "factura de la factura"
    assert asked == ["facutra"]
