from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import pytest

from engine.generation.extractive.account_figures.asking.questions import Operations
from engine.generation.extractive.account_figures.candidates.facts import facts_of, names_of
from engine.generation.extractive.account_figures.candidates.tables import PAIRED
from engine.generation.extractive.account_figures.candidates.values import Candidate
from engine.generation.extractive.account_figures.ranking.matching import Matcher
from engine.generation.extractive.account_figures.ranking.ranker import candidates
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.saying import text_of
from engine.text.language import Language
from tests.account_cases import encoder

TODAY = date(2027, 3, 10)
KILNS = [
    {"kiln": "Ember", "firings": 14, "gas_m3": 300, "next_check": "2027-04-02", "potter": "Lou"},
    {"kiln": "Flint", "firings": 9, "gas_m3": 210, "next_check": "2027-03-20", "potter": "Ana"},
    {"kiln": "Coal", "firings": 9, "gas_m3": 150, "next_check": "2027-06-11", "potter": "Lou"},
]
STOCK = "item,units,minimum\nClay,40,60\nGlaze,75,20\nWire,18,18\n"


def ways(
    query: str, context: object, language: Language = Language.ENGLISH, near: dict[str, float] | None = None
) -> list[tuple[Candidate, str]]:
    """The candidates of a question, with what each says."""
    operations = Operations(encoder())
    question = replace(operations.read(query, TODAY), language=language)
    facts, tables = facts_of(read_figures(context if isinstance(context, str) else json.dumps(context)))
    matcher = Matcher(query, language, operations.heads, encoder())
    matcher.learn(names_of(facts, tables))
    return [(one, text_of(one, question)) for one in candidates(question, matcher, facts, tables, near or {})]


def texts(query: str, context: object, operation: str, language: Language = Language.ENGLISH) -> list[str]:
    return [text for one, text in ways(query, context, language) if one.operation == operation]


class TestOfValues:
    @pytest.mark.parametrize(
        ("context", "operation", "said"),
        [
            ({"scans": 40}, "value", "Scans: 40."),
            ({"scans_limit": 40}, "limit", "Scans limit: 40."),
            ({"scans_left": 12}, "left", "Scans left: 12."),
            ({"tier": "Silver"}, "text", "Tier: Silver."),
            ({"renews": "2027-05-02"}, "date", "Renews: May 2, 2027."),
            ({"alerts": True}, "flag", "Yes (alerts)."),
            ({"alerts": False}, "flag", "No (alerts)."),
            ({"fines": 0}, "any", "No: 0 (fines)."),
            ({"fines": 3}, "any", "Yes: 3 (fines)."),
        ],
    )
    def test_a_value_is_said_by_its_kind(self, context: dict[str, object], operation: str, said: str) -> None:
        assert texts("?", context, operation) == [said]

    def test_no_value_is_missing(self) -> None:
        ((one, text),) = ways("?", {"coupon": None})
        assert one.missing
        assert text == "The data of this request has no value for coupon."

    def test_values_without_a_name_in_common_are_said_without_one(self) -> None:
        assert texts("?", "You sold 4 hats, 9 coats and 2 gloves.", "highest") == ["The most is 9, coats."]


USED = {"scans": {"used": 70, "limit": 90}}


