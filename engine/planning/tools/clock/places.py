"""Time zones by the names of places.

Source:
    The IANA time zone database, as `zoneinfo` reads it: the last part of a zone's name is a place (`Asia/Tokyo`).
    Places that it names otherwise, or not at all, stand in the table below.
"""

from __future__ import annotations

import re
import zoneinfo
from datetime import timedelta, timezone, tzinfo
from functools import cache

_ALIASES = {
    "Asia/Tokyo": "japan japón tokio 東京 东京 日本",
    "Asia/Hong_Kong": "hong kong 香港 中環 將軍澳",
    "Asia/Shanghai": "china beijing pekín pekin shenzhen 北京 上海 中國 中国 深圳 廣州 广州",
    "Asia/Taipei": "taiwan taiwán 台北 臺北 台灣 臺灣",
    "Asia/Singapore": "singapur 新加坡",
    "Asia/Seoul": "seúl corea korea 首爾 首尔 韓國 韩国",
    "Asia/Kolkata": "india mumbai delhi bangalore bengaluru 印度",
    "Asia/Dubai": "dubái 迪拜 杜拜",
    "Europe/London": "londres uk england britain 倫敦 伦敦 英國 英国",
    "Europe/Paris": "parís france francia 巴黎 法國 法国",
    "Europe/Madrid": "spain españa barcelona valencia sevilla 馬德里 马德里 西班牙",
    "Europe/Berlin": "germany alemania berlín munich múnich frankfurt 柏林 德國 德国",
    "Europe/Rome": "italy italia roma milan milán 羅馬 罗马",
    "Europe/Lisbon": "portugal lisboa 里斯本",
    "Europe/Moscow": "russia moscú 莫斯科",
    "America/New_York": "nueva york nyc boston washington miami 紐約 纽约",
    "America/Los_Angeles": "california san francisco seattle los ángeles 洛杉磯 洛杉矶 舊金山 旧金山",
    "America/Chicago": "texas dallas houston austin 芝加哥",
    "America/Mexico_City": "mexico méxico cdmx 墨西哥",
    "America/Bogota": "colombia bogotá 波哥大",
    "America/Lima": "peru perú",
    "America/Santiago": "chile",
    "America/Argentina/Buenos_Aires": "argentina",
    "America/Sao_Paulo": "brazil brasil são paulo 聖保羅",
    "Australia/Sydney": "sídney 悉尼 雪梨",
    "UTC": "utc gmt",
}
#: Zones whose names are first of all something else.
_NOT_PLACES = ("christmas", "easter", "center", "south", "north", "west", "central", "eastern", "general")
#: Names of more than one word.
_PAIRS = ("hong kong", "nueva york", "san francisco", "los ángeles", "são paulo")
_ZONE = re.compile(r"\b[A-Z][A-Za-z]+/[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_]+)?\b")
OFFSET = re.compile(r"\b(?:utc|gmt)\s*([+-])\s*(\d{1,2})(?::?([0-5]\d))?\b", re.IGNORECASE)


def zones_in(text: str) -> list[tuple[str, tzinfo]]:
    """The places with a time zone that `text` names, in their order, each as name and zone."""
    lowered = text.lower().replace("_", " ")
    found = [(match.start(), match[0].upper(), _fixed(match)) for match in OFFSET.finditer(text)]
    known = zoneinfo.available_timezones()
    found += [(m.start(), m[0], zoneinfo.ZoneInfo(m[0])) for m in _ZONE.finditer(text) if m[0] in known]
    rest = lowered
    for at, name, _ in found:
        rest = _blanked(rest, at, len(name))
    for name, zone_name in _places().items():
        at = _at(name, rest)
        if at >= 0:
            found.append((at, name.title(), zoneinfo.ZoneInfo(zone_name)))
            rest = _blanked(rest, at, len(name))
    return [(name, zone) for _, name, zone in sorted(found, key=lambda one: one[0])]


def _blanked(text: str, at: int, length: int) -> str:
    return f"{text[:at]}{' ' * length}{text[at + length :]}"


def _at(name: str, text: str) -> int:
    if name not in text:
        return -1
    if not name[0].isascii() and name[0] > "⺀":  # Chinese has no spaces between words
        return text.index(name)
    match = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    return match.start() if match else -1


def _fixed(match: re.Match[str]) -> tzinfo:
    offset = timedelta(hours=min(int(match[2]), 23), minutes=int(match[3] or 0))
    return timezone(-offset if match[1] == "-" else offset)


@cache
def _places() -> dict[str, str]:
    """Zones by place, in lower case; longer names first, so that New York is not taken for York."""
    places: dict[str, str] = {}
    for zone in sorted(zoneinfo.available_timezones()):
        area, _, place = zone.rpartition("/")
        if area and not area.startswith(("Etc", "posix", "right", "US", "SystemV")):
            places.setdefault(place.replace("_", " ").lower(), zone)
    for zone, names in _ALIASES.items():
        joined = names
        for pair in _PAIRS:
            joined = joined.replace(pair, pair.replace(" ", "_"))
        places |= {name.replace("_", " "): zone for name in joined.split()}
    for name in _NOT_PLACES:
        places.pop(name, None)
    return dict(sorted(places.items(), key=lambda item: -len(item[0])))
