"""What units are called: their names in English, Spanish and Chinese, and how a quantity is written in a language.

Source:
    CLDR's unit names and plural forms, as babel reads them. What people say beside them ("kilos", "degrees C") stands
    in the table below.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any

from classifier.text import unmarked
from engine.text.language import Language

_LOCALES = ("en", "en_GB", "es", "es_MX", "zh_Hant", "zh_Hans")
#: Names that CLDR does not have, by its identifier.
_ALSO = {
    "mass-kilogram": "kilo kilos 公斤 千克",
    "mass-gram": "gr grs 公克 克",
    "mass-pound": "lbs 英磅 磅",
    "mass-tonne": "tonelada toneladas ton tons 公噸 公吨 噸 吨",
    "length-meter": "mt mts 公尺 米",
    "length-kilometer": "kms 公里 千米",
    "length-centimeter": "cms 公分 厘米 釐米",
    "length-millimeter": "毫米 公釐",
    "length-inch": "英寸 英吋 吋",
    "length-foot": "英尺 呎",
    "length-mile": "英里 哩",
    "length-yard": "碼 码",
    "volume-liter": "公升 升",
    "volume-milliliter": "mls cc 毫升",
    "volume-gallon": "加侖 加仑",
    "mass-ounce": "盎司",
    "duration-hour": "hrs 小時 小时 鐘頭",
    "duration-minute": "mins 分鐘 分钟",
    "duration-second": "secs segs 秒鐘 秒",
    "duration-day": "天",
    "duration-week": "星期 週 周",
    "temperature-celsius": "celsius centigrade centígrados centigrados °c ºc ℃ 攝氏 摄氏 攝氏度 摄氏度 "
    "degrees_c degree_celsius degrees_centigrade grados_c grados_centígrados grados_centigrados",
    "temperature-fahrenheit": "fahrenheit °f ºf ℉ 華氏 华氏 華氏度 华氏度 degrees_f grados_f",
    "temperature-kelvin": "kelvin kelvins",
    "speed-mile-per-hour": "mph",
    "speed-kilometer-per-hour": "km/h kph kmh",
    "speed-meter-per-second": "m/s",
    "consumption-mile-per-gallon": "mpg",
    "consumption-liter-per-100-kilometer": "l/100km l/100_km lts/100_km litres_per_100_km liters_per_100_km "
    "litres_per_100_kilometres litros_por_100_km litros_cada_100_km litros_a_los_100_km litros_a_los_100",
    "volume-tablespoon": "tbsp cucharada cucharadas",
    "volume-teaspoon": "tsp cucharadita cucharaditas",
    "volume-cup": "taza tazas",
}
#: Units of CLDR that the unit library does not have, or means otherwise.
_LEFT_OUT = re.compile(
    r"generic|person|beaufort|karat|item|-em$|night|portion|concentr|dunam|scandinavian|imperial|metric$|g-force|"
    r"hour-per-100|therm-us|-radius|luminosity|troy|-mass$|ofhg|pound-force-foot|newton-meter|dessert|-drop$|jigger|"
    r"light-speed|gasoline|graphics|angle-degree|dalton|carat|pinch"
)
#: Behind a name that is written with letters: it is no beginning of a longer word.
_NO_LETTER = r"(?![^\W\d_])"
_PINT = {
    "consumption-liter-per-100-kilometer": "centiliter / kilometer",
    "temperature-celsius": "degC",
    "temperature-fahrenheit": "degF",
    "mass-ton": "short_ton",
    "energy-foodcalorie": "kilocalorie",
    "length-point": "point",
    "digital-byte": "byte",
}


@cache
def units() -> dict[str, str]:
    """The unit library's expression for each unit, by CLDR identifier."""
    patterns: dict[str, Any] = _patterns("en")
    return {name: _PINT.get(name) or _expression(name) for name in patterns if not _LEFT_OUT.search(name)}


def _patterns(locale: str) -> Any:
    """CLDR's patterns such as `{0} pounds`, by unit, width and plural form; babel has no other way to them."""
    from babel import Locale

    return Locale.parse(locale)._data["unit_patterns"]  # noqa: SLF001


def _expression(identifier: str) -> str:
    def one(part: str) -> str:
        power = re.match(r"(square|cubic)-", part)
        base = part[power.end() :] if power else part
        return base.replace("-", "_") + (f"^{2 if power[1] == 'square' else 3}" if power else "")

    return " / ".join(one(part) for part in identifier.partition("-")[2].split("-per-"))


@cache
def names() -> dict[str, str]:
    """CLDR identifiers by name in lower case, with single spaces; ml is what is written so, not megaliters (ML)."""
    found: dict[str, str] = {}
    for identifier, also in _ALSO.items():
        found |= {name.replace("_", " "): identifier for name in also.split()}
    written = [one for locale in _LOCALES for one in _written(locale)]
    for name, identifier in [one for one in written if one[0] == one[0].lower()] + written:
        found.setdefault(name.lower(), identifier)
    for name in list(found):  # as they are typed in a hurry: "dias", "galon"
        found.setdefault(unmarked(name), found[name])
    return {name: identifier for name, identifier in found.items() if name and not re.match(r"(?:per|por)\b|/", name)}


def _written(locale: str) -> Iterator[tuple[str, str]]:
    """The names of a locale, as CLDR writes them, each with its identifier."""
    data = _patterns(locale)
    for identifier in units():
        for width in ("long", "short"):
            for pattern in data.get(identifier, {}).get(width, {}).values():
                if isinstance(pattern, str) and pattern.startswith("{0}"):
                    yield " ".join(unicodedata.normalize("NFKC", pattern[3:]).split()), identifier


@cache
def one_unit() -> str:
    """A regular expression for the name of one unit, in lower case, the longest name first."""
    ordered = sorted(names(), key=lambda name: -len(name))
    return "|".join(re.escape(name) + (_NO_LETTER if name[-1] < "一" else "") for name in ordered)


def quantity_in(digits: str, written: str, unit: str, language: Language) -> str:
    """A quantity in the language, such as `3 libras`.

    Args:
        digits: The number, with a decimal point; decides the plural.
        written: The number as it is to be shown.
        unit: A CLDR identifier.
    """
    from babel import Locale

    locale = Locale.parse(str(language))
    patterns = _patterns(str(language))[unit]["long"]
    plural = locale.plural_form(float(digits)) if re.fullmatch(r"-?\d+(\.\d+)?", digits) else "other"
    return str(patterns.get(plural, patterns.get("other", "{0}")).replace("{0}", written))
