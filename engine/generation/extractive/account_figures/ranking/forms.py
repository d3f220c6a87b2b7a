"""Forms of questions: what they ask for by their first words, money, and what there is so much of for each.

Texts are folded: lower case, without accents.
"""

from __future__ import annotations

import re

MONEY = re.compile(
    r"\b(?:cost\w*|prices?|pay|paid|pays|spen[dt]|cuestan?|precio|pag(?:o|a[rs]?|amos|aron|ado|ue|uen)|vale|gast\w+|"
    r"expensive|cheap\w*|car[oa]s?|barat[oa]s?|money|dinero|plata|bill\w*|euros?|dollars?|dolares|pesos|owe|debo|debe|"
    r"charged?|cobr\w+|fee|amount|importe|monto|revenue|earn\w*|ingres\w+|factur\w+)\b"
)
_START = r"\W*(?:and |y |so |pero )?(?:de |a |en |for |until |hasta |desde |since |in |on |at )?"
HOW_MANY = re.compile(rf"{_START}(?:how many|cuant[oa]s)\b(?! (?:euros|dollars|dolares|pounds|libras|pesos|soles)\b)")
HOW_MUCH = re.compile(rf"{_START}(?:how (?:many|much)|cuant[oa]s?)\b")
WHEN = re.compile(rf"{_START}(?:when|cuando|what (?:date|day)|que (?:dia|fecha))\b")
WHO = re.compile(
    rf"{_START}(?:who|whose|which|quien(?:es)?|que|cual(?:es)?|what)\b"
    r"(?! (?:is|are|es|son|day|date|dia|fecha|share|percent))"
)
PLAIN = re.compile(
    rf"{_START}(?:is|are|was|were|did|do|does|have|has|can|hay|hubo|tengo|tenemos|esta|estan|me|nos|hemos|he)\b"
)
#: What stands before a thing of which so many are asked for: "per driver", "por cada conductor".
EACH = re.compile(r"\b(?:per|por|each|cada|every)\s+(?:cada\s+)?([^\W_]+)")
PER = re.compile(r"\b(?:per|por|each|cada|every|a|an|al)\b")