class TestOfTwo:
    @pytest.mark.parametrize(
        ("operation", "said"),
        [
            ("left", "Scans: 20 left (90 − 70)."),
            ("percent", "Scans: 77.78% used (70 of 90)."),
            ("over", "No: 70 of 90 are used (77.78%), 20 left (scans)."),
        ],
    )
    def test_what_is_used_of_a_limit(self, operation: str, said: str) -> None:
        assert texts("?", USED, operation) == [said]

    def test_what_is_over_a_limit(self) -> None:
        (said,) = texts("?", {"scans": {"used": 95, "limit": 90}}, "over")
        assert said == "Yes: scans is 5 over the limit (95 of 90)."

    @pytest.mark.parametrize(
        ("wanted", "said"), [(15, "Yes: 20 left, enough for 15"), (30, "No: 20 left, not enough for 30")]
    )
    def test_what_is_left_is_held_against_what_is_needed(self, wanted: int, said: str) -> None:
        (text,) = texts(f"is there room for {wanted} more scans", USED, "enough")
        assert text.startswith(said)

    def test_what_is_left_says_what_is_used(self) -> None:
        assert texts("?", {"scans": {"left": 25, "limit": 90}}, "used") == ["Scans: 65 used (90 − 25)."]

    def test_a_plain_number_beside_what_is_used_is_its_whole(self) -> None:
        assert texts("?", {"desks": 30, "desks_used": 21}, "left") == ["Desks: 9 left (30 − 21)."]

    def test_units_that_differ_are_not_held_against_each_other(self) -> None:
        assert texts("?", {"calls_used": 40, "calls_limit_eur": 100}, "left") == []

    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ("how many more scans than last month", "Scans: 15 more than before (70 against 55, +27.27%)."),
            ("did we scan more than last month", "Yes: Scans: 15 more than before (70 against 55, +27.27%)."),
            ("did we scan less than last month", "No: Scans: 15 more than before (70 against 55, +27.27%)."),
        ],
    )
    def test_the_period_before(self, query: str, said: str) -> None:
        assert texts(query, {"scans": 70, "scans_last_month": 55}, "compare") == [said]

    def test_a_part_is_a_share_of_the_whole_beside_it(self) -> None:
        said = texts("?", {"post": {"letters": 30, "parcels": 120}}, "share")
        assert said == ["Post letters: 25% (30 of 120 (post parcels))."]

    def test_two_side_by_side_have_a_sum_and_a_difference(self) -> None:
        context = {"post": {"letters": 30, "parcels": 120}}
        assert "150 together: 30 (post letters) + 120 (post parcels)." in texts("?", context, "together")
        assert "Post parcels / post letters: 90 more (120 against 30)." in texts("?", context, "difference")

    def test_so_many_a_piece(self) -> None:
        assert "Post pages / post letters: 4 (120 / 30)." in texts(
            "?", {"post": {"letters": 30, "pages": 120}}, "ratio"
        )

    def test_what_is_without_a_part(self) -> None:
        context = {"post": {"letters": 30, "all_letters": 120}}
        assert "Post all letters without post letters: 90 (120 − 30)." in texts("?", context, "rest")
        assert "Post all letters sin post letters: 90 (120 − 30)." in texts("?", context, "rest", Language.SPANISH)

    def test_what_part_one_is_of_both(self) -> None:
        said = texts("?", {"post": {"letters": 30, "parcels": 120}}, "part")
        assert "Post letters: 20% (30 of 150 (post letters + post parcels))." in said

    def test_what_all_of_them_cost(self) -> None:
        said = texts("?", {"stamps": 40, "price_per_stamp_eur": 1.5}, "cost")
        assert said == ["Stamps × price per stamp: 60 EUR (40 × 1.50 EUR)."]

    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ("what do 6 stamps cost?", "Price per stamp: 9 EUR (6 × 1.50 EUR)."),
            ("how much are three stamps?", "Price per stamp: 4.50 EUR (3 × 1.50 EUR)."),
        ],
    )
    def test_what_so_many_cost(self, query: str, said: str) -> None:
        assert said in texts(query, {"price_per_stamp_eur": 1.5}, "cost")

    @pytest.mark.parametrize(
        ("context", "said"),
        [
            ({"purse_eur": 90}, "No: 90 EUR left, not enough for 120 EUR (purse)."),
            ({"purse_eur": 400}, "Yes: 400 EUR left, enough for 120 EUR (purse)."),
            ({"purse_left_eur": 90}, "No: 90 EUR left, not enough for 120 EUR (purse)."),
        ],
    )
    def test_whether_money_is_enough(self, context: object, said: str) -> None:
        assert said in texts("is there enough for a saddle of 120?", context, "enough")

    def test_what_so_many_cost_at_a_price_for_several(self) -> None:
        context = {"price_per_1000_stamps_eur": 4}
        assert "Price per 1000 stamps: 20 EUR (5 × 4 EUR)." in texts("what do 5000 stamps cost?", context, "cost")

    def test_one_costs_its_price(self) -> None:
        assert texts("what does one stamp cost?", {"price_per_stamp_eur": 1.5}, "cost") == []

    @pytest.mark.parametrize(
        "context",
        [{"purse_limit_eur": 90}, {"purse_eur_last_month": 90}, {"purses": 90}, {"saddle_price_eur": 90}],
    )
    def test_a_limit_and_what_was_and_what_is_no_money_are_not(self, context: object) -> None:
        assert texts("is there enough for a saddle of 120?", context, "enough") == []

    def test_what_is_above_a_limit_is_paid_for(self) -> None:
        context = {"rides_used": 130, "rides_limit": 100, "extra_rides_eur": 0.5}
        assert any(" 15 EUR (30 × 0.50 EUR)." in text for text in texts("?", context, "cost"))

    def test_what_has_nothing_in_common_is_not_compared(self) -> None:
        assert texts("?", {"letters": 30, "bicycles": 120}, "difference") == []


