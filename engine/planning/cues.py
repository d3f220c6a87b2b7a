"""What a question is about, told by its words: which tool would answer it, in English, Spanish and Chinese.

A cue has to be unmistakable. These questions stand among questions about documentation, where routes, stocks of
objects, times, transports and databases are spoken of all day; a cue that is missed costs a search in the documents, a
false one asks a weather service about an endpoint.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from engine.planning.tools.clock.tool import is_for_a_clock

#: In the order in which they are tried.
_CUES = {
    "database": r"(?s:^\s*(select\b.+\bfrom\b|with\s+\w+\s+as\s*\())",
    "vision": (
        r"\b(this|the attached|attached|esta|la) (image|picture|photo|screenshot|imagen|foto|captura)\b"
        r"|\S+\.(png|jpe?g|webp|gif)\b|這張(圖|照片)|这张(图|照片)|圖片中|图片中"
    ),
    "weather": (
        r"\bweather\b(?!\s*(api|endpoint|service|command|function))|\b(will|does|is) it (going to )?(rain|snow)"
        r"|\bforecast for\b|\b(temperature|humidity) (in|at) (?-i:[A-ZÁ])\w+|\bqué tiempo (hace|hará|va a hacer)\b"
        r"|\b(el )?(clima|pronóstico) (en|de|para)\b|\b(va a )?(llover|lloverá|nevará)\b"
        r"|天氣|天气|氣溫|气温|下雨|降雨|濕度|湿度"
    ),
    "finance": (
        r"\b(stock|share) prices?\b|\bexchange rates?\b|\bmarket cap\b|\b(price|value) of (bitcoin|gold|oil)\b"
        r"|\bprecio de (la|las) acci[oó]n(es)?\b|\bcotizaci[oó]n\b|\btipo de cambio\b|\b\d{4,5}\.(HK|TW|SS|SZ)\b"
        r"|股價|股价|股票|匯率|汇率|漲跌|涨跌|市值"
    ),
    "transport": (
        r"\bhow (do|can|should|would) (i|we) (get|go|travel) (from|to) "
        r"|\broutes? (from|between) (?-i:[A-ZÁ\d]).{2,40} (to|and) "
        r"|\b(bus|train|metro|ferry|flights?|tube|subway) (from|to|between) (?-i:[A-ZÁ])"
        r"|\bcómo (llego|llegar|voy|ir|se va|se llega) (a|al|desde|de|hasta) "
        r"|\b(ruta|tren|autobús|vuelos?) (desde|de|entre) (?-i:[A-ZÁ]).{2,40} (a|hasta|y) "
        r"|交通路線|交通路线|交通工具|路線選擇|路线选择|怎麼去|怎么去|怎樣去|如何前往|如何到達|搭(車|乘)|車程|车程"
    ),
    "time": (
        r"\bwhat('s| is)? (the )?(current )?(time|date|day)( is it)?( (in|at|now|today|there|right now)\b|\s*\??$)"
        r"|\bcurrent (time|date)\b|\btime (zone )?difference\b|\b(days|weeks) (until|till|since|between|left)\b"
        r"|\bwhat day( of the week)? (is|was|will)\b|\bqu[eé] (hora|d[ií]a|fecha) (es|son|era|será|fue)\b"
        r"|\bcu[aá]nt[oa]s (d[ií]as|semanas) (faltan|hay(?! que\b)|quedan|han pasado)\b|\bdiferencia horaria\b"
        r"|幾點|几点|現在(的)?時間|现在(的)?时间|星期幾|星期几|禮拜幾|今天(是)?(幾|几)(號|号|月)|時差|时差|(還有|还有|相差)(幾|几|多少)天"
    ),
    "calculator": (
        r"\d\s*%\s*(of|de)\s+[$€£]?\d|\d\s*(\+|\*|×|÷|\^|\s-\s|/\s)\s*\d"
        r"|\d\s*(plus|minus|times|divided by|más|menos|entre|"
        r"multiplicado por|dividido (por|entre)|加上?|減去?|减去?|乘以?|除以)\s*\d|\d\s*的\s*\d+\s*%"
        r"|\b(convert|how many \w+ (are )?(in|is)) \d"
        r"|\d ?(°?[CF]|km|miles?|kg|lbs?|pounds|inches|feet|cm) (in|to|into|en|a) "
        r"(°?[CF]|km|kilomet|miles?|millas|kg|kilo|lbs?|pounds|libras|inches|pulgadas|feet|pies|cm|met)"
    ),
    "web_search": (
        r"\b(?-i:[A-ZÁ])\w+ (prize|awards?|cup|games|championships?|festival)\b"
        r"|\b(premio|copa|festival) (?-i:[A-ZÁ])"
        r"|\b(winners?|laureates?|champions?|ganador(a|es)?|campe[oó]n) (of|del?)\b"
        r"|\b(ratings?|reviews?|cast) of (the )?(film|movie|book|series|album)s?\b"
        r"|\b(latest|breaking|today'?s|recent) news\b|\bnews (about|on)\b"
        r"|\bwho (won|is the (current )?(president|prime))\b"
        r"|\bsearch the (web|internet)\b|\bbusca en (la web|internet)\b"
        r"|\búltimas noticias\b|\bnoticias (de|sobre)\b"
        r"|\bquién (ganó|es el (actual )?presidente)\b"
        r"|(?<![得獲获頒颁中])(?<=[\u4e00-\u9fff])[獎奖](?![勵励品金])|得主|冠軍|冠军|在.{1,12}上的?(評分|评分|評價|评价)|新聞|新闻|上網(查|搜)|網上搜|網路搜尋|最新消息"
    ),
}
_READ = {tool: re.compile(cue, re.IGNORECASE) for tool, cue in _CUES.items()}
#: Tools whose work the web can do where they are not configured.
_ON_THE_WEB = frozenset({"weather", "finance", "transport", "web_search"})


def tool_cue(text: str) -> str:
    """The tool whose subject `text` names; empty when it names none."""
    named = next((tool for tool, cue in _READ.items() if cue.search(text)), "")
    return "" if named == "time" and not is_for_a_clock(text) else named


def tool_for(cue: str, offered: Collection[str]) -> str:
    """The offered tool for that cue: its own, else the web where it can do the same, else the documents.

    Returns:
        Empty when nothing is offered that could look it up.
    """
    if cue in offered:
        return cue
    substitutes = ("web_search", "kb") if cue in _ON_THE_WEB else ("kb", "web_search" if not cue else "")
    return next((tool for tool in substitutes if tool in offered), "")
