"""One cell of a row that a question names, or that the last answer was about, with the bundled encoder."""

from __future__ import annotations

import pytest

from engine.domain import Evidence, Passage
from engine.generation.extractive.row_arithmetic.answering import RowArithmetic
from engine.text.language import language_of
from tests.account_cases import encoder

FEES = """| Membership | Monthly fee | Joining fee | Access |
|---|---|---|---|
| Basic | £18 | £10 | off-peak |
| Plus | £29 | £12 | all day |
| L | £35 | £12 | all day |"""
HANGAR = """| Membership | Price | Berth | Flights per month | Guests |
|---|---|---|---|---|
| Glider | £140 | shared | 6 | 1 |
| Falcon | £310 | own | 14 | 3 |"""
SAW = "code: B5\nboat: Motor boat Heron 55\nhourly_price_gbp: 52\nhalf_day_price_gbp: 150\nseats: 8\nmin_age: 18"
OTHER = "code: B6\nboat: Kayak Pike\nhourly_price_gbp: 8\nhalf_day_price_gbp: 22\nseats: 1\nmin_age: 12"
LOAF = "Harina: trigo\n\nPeso g: 300\n\nPrecio eur: 1.8"
COURSE = "Duracion: 3 horas\n\nPrecio eur: 45\n\nMonitor: Inés Roca"


def passage(number: int, document: str, heading: str, text: str) -> Evidence:
    return Evidence(number, Passage(f"{document} {number}", document, document, heading, text))


EVIDENCE = [
    passage(1, "gym.md", "Memberships", FEES),
    passage(2, "boats.csv", "", SAW),
    passage(3, "boats.csv", "", OTHER),
    passage(4, "trigal.json", "Panes > Chapata", LOAF),
    passage(6, "hangar.md", "Memberships", HANGAR),
    passage(5, "trigal.json", "Cursos > Masa madre", COURSE),
]


def talk(*questions: str) -> str:
    """The answer to the last of several questions, each of which goes on from those before it."""
    told = ""
    for place, question in enumerate(questions):
        told = RowArithmetic(encoder()).answer(question, EVIDENCE, language_of(question), questions[:place], told)
    return told


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (["how much is the motor boat per hour?"], "B5, Motor boat Heron 55 — hourly_price_gbp: 52. [2]"),
        (["what's the joining fee of the Plus membership?"], "Plus — Joining fee: £12. [1]"),
        (["what's the joining fee for an L membership?"], "L — Joining fee: £12. [1]"),
        (["how many seats does the kayak have?"], "B6, Kayak Pike — seats: 1. [3]"),
        (["¿cuánto cuesta la chapata?"], "Chapata — Precio eur: 1.8. [4]"),
        (["can a 15 year old hire the motor boat?"], "B5, Motor boat Heron 55 — min_age: 18. [2]"),
        (["how much is the kayak per hour?", "and for half a day?"], "B6, Kayak Pike — half_day_price_gbp: 22. [3]"),
        (["how much is the kayak per hour?", "what about the seats?"], "B6, Kayak Pike — seats: 1. [3]"),
        (["how much is the Glider membership a month?"], "Glider — Price: £140. [6]"),
        (["how much is the Glider membership a month?", "and the Falcon?"], "Falcon — Price: £310. [6]"),
        (["how much is Basic a month?", "and the joining fee?", "and Plus?"], "Plus — Joining fee: £12. [1]"),
        (["¿cuánto cuesta el curso de masa madre?", "¿quién es el monitor?"], "Masa madre — Monitor: Inés Roca. [5]"),
    ],
)
def test_the_cell_that_is_asked_for_is_told_with_its_row_and_its_column(questions: list[str], said: str) -> None:
    assert talk(*questions) == said


@pytest.mark.parametrize(
    "question",
    [
        "how much is the motor boat with a skipper per hour?",
        "how much is the sailing boat per hour?",
        "how do I book the motor boat per hour?",
        "why is the joining fee of Plus so high?",
        "how much is the Plus membership?",  # monthly, or for joining
        "what is the motor boat?",
    ],
)
def test_what_leaves_a_word_over_or_names_no_column_is_left_to_quoting(question: str) -> None:
    assert talk(question) == ""