class TestOfTables:
    @pytest.mark.parametrize(
        ("operation", "said"),
        [
            ("sum", "Firings: 32 in total (14 + 9 + 9)."),
            ("average", "Firings: 10.67 on average (32 over 3)."),
            ("highest", "Firings: the most is 14, Ember."),
            ("lowest", "Firings: the least is 9, Flint, Coal."),
        ],
    )
    def test_a_column_comes_to(self, operation: str, said: str) -> None:
        assert said in texts("?", {"kilns": KILNS}, operation)

    def test_days_have_a_first_and_a_last(self) -> None:
        assert "Next check: the least is March 20, 2027, Flint." in texts("?", {"kilns": KILNS}, "lowest")

    def test_rows_are_counted_and_named(self) -> None:
        assert "Kilns: 3." in texts("?", {"kilns": KILNS}, "count")
        assert "Kilns: Ember, Flint, Coal." in texts("?", {"kilns": KILNS}, "list")

    def test_the_row_that_is_named_has_its_values(self) -> None:
        assert "Gas, Flint: 210 m³." in texts("gas of Flint", {"kilns": KILNS}, "value")
        assert "Potter, Flint: Ana." in texts("who fires Flint", {"kilns": KILNS}, "text")

    def test_the_rows_that_are_named_are_counted_with_their_names(self) -> None:
        assert "Kilns: 2 (Ember, Coal)." in texts("how many kilns has Lou", {"kilns": KILNS}, "count")
        assert "Firings: 23 in total (14 + 9)." in texts("firings by Lou", {"kilns": KILNS}, "sum")

    def test_rows_beyond_a_number(self) -> None:
        assert "Gas: 2 (Ember, Flint)." in texts("how many kilns burnt more than 200 m3", {"kilns": KILNS}, "count")

    def test_a_row_is_a_share_of_all(self) -> None:
        (said, *_) = texts("share of firings that Ember has", {"kilns": KILNS}, "share")
        assert said == "Firings, Ember: 43.75% (14 of 32)."

    def test_one_row_against_another(self) -> None:
        said = texts("how much more gas did Ember burn than Coal", {"kilns": KILNS}, "difference")
        assert "Gas, Ember / Coal: 150 m³ more (300 m³ against 150 m³)." in said

    @pytest.mark.parametrize(
        ("operation", "said"),
        [
            ("rows_under", "Units / minimum: Clay."),
            ("rows_over", "Units / minimum: Glaze."),
            ("rows_full", "Units / minimum: Wire."),
        ],
    )
    def test_rows_against_another_column(self, operation: str, said: str) -> None:
        assert said in texts("?", STOCK, operation)

    def test_the_sum_of_a_column_against_the_period_before(self) -> None:
        context = {"kilns": KILNS, "previous_month": {"firings": 30}}
        assert "Firings: 2 more than before (32 against 30, +6.67%)." in texts("?", context, "compare")

    @pytest.mark.parametrize(
        ("operation", "said"),
        [
            ("left", "Firings: 8 left (40 − 32)."),
            ("percent", "Firings: 80% used (32 of 40)."),
            ("over", "No: 32 of 40 are used (80%), 8 left (firings)."),
        ],
    )
    def test_the_sum_of_a_column_against_a_limit_beside_it(self, operation: str, said: str) -> None:
        assert said in texts("?", {"kilns": KILNS, "firings_limit": 40}, operation)

    def test_the_rows_that_are_named_against_a_limit_beside_them(self) -> None:
        said = texts("how many firings has Flint left", {"kilns": KILNS, "firings_limit": 12}, "left")
        assert "Firings, Flint: 3 left (12 − 9)." in said

    def test_rows_that_reach_a_goal_beside_them(self) -> None:
        context = {"kilns": KILNS, "firings_goal": 10}
        assert "Firings / firings goal: Ember." in texts("?", context, "rows_over")
        assert "Firings / firings goal: Flint, Coal." in texts("?", context, "rows_under")

    def test_a_limit_of_another_thing_or_unit_is_none_of_theirs(self) -> None:
        for limit in ({"guests_limit": 40}, {"firings_limit_kg": 40, "kilns_kg": 3}):
            assert "Firings: 8 left (40 − 32)." not in texts("?", {"kilns": KILNS, **limit}, "left")

    def test_what_the_parts_of_a_whole_leave(self) -> None:
        context = {"cellar": {"total_l": 900, "cider_l": 300, "perry_l": 120, "mead_l": 80}}
        assert "Cellar: 400 L left (900 L − 500 L)." in texts("?", context, "left")

    def test_the_whole_is_none_of_its_parts(self) -> None:
        context = {"cellar": {"bottles": 500, "cider": 300, "perry": 120, "mead": 80}}
        assert "Cellar: 500 in total (300 + 120 + 80)." in texts("?", context, "sum")

    def test_counts_and_their_prices_have_no_sum(self) -> None:
        context = {"orders": {"box": {"quantity": 4}, "crate": {"price": 30}}}
        rows = [{"what": "boxes", "amount": 4}, {"what": "crates", "amount": "30 EUR"}]
        assert texts("?", {"orders": rows}, "sum") == []
        assert texts("?", context, "sum") == []

    def test_a_time_that_no_row_is_of_is_missing(self) -> None:
        runs = [{"on": "2027-01-12", "km": 5}, {"on": "2027-02-03", "km": 8}]
        assert any(one.lacks and one.missing for one, _ in ways("how far in August", {"runs": runs}))

    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ("how far on the 12th", "Km, January 12, 2027: 5 km."),
            ("cuántos km el día 3", "Km, January 3, 2027: 8 km."),
            ("how far on the 4th", ""),
        ],
    )
    def test_a_day_of_the_month_may_be_named_without_it(self, query: str, said: str) -> None:
        runs = [{"on": "2027-01-12", "km": 5}, {"on": "2027-01-03", "km": 8}, {"on": "2027-01-07", "km": 2}]
        found = [text for one, text in ways(query, {"runs": runs}) if one.operation == "value" and one.choice]
        assert (said in found) if said else not found

    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ("loaves from Tuesday to Thursday", "Loaves: 24 in total (7 + 8 + 9)."),
            ("loaves de martes a jueves", "Loaves: 24 in total (7 + 8 + 9)."),
            ("loaves on Tuesday and Thursday", "Loaves: 16 in total (7 + 9)."),
        ],
    )
    def test_a_stretch_of_weekdays_has_those_between(self, query: str, said: str) -> None:
        bakery = "day,loaves\nMonday,5\nTuesday,7\nWednesday,8\nThursday,9\nFriday,4\n"
        assert said in texts(query, bakery, "sum")

    def test_a_code_is_named_with_what_its_row_says(self) -> None:
        rows = [{"ref": "B-1", "guest": "Ines", "nights": 3}, {"ref": "B-2", "guest": "Omar", "nights": 5}]
        assert "Nights: the most is 5, B-2 (Omar)." in texts("?", {"stays": rows}, "highest")

    def test_days_are_not_what_is_counted(self) -> None:
        context = {"scans_by_day": {"2027-03-01": 4, "2027-03-02": 9}}
        assert texts("how many scans", context, "count") == []
        assert texts("on how many days", context, "count") == ["Day: 2."]

    def test_in_spanish(self) -> None:
        said = texts("?", {"hornos": KILNS}, "sum", Language.SPANISH)
        assert "Firings: 32 en total (14 + 9 + 9)." in said


