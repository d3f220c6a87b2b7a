"""Time zones by the names of places.

Source:
    The IANA time zone database: the last part of a zone's name is a place (`Asia/Tokyo`). CLDR, as babel reads it, has
    those places and the countries in Spanish and Chinese too. Large cities without a zone of their own, and the zone
    that is meant by a country with several, stand in the tables below.
"""

from __future__ import annotations

import re
import zoneinfo
from datetime import timedelta, timezone, tzinfo
from functools import cache

from engine.text.dates import fold
from engine.text.words import blanked

_LOCALES = ("en", "es", "zh_Hant", "zh_Hans")
#: Large cities and regions that share the zone of another place.
_CITIES = {
    "Asia/Shanghai": "beijing|pekin|shenzhen|guangzhou|北京|深圳|廣州|广州",
    "Asia/Kolkata": "mumbai|delhi|new delhi|nueva delhi|bangalore|bengaluru|chennai",
    "Asia/Dubai": "abu dhabi",
    "Asia/Tokyo": "osaka|kyoto",
    "Asia/Seoul": "busan",
    "Europe/London": "uk|england|britain|scotland|inglaterra|manchester|edinburgh|edimburgo",
    "Europe/Madrid": "barcelona|valencia|sevilla|seville|bilbao|malaga|zaragoza",
    "Europe/Berlin": "munich|frankfurt|hamburg|hamburgo|cologne|colonia",
    "Europe/Rome": "milan|naples|napoles|turin",
    "Europe/Lisbon": "porto|oporto",
    "Europe/Paris": "lyon|marseille|marsella",
    "Europe/Amsterdam": "rotterdam",
    "Europe/Zurich": "geneva|ginebra|basel",
    "America/New_York": "nyc|boston|washington|miami|atlanta|philadelphia|filadelfia",
    "America/Los_Angeles": "california|san francisco|seattle|san diego|las vegas|舊金山|旧金山",
    "America/Chicago": "texas|dallas|houston|austin",
    "America/Mexico_City": "cdmx|guadalajara",
    "America/Bogota": "medellin|cali",
    "America/Toronto": "montreal|ottawa",
    "America/Sao_Paulo": "rio de janeiro|brasilia",
    "America/Guayaquil": "quito",
    "UTC": "utc|gmt",
}
#: The zone of the capital, or of most people, of countries that have several.
_COUNTRIES = {
    "AR": "America/Argentina/Buenos_Aires",
    "AU": "Australia/Sydney",
    "BR": "America/Sao_Paulo",
    "CL": "America/Santiago",
    "CN": "Asia/Shanghai",
    "DE": "Europe/Berlin",
    "EC": "America/Guayaquil",
    "ES": "Europe/Madrid",
    "MX": "America/Mexico_City",
    "NZ": "Pacific/Auckland",
    "PT": "Europe/Lisbon",
    "RU": "Europe/Moscow",
}
#: Zones whose names are first of all something else.
_NOT_PLACES = ("christmas", "easter", "center", "south", "north", "west", "central", "eastern", "general", "troll")
_ZONE = re.compile(r"\b[A-Z][A-Za-z]+/[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_]+)?\b")
OFFSET = re.compile(r"\b(?:utc|gmt)\s*([+-])\s*(\d{1,2})(?::?([0-5]\d))?\b", re.IGNORECASE)


def zones_in(text: str) -> list[tuple[str, tzinfo]]:
    """The places with a time zone that `text` names, in their order, each as name and zone."""
    return [(name, zone) for _, _, name, zone in find_zones(text)]


def find_zones(text: str) -> list[tuple[int, int, str, tzinfo]]:
    """The same with the place of each name in `text`, from and to."""
    found = [(*m.span(), m[0].upper(), _fixed(m)) for m in OFFSET.finditer(text)]
    found += [(*m.span(), m[0], zoneinfo.ZoneInfo(m[0])) for m in _ZONE.finditer(text) if m[0] in _zones()]
    rest = blanked(text.lower(), (one[:2] for one in found))
    if len(folded := fold(rest)) == len(rest):  # accents make no difference where they can be taken off one by one
        rest = folded
    for match in _named().finditer(rest):
        found.append((*match.span(), text[slice(*match.span())].title(), zoneinfo.ZoneInfo(_places()[match[0]])))
    return sorted(found, key=lambda one: one[0])


def _fixed(match: re.Match[str]) -> tzinfo:
    offset = timedelta(hours=min(int(match[2]), 23), minutes=int(match[3] or 0))
    return timezone(-offset if match[1] == "-" else offset)


@cache
def _zones() -> frozenset[str]:
    """The names of all zones: reading them from the disk takes 15 ms."""
    return frozenset(zoneinfo.available_timezones())


@cache
def _named() -> re.Pattern[str]:
    """Finds a place by its name; the longer first, so that New York is not taken for York."""
    ordered = sorted(map(re.escape, _places()), key=len, reverse=True)
    chinese = [name for name in ordered if name[0] > "⺀"]  # it has no spaces between words
    edged = "|".join(name for name in ordered if name[0] <= "⺀")
    return re.compile(rf"(?<!\w)(?:{edged})(?!\w)|{'|'.join(chinese)}")


@cache
def _places() -> dict[str, str]:
    """Zones by place, folded."""
    from babel import Locale
    from babel.core import get_global

    zones = _zones()
    places: dict[str, str] = {}
    for zone in sorted(zones):
        area, _, place = zone.rpartition("/")
        if area and not area.startswith(("Etc", "posix", "right", "US", "SystemV")):
            places.setdefault(fold(place.replace("_", " ")), zone)
    by_country = {
        territory: _COUNTRIES.get(territory) or (found[0] if len(found) == 1 else "")
        for territory, found in get_global("territory_zones").items()
    }
    for locale in map(Locale.parse, _LOCALES):
        cities = {fold(names["city"]): zone for zone, names in locale.time_zones.items() if "city" in names}
        countries = {fold(name): by_country.get(code, "") for code, name in locale.territories.items()}
        places |= {name: zone for name, zone in {**countries, **cities}.items() if zone in zones and len(name) > 1}
    for zone, names in _CITIES.items():
        places |= dict.fromkeys(names.split("|"), zone)
    return {name: zone for name, zone in places.items() if name not in _NOT_PLACES}