LISTED = "- B2, Canoe Tarn — kind: paddle\n- B6, Kayak Pike — kind: paddle [1]"
PADDLE = """| code | boat | kind | seats | licence | remarks |
|---|---|---|---|---|---|
| B2 | Canoe Tarn | paddle | 2 | yes | Dry bag on request |
| B5 | Motor boat Heron | motor | 8 | yes | Dry cabin and a bag |
| B6 | Kayak Pike | paddle | 1 | no | Spray deck included |"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("which of them has a dry bag?", "B2, Canoe Tarn — remarks: Dry bag on request. [1]"),
        ("which of them has more than 1 seat?", "- B2, Canoe Tarn — seats: 2 [1]"),
        ("which of them needs no licence?", "- B6, Kayak Pike — licence: no [1]"),
        ("which of those has a deck?", "B6, Kayak Pike — remarks: Spray deck included. [1]"),
        ("which of them has a sail?", ""),
        ("which of them has no deck?", ""),
        ("which one is nice?", ""),
    ],
)
def test_rows_that_were_listed_are_told_apart_by_what_their_cells_say(question: str, said: str) -> None:
    evidence = [passage(1, "boats.csv", "", PADDLE)]
    rows = RowArithmetic(encoder())
    assert rows.answer(question, evidence, language_of(question), ["list the paddle boats"], LISTED) == said


def test_rows_that_are_not_all_at_hand_are_not_told_apart() -> None:
    evidence = [passage(1, "boats.csv", "", "\n".join(PADDLE.splitlines()[:-1]))]
    rows = RowArithmetic(encoder())
    assert rows.answer("which of them has a dry bag?", evidence, language_of("which"), ["list them"], LISTED) == ""


KAYAKS = """| Kayak | Hull | Rudder fitted | Builder | Country | Care |
|---|---|---|---|---|---|
| Orca Élan Tour | glass fibre | no | Loch & Tide | Scotland | Rinse it with tap water. Never drag it over sand. |
| Petrel Mini | cedar | yes | Halvard Boats | Norway (Bergen) | Varnished in spring. Sold with 2 straps. |
| Otter Play | plastic | no | Loch & Tide | Scotland | Stow it upright. |
| Loon di Mare | plastic | yes | Loch & Tide | Italy | Sold in June only. |"""
MACETAS = """| Maceta | Material | Apta para exterior | Taller | Nota |
|---|---|---|---|---|
| Alcazaba Grande | barro | no | Hermanas Rey | Se riega despacio. Conviene sellarla cada invierno. |
| Terral | gres | sí | Taller Ocre | Se puede lavar a máquina. |"""


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (["is the Petrel fitted?"], "Petrel Mini — Rudder fitted: yes. [1]"),
        (["is the orca elan from Norway?"], "Orca Élan Tour — Country: Scotland. [1]"),
        (["is the Petrel Mini from Norway?"], "Petrel Mini — Country: Norway (Bergen). [1]"),
        (["is the Petrel fitted?", "who builds it?"], "Petrel Mini — Builder: Halvard Boats. [1]"),
        (["is the Petrel fitted?", "is it plastic?"], "Petrel Mini — Hull: cedar. [1]"),
        (["is the Petrel fitted?", "and plastic?"], ""),
        (["how should the Orca Elan be rinsed?"], "Orca Élan Tour — Care: Rinse it with tap water. [1]"),
        (["when is the Petrel varnished?"], "Petrel Mini — Care: Varnished in spring. [1]"),
        (["how should the Petrel be varnished in summer?"], ""),  # no other word for more
        (["when do I varnish the Petrel?"], "Petrel Mini — Care: Varnished in spring. [1]"),
        (["how much is the Petrel in spring?"], ""),  # no figure
        (["why is the Petrel varnished?"], ""),  # no reason
        (["is the Orca Elan insured?"], ""),
        (["is the Beluga fitted?"], ""),
        (["is the Loon cedar?"], "Loon di Mare — Hull: plastic. [1]"),  # what stands between its words is none
        (["when is the Loon sold?"], "Loon di Mare — Care: Sold in June only. [1]"),
        (["¿la Alcazaba es apta?"], "Alcazaba Grande — Apta para exterior: no. [2]"),
        (["¿la alcazaba es de gres?"], "Alcazaba Grande — Material: barro. [2]"),
        (["¿la alcazaba es de gres?", "¿y de vidrio?"], ""),
        (["¿cómo se riega la Alcazaba?"], "Alcazaba Grande — Nota: Se riega despacio. [2]"),
    ],
)
def test_a_cell_is_found_by_a_word_of_its_column_or_of_its_text_or_by_what_another_row_is(
    questions: list[str], said: str
) -> None:
    evidence = [passage(1, "kayaks.md", "Kayaks", KAYAKS), passage(2, "macetas.md", "Macetas", MACETAS)]
    told = ""
    for place, question in enumerate(questions):
        told = RowArithmetic(encoder()).answer(question, evidence, language_of(question), questions[:place], told)
    assert told == said