class TestInSpanish:
    @pytest.mark.parametrize(
        ("context", "operation", "said"),
        [
            (
                '{"pases": 40}',
                "value",
                "Pases: 40.",
            ),
            (
                '{"pases_limite": 40}',
                "limit",
                "Pases limite: 40.",
            ),
            (
                '{"pases_restantes": 12}',
                "left",
                "Pases restantes: 12.",
            ),
            (
                '{"nivel": "Plata"}',
                "text",
                "Nivel: Plata.",
            ),
            (
                '{"renueva": "2027-05-02"}',
                "date",
                "Renueva: 2 de mayo de 2027.",
            ),
            (
                '{"avisos": true}',
                "flag",
                "Sí (avisos).",
            ),
            (
                '{"avisos": false}',
                "flag",
                "No (avisos).",
            ),
            (
                '{"multas": 0}',
                "any",
                "No: 0 (multas).",
            ),
            (
                '{"multas": 3}',
                "any",
                "Sí: 3 (multas).",
            ),
            (
                '{"pases": {"usados": 70, "limite": 90}}',
                "left",
                "Pases: quedan 20 (90 − 70).",
            ),
            (
                '{"pases": {"usados": 70, "limite": 90}}',
                "percent",
                "Pases: 77,78 % usado (70 de 90).",
            ),
            (
                '{"pases": {"usados": 70, "limite": 90}}',
                "over",
                "No: se han usado 70 de 90 (77,78 %), quedan 20 (pases).",
            ),
            (
                '{"pases": {"usados": 95, "limite": 90}}',
                "over",
                "Sí: pases pasa del límite en 5 (95 de 90).",
            ),
            (
                '{"pases": {"restantes": 25, "limite": 90}}',
                "used",
                "Pases: 65 usados (90 − 25).",
            ),
            (
                '{"pases": 70, "pases_mes_anterior": 55}',
                "compare",
                "Pases: 15 más que antes (70 frente a 55, +27,27 %).",
            ),
            (
                '{"pases": 50, "pases_mes_anterior": 55}',
                "compare",
                "Pases: 5 menos que antes (50 frente a 55, −9,09 %).",
            ),
            (
                '{"pases": 55, "pases_mes_anterior": 55}',
                "compare",
                "Pases: lo mismo que antes (55).",
            ),
            (
                '{"correo": {"cartas": 30, "bultos": 120}}',
                "share",
                "Correo cartas: 25 % (30 de 120 (correo bultos)).",
            ),
            (
                '{"correo": {"cartas": 30, "bultos": 120}}',
                "together",
                "150 en conjunto: 120 (correo bultos) + 30 (correo cartas).",
            ),
            (
                '{"correo": {"cartas": 30, "bultos": 120}}',
                "difference",
                "Correo bultos / correo cartas: 90 más (120 frente a 30).",
            ),
            (
                '{"hornos": [{"horno": "Brasa", "piezas": 14}, {"horno": "Chispa", "piezas": 9}]}',
                "sum",
                "Piezas: 23 en total (14 + 9).",
            ),
            (
                '{"hornos": [{"horno": "Brasa", "piezas": 14}, {"horno": "Chispa", "piezas": 9}]}',
                "average",
                "Piezas: 11,5 de media (23 entre 2).",
            ),
            (
                '{"hornos": [{"horno": "Brasa", "piezas": 14}, {"horno": "Chispa", "piezas": 9}]}',
                "highest",
                "Piezas: el máximo es 14, Brasa.",
            ),
            (
                '{"hornos": [{"horno": "Brasa", "piezas": 14}, {"horno": "Chispa", "piezas": 9}]}',
                "lowest",
                "Piezas: el mínimo es 9, Chispa.",
            ),
            (
                '{"hornos": [{"horno": "Brasa", "piezas": 14}, {"horno": "Chispa", "piezas": 9}]}',
                "count",
                "Hornos: 2.",
            ),
            (
                '{"hornos": [{"horno": "Brasa", "piezas": 14}, {"horno": "Chispa", "piezas": 9}]}',
                "list",
                "Hornos: Brasa, Chispa.",
            ),
            (
                '{"turnos": [{"turno": "Alba", "jefe": "Noa"}, {"turno": "Ocaso", "jefe": "Leo"}]}',
                "texts",
                "Jefe: Alba: Noa; Ocaso: Leo.",
            ),
            (
                '{"pagos": [{"mes": "2027-01-05", "euros": 20}, {"mes": "2027-02-05", "euros": 30}]}',
                "highest",
                "Euros: el máximo es 30 EUR, 5 de febrero de 2027.",
            ),
        ],
    )
    def test_every_operation_is_said_in_spanish(self, context: str, operation: str, said: str) -> None:
        assert said in texts("?", context, operation, Language.SPANISH)


