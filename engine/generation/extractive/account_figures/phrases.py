"""What is said of figures, in English and in Spanish."""

from __future__ import annotations

from engine.text.language import Language

_EN, _ES = Language.ENGLISH, Language.SPANISH

VALUE = {_EN: "{label}: {value}.", _ES: "{label}: {value}."}
ROLES = {
    _EN: {"used": "used", "limit": "limit", "left": "left", "percent": "used"},
    _ES: {"used": "usado", "limit": "límite", "left": "restante", "percent": "usado"},
}
#: A value that comes second, third and so on among rows.
RANKED = {
    "highest": {
        _EN: "{label}: number {rank} from the top is {value}, {row}.",
        _ES: "{label}: el número {rank} de mayor a menor es {value}, {row}.",
    },
    "lowest": {
        _EN: "{label}: number {rank} from the bottom is {value}, {row}.",
        _ES: "{label}: el número {rank} de menor a mayor es {value}, {row}.",
    },
}
#: What a number comes to by the end of its period, what that is against its limit, and how much it is a day.
AT_PACE = {
    _EN: "{label}: {end} by the end of the period at this pace ({number} in {gone} of {whole} days){over}.",
    _ES: "{label}: {end} al final del periodo a este ritmo ({number} en {gone} de {whole} días){over}.",
}
PACE_OVER = {
    _EN: ", {difference} over the limit of {limit}",
    _ES: ", {difference} por encima del límite de {limit}",
}
PACE_WITHIN = {
    _EN: ", {difference} below the limit of {limit}",
    _ES: ", {difference} por debajo del límite de {limit}",
}
EACH_DAY = {
    _EN: "{label}: {each} a day on average ({number} in {days}).",
    _ES: "{label}: {each} al día de media ({number} en {days}).",
}
#: How far away a day is.
AHEAD = {_EN: "{label}: in {days} ({value}).", _ES: "{label}: dentro de {days} ({value})."}
PAST = {_EN: "{label}: {days} ago ({value}).", _ES: "{label}: hace {days} ({value})."}
TODAY = {_EN: "{label}: today ({value}).", _ES: "{label}: hoy ({value})."}
DAYS = {_EN: ("{count} day", "{count} days"), _ES: ("{count} día", "{count} días")}
LEFT = {_EN: "{label}: {left} left ({limit} − {used}).", _ES: "{label}: quedan {left} ({limit} − {used})."}
NONE_LEFT = {
    _EN: "{label}: none left, {over} over the limit ({used} of {limit}).",
    _ES: "{label}: no queda nada, {over} por encima del límite ({used} de {limit}).",
}
USED = {_EN: "{label}: {used} used ({limit} − {left}).", _ES: "{label}: {used} usados ({limit} − {left})."}
LIMIT = {_EN: "{label}: {limit} in all ({used} + {left}).", _ES: "{label}: {limit} en total ({used} + {left})."}
SHARE = {_EN: "{label}: {share} used ({used} of {limit}).", _ES: "{label}: {share} usado ({used} de {limit})."}
SHARE_GIVEN = {_EN: "{label}: {share} used.", _ES: "{label}: {share} usado."}
MORE = {
    _EN: "{label}: {difference} more than before ({now} against {before}{share}).",
    _ES: "{label}: {difference} más que antes ({now} frente a {before}{share}).",
}
FEWER = {
    _EN: "{label}: {difference} less than before ({now} against {before}{share}).",
    _ES: "{label}: {difference} menos que antes ({now} frente a {before}{share}).",
}
SAME = {_EN: "{label}: the same as before ({now}).", _ES: "{label}: lo mismo que antes ({now})."}
#: What comparing with an earlier period says, and comparing two things does not.
BEFORE = {_EN: " than before", _ES: " que antes"}
TOGETHER = {_EN: "{sum} together: {parts}.", _ES: "{sum} en conjunto: {parts}."}
PART = {_EN: "{label}: {share} ({part} of {whole}).", _ES: "{label}: {share} ({part} de {whole})."}
ENOUGH = {
    _EN: "Yes: {left} left, enough for {wanted} ({label}).",
    _ES: "Sí: quedan {left}, alcanza para {wanted} ({label}).",
}
NOT_ENOUGH = {
    _EN: "No: {left} left, not enough for {wanted} ({label}).",
    _ES: "No: quedan {left}, no alcanza para {wanted} ({label}).",
}
MORE_OR_LESS = {_EN: ("Yes: ", "No: "), _ES: ("Sí: ", "No: ")}
ANY = {_EN: ("Yes", "No"), _ES: ("Sí", "No")}
SUM = {_EN: "{label}: {sum} in total ({parts}).", _ES: "{label}: {sum} en total ({parts})."}
MEAN = {
    _EN: "{label}: {mean} on average ({sum} over {count}).",
    _ES: "{label}: {mean} de media ({sum} entre {count}).",
}
HIGHEST = {_EN: "{label}: the most is {value}, {row}.", _ES: "{label}: el máximo es {value}, {row}."}
LOWEST = {_EN: "{label}: the least is {value}, {row}.", _ES: "{label}: el mínimo es {value}, {row}."}
OVER = {
    _EN: "Yes: {label} is {over} over the limit ({used} of {limit}).",
    _ES: "Sí: {label} pasa del límite en {over} ({used} de {limit}).",
}
NOT_OVER = {
    _EN: "No: {used} of {limit} are used ({share}), {left} left ({label}).",
    _ES: "No: se han usado {used} de {limit} ({share}), quedan {left} ({label}).",
}
NONE_OVER = {_EN: "No: no limit is passed ({shares}).", _ES: "No: no se pasa ningún límite ({shares})."}
YES = {_EN: "Yes ({label}).", _ES: "Sí ({label})."}
NO = {_EN: "No ({label}).", _ES: "No ({label})."}
NO_OR_YES = {_EN: ("no", "yes"), _ES: ("no", "sí")}
EMPTY = {
    _EN: "The data of this request has no value for {label}.",
    _ES: "Los datos de esta petición no traen ningún valor de {label}.",
}
MISSING = {
    _EN: "The data of this request has no figure for {what}. It has: {names}.",
    _ES: "Los datos de esta petición no traen ninguna cifra de {what}. Traen: {names}.",
}
NEAREST = {
    _EN: "The data of this request has no figure for {what}. The nearest that it has is this: {answer}",
    _ES: "Los datos de esta petición no traen ninguna cifra de {what}. Lo que más se le parece es esto: {answer}",
}
NOT_WHEN = {
    _EN: "The data of this request has no figure of {label} for {when}.",
    _ES: "Los datos de esta petición no traen ninguna cifra de {label} para {when}.",
}
NOT_KNOWN = {
    _EN: "The data of this request does not say enough of {label} for that: {needed} is missing.",
    _ES: "Los datos de esta petición no dicen lo bastante de {label} para eso: falta {needed}.",
}
UNSURE = {
    _EN: "I am not sure which figure you mean: {names}?",
    _ES: "No estoy seguro de a qué cifra te refieres: ¿{names}?",
}
LIKELY = {
    _EN: "I am not sure that this is what you mean: {answer}",
    _ES: "No estoy seguro de que sea esto lo que preguntas: {answer}",
}
_OF_ROWS = ("sum", "average", "highest", "lowest")
NEEDED = {
    _EN: {
        **dict.fromkeys(("left", "percent", "over"), "what is used or its limit"),
        **dict.fromkeys(_OF_ROWS, "more than one figure"),
        "limit": "the limit",
        "enough": "what is left",
        "date": "a date",
        "value": "what is used",
        "compare": "the figure of the period before",
    },
    _ES: {
        **dict.fromkeys(("left", "percent", "over"), "lo usado o su límite"),
        **dict.fromkeys(_OF_ROWS, "más de una cifra"),
        "limit": "el límite",
        "enough": "lo que queda",
        "date": "una fecha",
        "value": "lo usado",
        "compare": "la cifra del periodo anterior",
    },
}
REST = {
    _EN: "{label}, {what}: {rest} ({whole} − {less}: {part}).",
    _ES: "{label}, {what}: {rest} ({whole} − {less}: {part}).",
}
WITHOUT = {
    _EN: "{label} without {part}: {rest} ({whole} − {less}).",
    _ES: "{label} sin {part}: {rest} ({whole} − {less}).",
}
COUNT = {_EN: "{label}: {count} listed.", _ES: "{label}: {count} en la lista."}
LEAVES = {_EN: "That leaves {left}.", _ES: "Queda un {left}."}
THAT = {_EN: "that", _ES: "eso"}
OR = {_EN: " or ", _ES: " o "}
#: What a share of a limit suggests, from the share on, in per cent.
ADVICE = {
    _EN: (
        (100, "The limit is reached, so a larger plan or lower usage is needed now."),
        (80, "The limit is near, so plan ahead or reduce the usage."),
        (50, "Usage is moderate, so keep an eye on it until the end of the period."),
        (0, "Usage is low, so the present plan is enough."),
    ),
    _ES: (
        (100, "Se ha llegado al límite, así que hace falta un plan mayor o reducir el consumo ya."),
        (80, "El límite está cerca, así que conviene preverlo o reducir el consumo."),
        (50, "El consumo es moderado, así que basta con vigilarlo hasta el final del periodo."),
        (0, "El consumo es bajo, así que el plan actual es suficiente."),
    ),
}
