"""Production code knows no name that stands only in acceptance cases: these are met by general means."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: Proper names and figures of the acceptance cases; what a library or a general rule may know (Hong Kong) is not here.
NAMES = (
    "Douban", "IMDb", "imdb", "Rotten Tomatoes", "豆瓣", "金像獎", "金像奖", "中環", "中环", "將軍澳", "将军澳", "三部", "騰訊", "腾讯", "0700", "深圳灣",
    "科技大學", "K11", "MUSEA", "SMI", "92,041", "92041", "78,235", "78234", "box office", "票房", "CrossLab", "1.250,50",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_no_acceptance_input_stands_in_production_code(name: str) -> None:
    found = [
        str(path.relative_to(ROOT))
        for folder in ("engine", "classifier")
        for path in (ROOT / folder).rglob("*.py")
        if "v1" not in path.parts and name in path.read_text("utf-8")
    ]
    assert found == []