class TestOfManyFacts:
    def test_of_many_facts_the_nearest_are_held_against_each_other(self) -> None:
        """Each two of some hundred are some ten thousand candidates."""
        context = {f"kiln_{place}_gas": place for place in range(100, 200)}
        near = {f"kiln {place} gas": float(place) for place in (130, 190)}
        found = [one for one, _ in ways("?", context, near=near)]
        pairs = [{fact.label for fact in one.facts} for one in found if len(one.facts) == 2]
        assert len({label for pair in pairs for label in pair}) == PAIRED
        assert set(near) in pairs
        assert {f"kiln {place} gas" for place in context.values()} <= {
            one.facts[0].label for one in found if len(one.facts) == 1
        }

    def test_of_many_columns_the_first_are(self) -> None:
        rows = [{"kiln": name, **{f"gas_{place}": place for place in range(60)}} for name in ("Ember", "Flint")]
        found = [one for one, _ in ways("gas of Ember?", rows)]
        assert len({fact.label for one in found if len(one.facts) == 2 for fact in one.facts}) == PAIRED


class TestOfOrders:
    @pytest.mark.parametrize(
        ("query", "operation", "said"),
        [
            (
                "which kiln has the second most gas",
                "highest",
                "Gas: number 2 from the top is 210 m³, Flint (Ana, April 2, 2027).",
            ),
            ("what is the third lowest gas", "lowest", "number 3 from the bottom is 300"),
        ],
    )
    def test_the_second_and_the_third_have_their_row(self, query: str, operation: str, said: str) -> None:
        found = texts(query, KILNS, operation)
        assert any(said.split(" is ", maxsplit=1)[0].rsplit(": ", maxsplit=1)[-1] in text for text in found)

    def test_equal_numbers_share_a_place(self) -> None:
        found = [one for one, _ in ways("who fired the second most", KILNS) if one.rank == 2]
        firings = [one for one in found if one.operation == "highest" and one.facts[0].label == "firings"]
        assert [[row.name for row in one.rows] for one in firings] == [["Flint", "Coal"]]

    def test_there_is_no_fourth_of_three(self) -> None:
        assert all(one.rank == 1 for one, _ in ways("which is the fourth", KILNS))

    def test_one_number_for_each_of_another_has_its_extremes(self) -> None:
        found = texts("which kiln takes most gas per firing", KILNS, "highest")
        assert any("Gas / firings: the most is 23.33" in text and "Flint" in text for text in found)

    def test_rows_above_the_other_number_are_counted(self) -> None:
        (said,) = [text for text in texts("?", STOCK, "count") if text.startswith("Units / minimum: 1 (Glaze")]
        assert said == "Units / minimum: 1 (Glaze)."


