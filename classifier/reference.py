"""What a message points at: the conversation before it, code in the editor, or nothing outside itself.

Only messages that say nothing without what they point at are resolved by evidence. A message that stands on its own is
never changed by history: a router that is fed history drifts to the session's dominant type.
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections.abc import Sequence
from enum import StrEnum

from classifier.decision import IntentEntry, Opinion, Query, QueryType
from classifier.reasons import Reason

#: A message of fewer words leans on what came before it (the product's routing specification).
FEW_WORDS = 4
#: A message of more words stands on its own for the rules of this module, whatever it points at.
MANY_WORDS = 12

_MARKS = re.compile(r"[\u0300-\u036f]")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")


class Kind(StrEnum):
    """What a message points at by its words alone."""

    NOTHING = "nothing"
    """It stands on its own, or says too much to be resolved by a rule."""
    CODE_WORK = "code_work"
    """Work that only code can be given, on something unnamed: "fix it", "documéntalo"."""
    EXPLANATION = "explanation"
    """To have something unnamed explained, which may be code or an answer: "explain this"."""
    REFORMULATION = "reformulation"
    """The last answer in another form, and nothing else: "en menos palabras"."""


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
    rf"(?:este|esta|estos|estas|ese|esa|esos|esas|el|la|los|las|mi|mis) {_CODE_ES}(?: seleccionad[oa]s?| abiert[oa]s?)?)"
)
_BEFORE = (
    r"(?:(?:please|pls|ok|okay|now|so|and|then|can you|could you|would you|just|hey|thanks|great|i need you to|help me|"
    r"porfa|por favor|ahora|vale|y|entonces|puedes|podrias|me|a ver|oye|bien|quiero que|necesito que) )*"
)
_AFTER = (
    r"(?: (?:please|pls|for me|to me|again|now|better|a bit|in detail|in more detail|step by step|line by line|quickly|"
    r"porfa|por favor|otra vez|ahora|mejor|un poco|en detalle|con detalle|paso a paso|linea por linea|de nuevo))*"
)
_HOW = r"(?: (?:so|to|for|in|into|with|using|para|a|en|con|usando|que) .{1,60})?"


def _pattern(*alternatives: str) -> re.Pattern[str]:
    """Whole messages, with courtesy around them."""
    return re.compile(rf"{_BEFORE}(?:{'|'.join(alternatives)}){_AFTER}")


_CODE_WORK = _pattern(
    rf"(?:fix|debug|refactor|optimi[sz]e|document|comment|lint|test|unit test|compile|run|clean(?: up)?|port|review|"
    rf"vectori[sz]e|rewrite|improve|patch|correct) {_ANY_EN}(?: up)?{_HOW}",
    rf"(?:convert|migrate|translate|port) {_ANY_EN} (?:to|into) (?:python|java|javascript|js|typescript|ts|go|rust|php|ruby|"
    r"c|c\+\+|c#|avap|sql|kotlin|swift|bash)",
    r"make (?:it|this|that) (?:faster|work|compile|run|async|asynchronous|thread safe|pass|safer|testable)",
    rf"(?:add|write|generate|put|create) (?:some |the |more |unit |inline )*(?:comments|comment|tests|docstrings?|types|"
    rf"type hints|error handling|logging|validation|documentation)(?: (?:to|for|in|on) {_ANY_EN})?",
    rf"(?:why )?(?:does|doesn't|doesnt|is|isn't|isnt) (?:{_ANY_EN} )?(?:not )?(?:work|working|compile|compiling|fail|"
    r"failing|run|running|crash|crashing)",
    rf"(?:what(?:'s| is|s) wrong (?:with|in|here)|(?:find|where(?:'s| is|s)) the (?:bug|error|mistake))(?: (?:with|in) )?"
    rf"(?:{_ANY_EN})?",
    rf"{_THING} (?:doesn't|doesnt|does not|isn't|isnt|won't|wont|still doesn't) (?:work|working|compile|run|pass)",
    r"(?:arregl|corrig|correg|depur|refactoriz|optimiz|document|coment|test|ejecut|compil|limpi|mejor|revis|repar)"
    rf"(?:a|e|o|ar|al[oa]s?|el[oa]s?|ar?l[oa]s?|ame?l[oa]s?|ir?l[oa]s?|il[oa]s?|ame|ar?me)(?: {_ANY_ES})?{_HOW}",
    r"(?:anad|agreg|pon|escrib|gener|cre|met|haz)[a-z]{0,6} (?:los |las |unos |unas |mas )*(?:comentarios|tests|pruebas|"
    rf"pruebas unitarias|docstrings?|tipos|validacion|manejo de errores|documentacion)(?: (?:a|al|para|en|de) {_ANY_ES})?",
    r"(?:por que|xq|porque) (?:no (?:funciona|compila|va|anda|corre|arranca)|falla|da error|peta|casca)"
    rf"(?: {_ANY_ES})?",
    rf"(?:{_ANY_ES} )?(?:no (?:funciona|compila|anda|corre|va)|falla|da error)",
    r"(?:que|cual) (?:esta mal|tiene mal|es el error|falla)(?: (?:aqui|en|con))?" + rf"(?: {_ANY_ES})?",
    r"hazlo (?:funcionar|asincrono|mas rapido|que funcione|que compile)",
)
_EXPLANATION = _pattern(
    rf"(?:explain|describe|clarify|simplify|walk me through|break down|interpret|analy[sz]e) (?:to me |me )?(?:what )?"
    rf"{_ANY_EN}(?: (?:does|means|is doing|do))?",
    rf"explain(?: me)? (?:what|how|why) {_ANY_EN} (?:does|works?|means?|is|do)(?: .{{1,30}})?",
    rf"what (?:does|do|is|are|did|would) {_ANY_EN}(?: (?:do|mean|doing|for|about|return|used for))?(?: here)?",
    rf"how (?:does|do) {_ANY_EN} work",
    rf"what(?:'s|s) {_ANY_EN}(?: for| about| doing)?",
    r"explain",
    rf"(?:explic|describ|aclar|analiz|simplific|desglos)[a-z]{{1,6}}(?: (?:que (?:hace|significa)|como funciona|para que sirve))?"
    rf"(?: {_ANY_ES})?",
    rf"(?:no entiendo|que (?:hace|significa|es|quiere decir|devuelve)|como funciona|para que (?:es|sirve)) {_ANY_ES}",
    rf"(?:i don't|i dont|i do not) (?:understand|get) {_ANY_EN}",
)
_REFORMULATION = _pattern(
    r"(?:say (?:it|that) |put (?:it|that) |give (?:it|that) to me |give me that |tell me )?(?:in|with|using) (?:fewer|less|"
    r"simpler|other|different|plain|your own|simple|one|a single|two|three|layman's|more formal) (?:words?|terms|sentences?|"
    r"lines?|english|language|paragraphs?|ones)",
    r"(?:make (?:it|that) |a bit |much |even |can it be )*(?:shorter|briefer|simpler|longer|more concise|more formal|"
    r"less formal|less technical|more detailed|clearer)",
    r"(?:(?:give|show|put|write|format|make|turn|send) (?:me )?(?:that|it|this|your answer|the answer|the last answer) )?"
    r"(?:as|in|into) (?:a |an )?(?:bullet(?:ed)? ?(?:list|points?)?|bullets|(?:numbered |short )?list|table|markdown|"
    r"paragraphs?|steps|poem|tweet)(?: form| format)?",
    r"(?:summari[sz]e|shorten|rephrase|reword|paraphrase|condense|repeat)(?: (?:it|that|the answer|your answer|"
    r"your last answer|the last answer|the above))?(?: in (?:one|two|three|a) (?:sentences?|lines?|words?|paragraph))?",
    r"translate (?:it|that|your answer|the answer|the last answer) (?:to|into) (?:english|spanish|french|german|italian|"
    r"portuguese|catalan)",
    r"(?:that |it |now |again )*in (?:english|spanish|french)",
    r"tl;?dr|bullet points|shorter version|too long",
    r"(?:dilo |dimelo |ponlo |explicalo |explicamelo |lo mismo |resumelo )?(?:en|con) (?:menos|otras|pocas|dos|tres|una|un|"
    r"cuatro|una sola|mas) (?:palabras?|frases?|lineas?|parrafos?|oracion(?:es)?)",
    r"(?:hazlo |hazmelo |dilo |un poco |mucho |mas )*mas (?:corto|breve|simple|sencillo|largo|formal|claro|conciso|"
    r"detallado|resumido|facil)",
    r"(?:(?:dame|damelo|ponlo|ponmelo|pasalo|pasamelo|hazlo|hazmelo|escribelo|muestramelo)(?: (?:eso|esto|lo anterior|"
    r"la respuesta|tu respuesta))? )?(?:en|como|en forma de|en formato) (?:una? )?(?:lista|tabla|vinetas|puntos|pasos|"
    r"markdown|parrafo|esquema|listado)",
    r"(?:resum[a-z]{1,7}|acort[a-z]{1,6}|reformul[a-z]{1,6}|abrevi[a-z]{1,6}|parafrase[a-z]{1,5}|repit[a-z]{1,5})"
    r"(?: (?:eso|esto|lo anterior|la respuesta|tu respuesta|lo ultimo))?(?: en (?:una|dos|tres) (?:frases?|lineas?))?",
    r"(?:traduc[a-z]{1,6}|traduzc[a-z]{1,5})(?: (?:eso|esto|la respuesta|tu respuesta|lo anterior))? al (?:ingles|espanol|"
    r"castellano|frances|catalan|portugues)",
    r"(?:eso |lo mismo |dilo |ahora )*en (?:ingles|espanol|castellano)",
)
_DEICTIC = re.compile(
    r"\b(?:it|them|these|those|above|previous|previously|earlier|former|latter|esto|eso|aquello|ello|anterior|"
    r"anteriores|arriba|lo de antes|mencionad[oa]s?)\b"
    r"|\bthis\b(?! (?:month|week|year|morning|afternoon|evening|quarter|time|summer|weekend|is))"
    r"|\bthat (?:one|last|first|answer|code|function|error|part|list|example|point|idea|thing|family|case|question)\b"
    r"|\b(?:about|of|on|do|explain|with|like|mean|for|fix|did|than|after|before) that\b|^that\b|\bthat$"
    r"|\b(?:est[ae]s?|es[ao]s?|ese) (?!mes|semana|ano|tarde|noche|manana|dia|periodo|trimestre|verano)\w+"
    r"|\b(?:first|second|third|last|other) one\b|\b(?:el|la|lo) (?:primer[oa]|segund[oa]|tercer[oa]|ultim[oa]|otr[oa])$"
    r"|^(?:and|also|but|or|so|what about|how about|y|e|pero|o sea|entonces|que tal|tambien)\b"
    r"|\w{3,}(?:al[oa]s?|el[oa]s?|melo|mela|arl[oa]s?)$"
)
_EDITOR = re.compile(
    rf"\b(?:editor|selected|selection|highlighted|open file|current file|seleccion\w*|abiert[oa]|resaltad[oa])\b"
    rf"|\b(?:this|these|my|the) {_CODE_EN}\b|\b(?:este|esta|estos|estas|mi|mis|ese|esa) {_CODE_ES}\b"
)
_FROM_SCRATCH = re.compile(
    rf"^{_BEFORE}(?:write|create|build|generate|implement|make|develop|code|give me|show me|i need|i want|escrib\w*|crea\w*|"
    r"genera\w*|implementa\w*|haz\w*|desarrolla\w*|programa\w*|dame|necesito|quiero) (?:me )?(?:an?|una?|the code|code|"
    r"codigo|el codigo) "
)


def folded(text: str) -> str:
    """`text` as the rules read it: case folded, without accents, punctuation as spaces, single spaces."""
    text = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text[:400]).casefold().replace("’", "'"))
    return " ".join(re.sub(r"[^\w\s+#;']|_", " ", _MARKS.sub("", text)).split())


def kind_of(text: str) -> Kind:
    """What `text` points at by its words alone; a long message stands on its own."""
    plain = folded(text)
    if not plain or len(plain.split()) > MANY_WORDS or "\n" in text.strip():
        return Kind.NOTHING
    for pattern, kind in (
        (_REFORMULATION, Kind.REFORMULATION),
        (_CODE_WORK, Kind.CODE_WORK),
        (_EXPLANATION, Kind.EXPLANATION),
    ):
        if pattern.fullmatch(plain):
            return kind
    return Kind.NOTHING


def leans_on_conversation(text: str) -> bool:
    """Whether `text` cannot be understood without what came before: it points, it trails off, or it is very short.

    Asked before a model is shown the intent history, never to change a type by itself.
    """
    plain = folded(text)
    count = len(_WORD.findall(plain))
    if count < FEW_WORDS or kind_of(text) is not Kind.NOTHING:
        return True
    ellipsis = text.strip().startswith(("...", "…"))
    return ellipsis or (count <= MANY_WORDS and _DEICTIC.search(plain) is not None)


def last_substantial(history: Sequence[IntentEntry]) -> QueryType | None:
    """The type of the last turn that was about something else than the conversation itself."""
    kinds = (entry.type for entry in reversed(history) if entry.type is not QueryType.CONVERSATIONAL)
    return next(kinds, None)


def has_code(query: Query) -> bool:
    """Whether there is code to point at: a selection, an open file, or code as the last subject of the session."""
    return query.has_selection or query.has_editor or last_substantial(query.history) is QueryType.CODE_GENERATION


def about_editor(query: Query, kind: QueryType) -> bool:
    """Whether a message of this type is about code in the editor or the selection, and not about code still to write."""
    if kind is not QueryType.CODE_GENERATION:
        return False
    plain = folded(query.text)
    points = kind_of(query.text) in (Kind.CODE_WORK, Kind.EXPLANATION)
    if points:
        return has_code(query)
    if _EDITOR.search(plain):
        return query.has_selection or query.has_editor
    return query.has_selection and not _FROM_SCRATCH.match(plain)


def resolve(query: Query, opinion: Opinion) -> Opinion:
    """Layer 2's opinion once evidence has said what the message points at.

    Args:
        query: The message with what stands beside it.
        opinion: What the model made of the words alone.

    Returns:
        Another type where the words alone decide nothing: work on "this" is CODE_GENERATION where there is code,
        "explain this" is CONVERSATIONAL where there is only a conversation, another form of the last answer is
        CONVERSATIONAL in any case. Otherwise the opinion as it was, with its editor flag.
    """
    verdict = _verdict(query)
    if verdict is None:
        taken = opinion.type or opinion.best
        editor = taken is not None and about_editor(query, taken)
        return dataclasses.replace(opinion, editor=editor) if editor else opinion
    kind, reason = verdict
    same = opinion.best is kind
    return dataclasses.replace(
        opinion,
        type=kind,
        best=kind,
        reason=reason,
        # The rule is as sure as its evidence; the model's own doubt about bare words says nothing here.
        confidence=max(opinion.confidence, RULE_CONFIDENCE) if same else RULE_CONFIDENCE,
        runner_up=opinion.runner_up if same else opinion.best,
        runner_up_confidence=min(opinion.runner_up_confidence if same else opinion.confidence, 1.0 - RULE_CONFIDENCE),
        editor=about_editor(query, kind),
    )


#: The confidence of a rule of this module: it matches whole messages only.
RULE_CONFIDENCE = 0.95


def _verdict(query: Query) -> tuple[QueryType, Reason] | None:
    """The type that the evidence gives to a message which says nothing without it."""
    kind = kind_of(query.text)
    if kind is Kind.REFORMULATION:
        return QueryType.CONVERSATIONAL, Reason.REFORMULATION
    if kind is Kind.NOTHING:
        return None
    if has_code(query):
        return QueryType.CODE_GENERATION, Reason.REFERENCE_TO_CODE
    if kind is Kind.EXPLANATION and query.history:
        return QueryType.CONVERSATIONAL, Reason.REFERENCE_TO_CONVERSATION
    if kind is Kind.EXPLANATION and query.has_context:
        return QueryType.PLATFORM, Reason.REFERENCE_TO_FIGURES
    return None
