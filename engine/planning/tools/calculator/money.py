"""Names of money behind numbers, in English and Spanish: "450 euros", "80 dólares", "1200 MXN".

Source:
    CLDR's names and codes of currencies, as babel reads them.
"""

from __future__ import annotations

import re
from functools import cache

from engine.text.unit_names import names

_BEHIND = re.compile(r"(?P<n>\d)\s?(?P<word>[^\W\d_]{3,})(?![^\W\d_])")


@cache
def _currencies() -> frozenset[str]:
    """Codes and the last words of names, in lower case, without those that are units of something else (pounds)."""
    from babel import Locale

    found: set[str] = set()
    for language in ("en", "es"):
        locale = Locale.parse(language)
        forms = locale._data["currency_names_plural"]  # noqa: SLF001  # babel has no other way to them
        said = [*locale.currencies.values(), *(name for plurals in forms.values() for name in plurals.values())]
        words = (re.sub(r"\(.*", "", str(name)).split() for name in said)
        # "dólares estadounidenses" and "US dollars": what comes first in Spanish, last in English.
        found |= {one[0 if language == "es" else -1].lower() for one in words if one}
        found |= {str(code).lower() for code in locale.currencies}
    return frozenset(found) - names().keys()


def _is_currency(word: str) -> bool:
    return word.lower() in _currencies()


def without_currencies(text: str) -> str:
    """`text` without the names of money behind its numbers."""
    return _BEHIND.sub(lambda found: found["n"] if _is_currency(found["word"]) else found[0], text)


def currencies_in(text: str) -> set[str]:
    """The names of money behind the numbers of `text`, as they are written."""
    return {found["word"] for found in _BEHIND.finditer(text) if _is_currency(found["word"])}
