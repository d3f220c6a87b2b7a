import json
from pathlib import Path

import pytest

from classifier.cascade import Cascade
from classifier.evaluation.bounds import BOUNDS_FILE, Bound, problems, read_bounds, watched_figures
from classifier.linear.card import Card
from classifier.training.dataset import Row

FIGURES = {"anchoring": {"all": {"gap": 0.02}}, "leave_domain_out": {"es": {"macro_f1": 0.85}}}
GAP = Bound("anchoring.all.gap", 0.01, least=False)
F1 = Bound("leave_domain_out.es.macro_f1", 0.84, least=True)


def test_a_bound_is_kept_or_not() -> None:
    assert F1.kept(FIGURES)
    assert not GAP.kept(FIGURES)
    assert Bound("anchoring.all.gap", 0.02, least=False).kept(FIGURES)
    assert Bound("anchoring.all.gap", 0.02, least=True).kept(FIGURES)


def test_a_problem_names_figure_value_and_limit() -> None:
    assert problems(FIGURES, [GAP, F1]) == ["anchoring.all.gap is 0.02, at most 0.01 is wanted"]
    assert Bound("anchoring.all.gap", 0.5, least=True).problem(FIGURES).endswith("at least 0.5 is wanted")


@pytest.mark.parametrize("name", ["nothing", "anchoring.fr.gap", "anchoring.all.none"])
def test_a_figure_that_is_missing_is_an_error(name: str) -> None:
    with pytest.raises(KeyError):
        Bound(name, 0.0, least=True).kept(FIGURES)


class TestFile:
    def write(self, folder: Path, content: object) -> Path:
        path = folder / "bounds.json"
        path.write_text(json.dumps(content), "utf-8")
        return path

    def test_a_file_is_read(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, {"version": 1, "bounds": {"at_least": {"a": 0.5}, "at_most": {"b.c": 1}}})
        assert read_bounds(path) == [Bound("a", 0.5, least=True), Bound("b.c", 1.0, least=False)]

    @pytest.mark.parametrize("content", [{}, [], {"version": 2, "bounds": {}}, {"version": 1, "goals": {}}])
    def test_another_form_is_refused(self, tmp_path: Path, content: object) -> None:
        with pytest.raises(ValueError, match="not a file of bounds"):
            read_bounds(self.write(tmp_path, content))

    def test_no_shipped_bound_is_looser_than_a_goal_that_is_met(self) -> None:
        bounds = {bound.name: bound for bound in read_bounds()}
        assert bounds["anchoring.all.gap"].limit <= 0.01
        assert all(0.0 <= bound.limit <= 1.0 for bound in bounds.values())
        assert BOUNDS_FILE.name == "bounds.json"

    def test_the_goals_are_those_of_the_design(self) -> None:
        goals = {goal.name: (goal.limit, goal.least) for goal in read_bounds(section="goals")}
        assert goals["headline.by_language.en.macro_f1"] == (0.95, True)
        assert goals["headline.by_language.es.macro_f1"] == (0.9, True)
        assert goals["anchoring.all.gap"] == (0.01, False)


def test_figures_for_the_bounds(make_card: object, small_rows: list[Row]) -> None:
    assert callable(make_card)
    card: Card = make_card(scores={"leave_domain_out": {"en": {"macro_f1": 0.9}, "es": {"macro_f1": 0.95}}})
    found = watched_figures(Cascade(), card, small_rows, each=2)
    assert found["language_gap"] == 0.05
    assert found["anchoring"]["all"]["gap"] == 0.0
    assert found["robustness"]["typos"]["es"]["flips"] == 0.0
    assert found["robustness"]["typos"]["all"]["rows"] == 20
