from typing import Any, ClassVar
from xml.etree import ElementTree as ET

import pytest

from classifier.evaluation import plots
from classifier.linear.card import OUTPUTS

NS = "{http://www.w3.org/2000/svg}"
BINS = [{"rows": 10, "confidence": 0.55, "accuracy": 0.4}, {"rows": 90, "confidence": 0.95, "accuracy": 0.97}]
POINTS = [
    {"coverage": 0.5, "accuracy": 1.0, "threshold": 0.9},
    {"coverage": 1.0, "accuracy": 0.8, "threshold": 0.3},
]
COUNTS = [[5 if row == column else 1 for column in range(5)] for row in range(5)]


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314  # our own text


def texts(picture: ET.Element) -> list[str]:
    return [element.text or "" for element in picture.iter(f"{NS}text")]


class TestReliability:
    def test_a_mark_for_each_bin(self) -> None:
        picture = parsed(plots.reliability_diagram(BINS, "Reliability"))
        marks = list(picture.iter(f"{NS}circle"))
        assert len(marks) == 2
        assert float(marks[1].attrib["r"]) > float(marks[0].attrib["r"])
        assert float(marks[1].attrib["cy"]) < float(marks[0].attrib["cy"])
        assert [title.text for title in picture.iter(f"{NS}title")] == ["10 rows", "90 rows"]

    def test_its_axes_are_named(self) -> None:
        found = texts(parsed(plots.reliability_diagram(BINS, "Reliability")))
        assert {"Reliability", "confidence", "accuracy", "0.0", "1.0"} <= set(found)

    def test_no_rows(self) -> None:
        assert not list(parsed(plots.reliability_diagram([], "none")).iter(f"{NS}circle"))


class TestCoverage:
    def test_the_curve_and_the_chosen_point(self) -> None:
        picture = parsed(plots.coverage_curve(POINTS, (0.7, 0.95), "Coverage"))
        (mark,) = picture.iter(f"{NS}circle")
        assert float(mark.attrib["cx"]) == plots.FRAME + 0.7 * (plots.SIDE - 2 * plots.FRAME)
        assert "at the thresholds: 0.950" in texts(picture)
        assert "0.5" in texts(picture)

    def test_what_is_below_the_scale_stands_at_its_foot(self) -> None:
        picture = parsed(plots.coverage_curve([{"coverage": 1.0, "accuracy": 0.1}], (1.0, 0.1), "low"))
        (mark,) = picture.iter(f"{NS}circle")
        assert float(mark.attrib["cy"]) == plots.SIDE - plots.FRAME


class TestConfusion:
    def test_a_cell_for_each_pair(self) -> None:
        picture = parsed(plots.confusion_matrix(COUNTS, OUTPUTS, "Confusion"))
        cells = [cell for cell in picture.iter(f"{NS}rect") if "fill-opacity" in cell.attrib]
        assert len(cells) == 25
        assert max(float(cell.attrib["fill-opacity"]) for cell in cells) == pytest.approx(5 / 9, abs=1e-3)
        assert texts(picture).count("5") == 5
        assert {"retrieval", "code", "out"} <= set(texts(picture))

    def test_a_row_without_counts(self) -> None:
        assert plots.confusion_matrix([[0, 0], [1, 0]], ["a", "b"], "few")

    def test_as_many_names_as_rows(self) -> None:
        with pytest.raises(ValueError, match="zip"):
            plots.confusion_matrix([[1]], ["a", "b"], "wrong")


class TestBars:
    GROUPS: ClassVar = {"last turn": [0.2, 0.4], "gold": [0.3, 0.5]}

    def test_a_bar_for_each_value_with_its_figure(self) -> None:
        picture = parsed(plots.bars(self.GROUPS, ["text", "dense"], "nDCG"))
        bars = [bar for bar in picture.iter(f"{NS}rect") if bar.get("fill") != "#ffffff"]
        assert len(bars) == 4
        assert {"0.200", "0.500", "last turn", "gold", "text", "dense"} <= set(texts(picture))
        heights = [float(bar.attrib["height"]) for bar in bars]
        assert heights[3] == max(heights)
        assert heights[0] / heights[1] == pytest.approx(0.5, abs=0.01)

    def test_bars_stand_on_the_line_and_inside_the_frame(self) -> None:
        for bar in parsed(plots.bars(self.GROUPS, ["text", "dense"], "nDCG")).iter(f"{NS}rect"):
            if bar.get("fill") != "#ffffff":
                bottom = float(bar.attrib["y"]) + float(bar.attrib["height"])
                assert bottom == pytest.approx(plots.SIDE - plots.FRAME, abs=0.2)
                assert float(bar.attrib["y"]) > plots.FRAME

    def test_bars_of_nothing(self) -> None:
        assert plots.bars({"a": [0.0]}, ["x"], "none")


@pytest.mark.parametrize(
    "draw",
    [
        lambda title: plots.bars({"a": [0.5]}, ["x"], title),
        lambda title: plots.reliability_diagram(BINS, title),
        lambda title: plots.coverage_curve(POINTS, (0.7, 0.9), title),
        lambda title: plots.confusion_matrix(COUNTS, OUTPUTS, title),
    ],
)
def test_pictures_are_the_same_each_time_and_escape_text(draw: Any) -> None:
    assert draw("a < b & c") == draw("a < b & c")
    assert "a < b & c" in texts(parsed(draw("a < b & c")))
    assert "http" not in draw("x").replace("http://www.w3.org/2000/svg", "")
