"""Pictures of an evaluation as SVG: reliability, confusion, accuracy against coverage, and bars side by side.

Drawn with the standard library: a plotting library would bring a hundred megabytes for a few lines, bars and numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as ET

#: Pixels of a picture's side, and of the frame around what is plotted.
SIDE, FRAME = 480, 60

_INK, _GREY, _BLUE, _ORANGE = "#222222", "#cccccc", "#2b6cb0", "#c05621"
_SHADES = (_GREY, _ORANGE, _BLUE)
_SPAN = SIDE - 2 * FRAME


def reliability_diagram(bins: Sequence[dict[str, Any]], title: str) -> str:
    """Accuracy against confidence: on the diagonal, probabilities mean what they say.

    Args:
        bins: As `evaluation.reliability` gives them; a mark's area is its share of rows.
        title: Above the picture.
    """
    picture = _axes(title, "confidence", "accuracy")
    _line(picture, [(0.0, 0.0), (1.0, 1.0)], _GREY)
    _line(picture, [(entry["confidence"], entry["accuracy"]) for entry in bins], _BLUE)
    most = max((entry["rows"] for entry in bins), default=1)
    for entry in bins:
        left, top = _place(entry["confidence"], entry["accuracy"])
        radius = 3 + 9 * (entry["rows"] / most) ** 0.5
        mark = ET.SubElement(picture, "circle", _numbers(cx=left, cy=top, r=radius) | {"fill": _BLUE})
        mark.set("fill-opacity", "0.6")
        ET.SubElement(mark, "title").text = f"{entry['rows']} rows"
    return _written(picture)


def coverage_curve(points: Sequence[dict[str, float]], chosen: tuple[float, float], title: str) -> str:
    """Accuracy among decided rows against their share; the scale of accuracy begins at one half.

    Args:
        points: As `evaluation.accuracy_against_coverage` gives them.
        chosen: Coverage and accuracy at the artifact's own thresholds.
        title: Above the picture.
    """
    low = 0.5
    picture = _axes(title, "coverage", "accuracy of what is decided", low)
    _line(picture, [(point["coverage"], _above(point["accuracy"], low)) for point in points], _BLUE)
    left, top = _place(chosen[0], _above(chosen[1], low))
    ET.SubElement(picture, "circle", _numbers(cx=left, cy=top, r=6) | {"fill": _ORANGE})
    _text(picture, left, top - 12, f"at the thresholds: {chosen[1]:.3f}", _ORANGE)
    return _written(picture)


def confusion_matrix(counts: Sequence[Sequence[int]], names: Sequence[str], title: str) -> str:
    """Counts by truth (rows) and by what was found (columns), shaded by the share of their row."""
    picture = _blank(title)
    side = _SPAN / len(names)
    for row, (name, line) in enumerate(zip(names, counts, strict=True)):
        top = FRAME + row * side
        _text(picture, FRAME - 6, top + side / 2, _short(name), anchor="end")
        _text(picture, FRAME + (row + 0.5) * side, SIDE - FRAME + 18, _short(name))
        for column, count in enumerate(line):
            share, left = count / max(1, sum(line)), FRAME + column * side
            cell = ET.SubElement(picture, "rect", _numbers(x=left, y=top, width=side, height=side))
            cell.attrib |= {"fill": _BLUE, "fill-opacity": f"{share:.3f}", "stroke": _GREY}
            _text(picture, left + side / 2, top + side / 2 + 4, str(count), "#ffffff" if share > 0.5 else _INK)
    _text(picture, SIDE / 2, SIDE - 12, "rows: what it is; columns: what was found")
    return _written(picture)


def bars(groups: Mapping[str, Sequence[float]], names: Sequence[str], title: str) -> str:
    """Shares from 0 to 1 as bars side by side; the scale ends above the highest.

    Args:
        groups: The values of each group, one for each of `names`.
        names: What the bars of a group are, at most three.
        title: Above the picture.
    """
    picture = _blank(title)
    top = max((value for values in groups.values() for value in values), default=0.0) * 1.1 or 1.0
    _line(picture, [(0.0, 1.0), (0.0, 0.0), (1.0, 0.0)], _INK)
    for place, (group, values) in enumerate(groups.items()):
        left, wide = place / len(groups), 0.8 / len(groups) / len(names)
        for bar, value in enumerate(values):
            x, y = _place(left + 0.1 / len(groups) + bar * wide, value / top)
            size = _numbers(x=x, y=y, width=wide * _SPAN, height=SIDE - FRAME - y)
            ET.SubElement(picture, "rect", size | {"fill": _SHADES[bar]})
            _text(picture, x + wide * _SPAN / 2, y - 4, f"{value:.3f}").set("font-size", "9")
        _text(picture, _place(left + 0.5 / len(groups), 0.0)[0], SIDE - FRAME + 18, group)
    for bar, name in enumerate(names):
        _text(picture, SIDE / 2 + (bar - (len(names) - 1) / 2) * 90, SIDE - 12, name, _SHADES[bar])
    return _written(picture)


def _blank(title: str) -> ET.Element:
    """A white picture with a title."""
    picture = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {SIDE} {SIDE}"})
    picture.attrib |= {"font-family": "sans-serif", "font-size": "12", "width": str(SIDE), "height": str(SIDE)}
    ET.SubElement(picture, "rect", _numbers(width=SIDE, height=SIDE) | {"fill": "#ffffff"})
    _text(picture, SIDE / 2, 24, title)
    return picture


def _axes(title: str, across: str, up: str, low: float = 0.0) -> ET.Element:
    """A picture with two scales; the one upwards begins at `low`."""
    picture = _blank(title)
    _line(picture, [(0.0, 1.0), (0.0, 0.0), (1.0, 0.0)], _INK)
    for step in range(6):
        share = step / 5
        left, top = _place(share, share)
        _text(picture, left, SIDE - FRAME + 18, f"{share:.1f}")
        _text(picture, FRAME - 8, top + 4, f"{low + share * (1 - low):.1f}", anchor="end")
    _text(picture, SIDE / 2, SIDE - 14, across)
    label = _text(picture, 16, SIDE / 2, up)
    label.set("transform", f"rotate(-90 16 {SIDE / 2:g})")
    return picture


def _place(across: float, up: float) -> tuple[float, float]:
    """Pixels of a point of the unit square."""
    return FRAME + across * _SPAN, SIDE - FRAME - up * _SPAN


def _above(value: float, low: float) -> float:
    """A value on a scale from `low` to 1 as a share of it; what is lower stands at its foot."""
    return max(0.0, (value - low) / (1 - low))


def _line(picture: ET.Element, points: Sequence[tuple[float, float]], colour: str) -> None:
    places = " ".join(f"{left:.1f},{top:.1f}" for left, top in (_place(*point) for point in points))
    line = ET.SubElement(picture, "polyline", {"points": places, "fill": "none", "stroke": colour})
    line.set("stroke-width", "2")


def _text(
    picture: ET.Element, left: float, top: float, text: str, colour: str = _INK, anchor: str = "middle"
) -> ET.Element:
    element = ET.SubElement(picture, "text", _numbers(x=left, y=top) | {"text-anchor": anchor, "fill": colour})
    element.text = text
    return element


def _numbers(**values: float) -> dict[str, str]:
    """Attributes that are numbers."""
    return {name: f"{value:.1f}" for name, value in values.items()}


def _short(name: str) -> str:
    """The first word of a type's name: "CODE_GENERATION" as "code", "OUT_OF_SCOPE" as "out"."""
    return name.split("_", maxsplit=1)[0].lower()[:9]


def _written(picture: ET.Element) -> str:
    return ET.tostring(picture, encoding="unicode") + "\n"
