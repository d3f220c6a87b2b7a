"""The phrases by which a message points at something outside itself, in English and Spanish.

They are matched against folded text (`reference.folded`): case folded, no accents, single spaces, no punctuation. Most
match whole messages only, so that a message which says anything more stands on its own.
"""

from __future__ import annotations

import re

_THING = (
    r"(?:this|that|it|these|those|them|this one|that one|everything|all (?:of )?(?:this|that|it)|the above|"
    r"(?:what(?:'s| is|s) )?(?:above|here|selected))"
)
_CODE_EN = (
    r"(?:code|function|method|class|file|script|snippet|block|line|lines|selection|query|endpoint|program|module|loop|"
    r"regex|test|tests|command|handler|component)"
)
_CODE_ES = (
    r"(?:codigo|funcion|metodo|clase|archivo|fichero|script|fragmento|bloque|linea|lineas|seleccion|consulta|endpoint|"
    r"programa|modulo|bucle|regex|prueba|pruebas|comando|trozo|pedazo|componente)"
)
_ANY_EN = rf"(?:{_THING}|(?:this|that|these|those|the|my|the selected|the open|the current) {_CODE_EN})"
_ANY_ES = (
    rf"(?:esto|eso|aquello|este|esta|todo esto|todo eso|lo de arriba|lo anterior|lo seleccionado|"
    rf"(?:este|esta|estos|estas|ese|esa|esos|esas|el|la|los|las|mi|mis) {_CODE_ES}"
    r"(?: seleccionad[oa]s?| abiert[oa]s?)?)"
)
_BEFORE = (
    r"(?:(?:please|pls|ok|okay|now|so|and|then|can you|could you|would you|just|hey|thanks|great|i need you to|"
    r"help me|porfa|por favor|ahora|vale|y|entonces|puedes|podrias|me|a ver|oye|bien|quiero que|necesito que) )*"
)
_AFTER = (
    r"(?: (?:please|pls|for me|to me|again|now|better|a bit|in detail|in more detail|step by step|line by line|"
    r"quickly|porfa|por favor|otra vez|ahora|mejor|un poco|en detalle|con detalle|paso a paso|linea por linea|"
    r"de nuevo))*"
)
_HOW = r"(?: (?:so|to|for|in|into|with|using|para|a|en|con|usando|que) .{1,60})?"


def _pattern(*alternatives: str) -> re.Pattern[str]:
    """Whole messages, with courtesy around them."""
    return re.compile(rf"{_BEFORE}(?:{'|'.join(alternatives)}){_AFTER}")


#: Work that only code can be given, on something unnamed: "fix it", "documéntalo".
CODE_WORK = _pattern(
    rf"(?:fix|debug|refactor|optimi[sz]e|document|comment|lint|test|unit test|compile|run|clean(?: up)?|port|review|"
    rf"vectori[sz]e|rewrite|improve|patch|correct) {_ANY_EN}(?: up)?{_HOW}",
    rf"(?:convert|migrate|translate|port) {_ANY_EN} (?:to|into) (?:python|java|javascript|js|typescript|ts|go|rust|"
    r"php|ruby|c|c\+\+|c#|avap|sql|kotlin|swift|bash)",
    r"make (?:it|this|that) (?:faster|work|compile|run|async|asynchronous|thread safe|pass|safer|testable)",
    r"(?:add|write|generate|put|create) (?:some |the |more |unit |inline )*(?:comments|comment|tests|docstrings?|"
    rf"types|type hints|error handling|logging|validation|documentation)(?: (?:to|for|in|on) {_ANY_EN})?",
    rf"(?:why )?(?:does|doesn't|doesnt|is|isn't|isnt) (?:{_ANY_EN} )?(?:not )?(?:work|working|compile|compiling|"
    r"fail|failing|run|running|crash|crashing)",
    r"(?:what(?:'s| is|s) wrong|(?:find|where(?:'s| is|s)) the (?:bug|error|mistake))"
    rf"(?: (?:with|in|here)(?: {_ANY_EN})?)?",
    r"(?:fix|debug|correct|patch|solve|repair|remove) (?:(?:the|all|any|these|those) ){1,2}"
    rf"(?:bugs?|errors?|mistakes?|issues?|problems?)(?: here| (?:with|in) {_ANY_EN})?",
    rf"{_THING} (?:doesn't|doesnt|does not|isn't|isnt|won't|wont|still doesn't) (?:work|working|compile|run|pass)",
    r"(?:arregl|corrig|correg|depur|refactoriz|optimiz|document|coment|test|ejecut|compil|limpi|mejor|revis|repar)"
    r"(?:a|e|o|ar|al[oa]s?|el[oa]s?|arl[oa]s?|erl[oa]s?|irl[oa]s?|ir|amel[oa]s?|armel[oa]s?|il[oa]s?|ame|eme|arme)"
    rf"(?: {_ANY_ES})?{_HOW}",
    r"(?:arregl|corrig|correg|depur|repar|resuelv|resolv|quit|solucion)[a-z]{1,5} (?:el|los|la|las|estos|todos los) "
    rf"(?:bugs?|error(?:es)?|fallos?|problemas?)(?: (?:de |por )?aqui| (?:de|en|con) {_ANY_ES})?",
    r"(?:anad|agreg|pon|escrib|gener|cre|met|haz)[a-z]{0,6} (?:los |las |unos |unas |mas )*(?:comentarios|tests|"
    r"pruebas|pruebas unitarias|docstrings?|tipos|validacion|manejo de errores|documentacion)"
    rf"(?: (?:a|al|para|en|de) {_ANY_ES})?",
    r"(?:por que|xq|porque) (?:no (?:funciona|compila|va|anda|corre|arranca)|falla|da error|peta|casca)"
    rf"(?: {_ANY_ES})?",
    rf"(?:{_ANY_ES} )?(?:no (?:funciona|compila|anda|corre|va)|falla|da error)",
    rf"(?:que|cual) (?:esta mal|tiene mal|es el error|falla)(?: (?:aqui|(?:en|con) {_ANY_ES}))?",
    r"hazlo (?:funcionar|asincrono|mas rapido|que funcione|que compile)",
)

