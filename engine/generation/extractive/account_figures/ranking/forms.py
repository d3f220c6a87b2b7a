"""Forms of questions: what they ask for by their first words, money, and what there is so much of for each.

Texts are folded: lower case, without accents.
"""

from __future__ import annotations

import re

MONEY = re.compile(
    r"\b(?:cost\w*|prices?|pay|paid|pays|spen[dt]|cuestan?|precio|pag(?:o|a[rs]?|amos|aron|ado|ue|uen)|vale|gast\w+|"
    r"expensive|cheap\w*|car[oa]s?|barat[oa]s?|money|dinero|plata|bill\w*|euros?|dollars?|dolares|pesos|owe|debo|debe|"
    r"charged?|cobr\w+|fee|amount|importe|monto|revenue|earn\w*|ingres\w+|factur\w+|"
    r"how much (?:is|are) (?:an?|one|each|every)|a (?:cuanto|como) (?:esta|sale|anda)n?)\b"
)
_START = r"\W*(?:and |y |so |pero )?(?:de |a |en |for |until |hasta |desde |since |in |on |at )?"
HOW_MANY = re.compile(rf"{_START}(?:how many|cuant[oa]s)\b(?! (?:euros|dollars|dolares|pounds|libras|pesos|soles)\b)")
COUNTED = re.compile(r"\b(?:how many|number of|count|cuant[oa]s|numero de|cantidad de)\b")
HOW_MUCH = re.compile(rf"{_START}(?:how (?:many|much)|cuant[oa]s?)\b")
WHEN = re.compile(rf"{_START}(?:when|cuando|what (?:date|day)|que (?:dia|fecha))\b")
WHO = re.compile(
    rf"{_START}(?:who|whose|which|quien(?:es)?|que|cual(?:es)?|what)\b"
    r"(?! (?:is|are|es|son|day|date|dia|fecha|share|percent))"
)
#: Asks for a person by no other word.
WHO_ALONE = re.compile(rf"{_START}(?:who(?:se)?|quien(?:es)?)\b")
PLAIN = re.compile(
    rf"{_START}(?:is|are|was|were|did|do|does|have|has|can|hay|hubo|tengo|tenemos|esta|estan|me|nos|hemos|he)\b"
)
#: Asks how far away a day is.
DAYS = re.compile(r"\b(?:how (?:many|long)|cuant[oa]s?)\b.*\b(?:days?|dias?)\b")
MONTHLY = re.compile(r"\b(?:mo|month|monthly|mes|mensual(?:idad)?)\b")
#: Asks for a month of several.
WHICH_MONTH = re.compile(r"\b(?:(?:which|what) month|que mes|mes (?:con|de) (?:mas|menos|mayor|menor)|month with)\b")
#: What stands before a thing of which so many are asked for: "per driver", "por cada conductor".
EACH = re.compile(r"\b(?:per|por|each|cada|every)\s+(?:cada\s+)?([^\W_]+)")
PER = re.compile(r"\b(?:per|por|each|cada|every|a|an|al)\b")
#: Asks for rows in an order, and for the smallest first.
ORDERED = re.compile(
    r"\b(?:sort|order|rank|arrange|ordena\w*|clasifica\w*)(?:ed)?\b.*"
    r"\b(?:by|from|por|segun|de (?:mayor|menor|mas|menos) a)\b"
)
ASCENDING = re.compile(r"\b(?:ascend\w+|de (?:menor|menos) a|from (?:the )?(?:low|least|small|few|cheap)\w*)\b")
#: Asks for what takes longest, or shortest, where times are told.
SPEED = re.compile(r"\b(?:(?P<slow>slow\w*|lent[oa]s?)|fast\w*|quick\w*|rapid[oa]s?)\b")
#: A share of another number by its name: "defect rate".
RATE = re.compile(r"(?P<of>[^\W\d_]+) rates?\b|\btasas? de (?P<de>[^\W\d_]+)")
#: Operations of the head by which an operation is asked for, with what each counts.
ASKED: dict[str, dict[str, float]] = {
    "value": {"value": 1.0, "sum": 0.4, "text": 0.4, "limit": 0.2, "left": 0.1},
    "text": {"text": 1.0, "flag": 0.6, "value": 0.6, "list": 0.4},
    "texts": {"list": 1.0, "text": 0.8, "value": 0.3},
    "list": {"list": 1.0, "text": 0.6, "flag": 0.2},
    "count": {"count": 1.0, "value": 0.4, "sum": 0.4, "list": 0.2},
    "sum": {"sum": 1.0, "value": 0.6},
    "together": {"sum": 1.0},
    "left": {"left": 1.0, "enough": 0.2},
    "used": {"value": 1.0, "percent": 0.2},
    "any": {"flag": 1.0, "over": 0.3},
    "over": {"over": 1.0, "flag": 0.2},
    "enough": {"enough": 1.0, "left": 0.1, "over": 0.1},
    "difference": {"compare": 1.0, "value": 0.1},
    "compare": {"compare": 1.0, "percent": 0.3},
    "share": {"percent": 1.0},
    "part": {"percent": 1.0},
    "rest": {"left": 1.0, "value": 0.6, "compare": 0.1},
    "cost": {"cost": 1.0, "value": 0.2, "sum": 0.3},
    "ratio": {"average": 1.0, "value": 0.1, "percent": 0.2},
    "rows_over": {"over": 1.0, "list": 0.7, "highest": 0.5, "text": 0.4},
    "rows_under": {"over": 0.3, "list": 1.0, "lowest": 0.5, "text": 0.4},
    "rows_full": {"over": 0.6, "list": 0.7, "highest": 1.0, "text": 0.4},
    "empty": {"value": 1.0, "text": 0.7, "date": 0.7, "sum": 0.3, "flag": 0.3},
}
#: Operations of the head that words of a question ask for, where these are not the operation itself.
WORDED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("value", "text", "texts", "list", "used", "empty"), ()),
    "any": ("flag", "over"),
    "difference": ("compare",),
    "share": ("percent",),
    "part": ("percent",),
    "rest": ("left",),
    "ratio": ("average",),
    "together": ("sum",),
    "rows_over": ("over", "highest"),
    "rows_under": ("lowest",),
    "rows_full": ("over", "highest"),
}
