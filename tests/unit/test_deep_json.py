"""Files that are nested a hundred thousand deep are refused by their readers, as any other file that is not of the form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from classifier.learning.gate import read_tolerances
from classifier.linear.card import Card, CardError
from classifier.linear.spelling import Spelling
from classifier.llm import parse_label
from classifier.prefix import PrefixFileError, PrefixLayer
from engine.errors import ConfigurationError, InvalidInput
from engine.evaluation.golden import read_golden_set
from engine.planning.tools.config import read_tools_file
from engine.retrieval.manifest import read_manifest

DEEP = '{"a":' * 100_000


@pytest.mark.parametrize(
    ("read", "error"),
    [
        (lambda path: Card.from_json(path.read_bytes()), CardError),
        (lambda path: Spelling.from_json(path.read_bytes()), ValueError),
        (PrefixLayer.from_file, PrefixFileError),
        (read_tolerances, ValueError),
        (read_golden_set, InvalidInput),
        (read_tools_file, ConfigurationError),
        (read_manifest, ConfigurationError),
    ],
)
def test_a_file_that_is_nested_too_deeply_is_refused(
    tmp_path: Path, read: Callable[[Path], object], error: type[Exception]
) -> None:
    path = tmp_path / "deep.json"
    path.write_text(DEEP, "utf-8")
    with pytest.raises(error):
        read(path)


def test_a_label_that_is_nested_too_deeply_is_none() -> None:
    assert parse_label(DEEP) is None