#: To have something unnamed explained, which may be code or an answer: "explain this".
EXPLANATION = _pattern(
    rf"(?:explain|describe|clarify|simplify|walk me through|break down|interpret|analy[sz]e) (?:to me |me )?(?:what )?"
    rf"{_ANY_EN}(?: (?:does|means|is doing|do))?",
    rf"explain(?: me)? (?:what|how|why) {_ANY_EN} (?:does|works?|means?|is|do)(?: .{{1,30}})?",
    rf"what (?:does|do|is|are|did|would) {_ANY_EN}(?: (?:do|mean|doing|for|about|return|used for))?(?: here)?",
    rf"how (?:does|do) {_ANY_EN} work",
    rf"what(?:'s|s) {_ANY_EN}(?: for| about| doing)?",
    r"explain",
    r"(?:explic|describ|aclar|analiz|simplific|desglos)[a-z]{1,6}"
    rf"(?: (?:que (?:hace|significa)|como funciona|para que sirve))?(?: {_ANY_ES})?",
    rf"(?:no entiendo|que (?:hace|significa|es|quiere decir|devuelve)|como funciona|para que (?:es|sirve)) {_ANY_ES}",
    rf"(?:i don't|i dont|i do not) (?:understand|get) {_ANY_EN}",
)

#: A word that points, anywhere in a message; "this month" does not, nor does the "that" of "a function that returns".
DEICTIC = re.compile(
    r"\b(?:it|them|these|those|above|previous|previously|earlier|former|latter|esto|eso|aquello|ello|anterior|"
    r"anteriores|arriba|lo de antes|mencionad[oa]s?)\b"
    r"|\bthis\b(?! (?:month|week|year|morning|afternoon|evening|quarter|time|summer|weekend|is))"
    r"|\bthat (?:one|last|first|answer|code|function|error|part|list|example|point|idea|thing|family|case|question)\b"
    r"|\b(?:about|of|on|do|explain|with|like|mean|for|fix|did|than|after|before) that\b|^that\b|\bthat$"
    r"|\b(?:est[ae]s?|es[ao]s?|ese) (?!mes|semana|ano|tarde|noche|manana|dia|periodo|trimestre|verano)\w+"
    r"|\b(?:first|second|third|last|other) one\b"
    r"|\b(?:el|la|lo) (?:primer[oa]|segund[oa]|tercer[oa]|ultim[oa]|otr[oa])$"
    r"|^(?:and|also|but|or|so|what about|how about|y|e|pero|o sea|entonces|que tal|tambien)\b"
    r"|\w{3,}(?:al[oa]s?|el[oa]s?|melo|mela|arl[oa]s?)$"
)

#: Code in the editor, named as such, anywhere in a message.
EDITOR = re.compile(
    r"\b(?:editor|selected|selection|highlighted|open file|current file|seleccion\w*|abiert[oa]|resaltad[oa])\b"
    rf"|\b(?:this|these|my|the) {_CODE_EN}\b|\b(?:este|esta|estos|estas|mi|mis|ese|esa) {_CODE_ES}\b"
)

#: The beginning of a request for code that is not there yet.
FROM_SCRATCH = re.compile(
    rf"^{_BEFORE}(?:write|create|build|generate|implement|make|develop|code|give me|show me|i need|i want|escrib\w*|"
    r"crea\w*|genera\w*|implementa\w*|haz\w*|desarrolla\w*|programa\w*|dame|necesito|quiero) (?:me )?(?:an?|una?|"
    r"the code|code|codigo|el codigo) "
)