class TestOfDays:
    @pytest.mark.parametrize(
        ("day", "language", "said"),
        [
            ("2027-03-31", Language.ENGLISH, "Renews: in 21 days (March 31, 2027)."),
            ("2027-03-11", Language.ENGLISH, "Renews: in 1 day (March 11, 2027)."),
            ("2027-03-08", Language.ENGLISH, "Renews: 2 days ago (March 8, 2027)."),
            ("2027-03-31", Language.SPANISH, "Renews: dentro de 21 días (31 de marzo de 2027)."),
            ("2027-03-09", Language.SPANISH, "Renews: hace 1 día (9 de marzo de 2027)."),
        ],
    )
    def test_how_far_away_a_day_is(self, day: str, language: Language, said: str) -> None:
        query = {"en": "how many days until it renews", "es": "cuántos días faltan"}[language.value]
        assert texts(query, {"renews": day}, "date", language) == [said]


class TestOfPrices:
    def test_a_monthly_price_is_twelve_times_that_in_a_year(self) -> None:
        said = texts("what does it cost a year", {"monthly_fee_eur": 15}, "cost")
        assert any("180" in text for text in said)
        assert texts("what does it cost", {"monthly_fee_eur": 15}, "cost") == []

    def test_lines_of_an_invoice_come_to_their_sum(self) -> None:
        lines = "item,units,unit price\nClay,40,€2.50\nGlaze,10,€7.00\n"
        assert "Units × unit price: €170 in total (€100 + €70)." in texts("?", lines, "sum")

    def test_a_price_beside_a_table_is_for_its_numbers(self) -> None:
        context = {
            "rooms": [{"room": "Attic", "litres": 30}, {"room": "Cellar", "litres": 20}],
            "price_per_litre_eur": 2,
        }
        (said,) = texts("what did the litres of the attic cost", context, "cost")
        assert "60" in said


class TestOfBounds:
    @pytest.mark.parametrize(
        ("query", "names"),
        [
            ("which kilns are checked before 1 May", ["Ember", "Flint"]),
            ("which kilns are checked after April 2", ["Coal"]),
            ("which kilns are checked by 2 April", ["Ember", "Flint"]),
            ("which kilns used 210 or more m3", ["Ember", "Flint"]),
            ("which kilns used at most 210 m3", ["Flint", "Coal"]),
            ("which kilns used more than 210 m3", ["Ember"]),
        ],
    )
    def test_rows_on_one_side_of_a_number_or_a_day(self, query: str, names: list[str]) -> None:
        found = [one for one, _ in ways(query, KILNS) if one.operation == "list" and one.bound is not None]
        assert names in [[row.name for row in one.rows] for one in found]


def test_a_rate_in_per_cent_is_taken_of_money() -> None:
    said = texts("?", {"fee_pct": 2.5, "sales_eur": 800}, "cost")
    assert "Fee × sales: 20 EUR (2.50% × 800 EUR)." in said or any("20 EUR" in text for text in said)


@pytest.mark.parametrize(("query", "name"), [("letters sent in Mexico", "MX"), ("cartas a España", "ES")])
def test_a_country_is_known_by_its_code(query: str, name: str) -> None:
    context = {"post": [{"to": "MX", "letters": 4}, {"to": "ES", "letters": 9}, {"to": "PE", "letters": 2}]}
    found = [one for one, _ in ways(query, context) if one.operation == "value" and one.choice is not None]
    assert [row.name for one in found for row in one.rows] == [name]
