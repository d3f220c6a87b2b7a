"""What the engine says in its own words when no model writes: each sentence in English and in Spanish."""

from __future__ import annotations

from engine.text.language import Language

_EN, _ES = Language.ENGLISH, Language.SPANISH

NOTHING_FOUND = {
    _EN: "I found nothing in the indexed documents that answers this.",
    _ES: "No he encontrado nada en los documentos indexados que responda a esto.",
}
NOTHING_ABOUT = {
    _EN: "The passages that I found say nothing about “{name}”.",
    _ES: "Los pasajes que he encontrado no dicen nada de «{name}».",
}
NEAREST = {_EN: "Nearest to it are: {sections}.", _ES: "Lo que más se acerca: {sections}."}
NEAREST_SAID = {_EN: "What comes nearest, in {section}:", _ES: "Lo que más se acerca, en {section}:"}
SECTION = {_EN: "“{name}”", _ES: "«{name}»"}
TAKEN_FOR = {_EN: "I take “{written}” for {name}.", _ES: "Entiendo «{written}» como {name}."}
NOT_FOUND = {_EN: "Not found: {parts}.", _ES: "No encontrado: {parts}."}
NOISE = {
    _EN: "There is no question in that. Ask me about the documentation, about code, or about your account.",
    _ES: "Ahí no hay ninguna pregunta. Pregúntame por la documentación, por código o por tu cuenta.",
}
#: Why the calculator has no result, by its reason.
NO_RESULT = {
    "it divides by zero": {
        _EN: "That divides by zero, so it has no result.",
        _ES: "Eso divide entre cero, así que no tiene resultado.",
    },
    "its numbers are too large": {
        _EN: "The numbers of that calculation are too large to be worked out.",
        _ES: "Los números de ese cálculo son demasiado grandes para calcularlo.",
    },
    "a root of a negative number, or of too large a one": {
        _EN: "That takes the root of a negative number, which is no real number.",
        _ES: "Eso es la raíz de un número negativo, que no es un número real.",
    },
    "its units do not go together": {
        _EN: "Those units measure different things, so one cannot be turned into the other.",
        _ES: "Esas unidades miden cosas distintas, así que no se puede convertir una en otra.",
    },
}
NOT_CALCULATED = {
    _EN: "I cannot read that as a calculation.",
    _ES: "No puedo leerlo como un cálculo.",
}
NO_FIGURES = {
    _EN: "I have no figures of your account in this request. Open the dashboard that shows them, or send them along as "
    "context.",
    _ES: "Esta petición no trae cifras de tu cuenta. Abre el panel que las muestra o envíalas como contexto.",
}
FIRST_QUESTION = {_EN: "Your first question was: “{query}”", _ES: "Tu primera pregunta fue: «{query}»"}
LAST_QUESTION = {_EN: "Your last question was: “{query}”", _ES: "Tu última pregunta fue: «{query}»"}
NTH_QUESTION = {_EN: "Your question number {place} was: “{query}”", _ES: "Tu pregunta número {place} fue: «{query}»"}
QUESTION_BEFORE_LAST = {
    _EN: "Your last question but one was: “{query}”",
    _ES: "Tu penúltima pregunta fue: «{query}»",
}
QUESTION_ABOUT = {_EN: "You asked: “{query}”", _ES: "Preguntaste: «{query}»"}
ANSWER_TO = {_EN: "To “{query}” I answered: {answer}", _ES: "A «{query}» respondí: {answer}"}
ITEM = {_EN: "Item {place} of my list was: {item}", _ES: "El elemento {place} de mi lista era: {item}"}
LAST_ITEM = {_EN: "The last item of my list was: {item}", _ES: "El último elemento de mi lista era: {item}"}
NOT_SAID = {
    _EN: "We have not talked about that in this conversation.",
    _ES: "No hemos hablado de eso en esta conversación.",
}
NOTHING_MORE = {
    _EN: "The passages that I have on this say no more than this: {answer}",
    _ES: "Los pasajes que tengo sobre esto no dicen más que esto: {answer}",
}
COMES_TO = {_EN: "That comes to {limit} ({parts}).", _ES: "Son {limit} ({parts})."}
PARTS = {_EN: "{share} % of {amount} = {limit}", _ES: "{share} % de {amount} = {limit}"}
WITHIN = {
    _EN: "Yes: {income}, which is below the limit of {limit} ({parts}).",
    _ES: "Sí: {income}, por debajo del límite de {limit} ({parts}).",
}
ABOVE = {
    _EN: "No: {income}, which is above the limit of {limit} ({parts}).",
    _ES: "No: {income}, por encima del límite de {limit} ({parts}).",
}
EXACTLY = {
    _EN: "Yes: {income}, which is exactly the limit of {limit} ({parts}).",
    _ES: "Sí: {income}, justo el límite de {limit} ({parts}).",
}
IN_A_YEAR = {
    _EN: "{amount} times {times} is {yearly} a year",
    _ES: "{amount} por {times} son {yearly} al año",
}
LAST_ANSWER = {_EN: "My last answer was: {answer}", _ES: "Mi última respuesta fue: {answer}"}
QUESTIONS = {_EN: "So far you have asked:", _ES: "Hasta ahora has preguntado:"}
NO_HISTORY = {
    _EN: "This conversation has only just begun: there is nothing before your message.",
    _ES: "Esta conversación acaba de empezar: no hay nada antes de tu mensaje.",
}
NEEDS_MODEL = {
    _EN: "Writing that anew needs a language model, and none is configured; without one I can shorten, lengthen, list, "
    "tabulate or repeat an answer.",
    _ES: "Para redactar eso hace falta un modelo de lenguaje y no hay ninguno configurado; sin él puedo acortar, "
    "ampliar, enumerar, poner en una tabla o repetir una respuesta.",
}
CODE_NEEDS_MODEL = {
    _EN: "Changing code needs a language model, and none is configured; without one I can say what the documents and a "
    "parser tell of it.",
    _ES: "Para cambiar código hace falta un modelo de lenguaje y no hay ninguno configurado; sin él puedo decir lo que "
    "cuentan de él los documentos y un analizador.",
}
CODE_UNREAD = {
    _EN: "Explaining this code needs a language model, and none is configured: it is no Python, and it calls nothing "
    "that the documents found describe.",
    _ES: "Para explicar este código hace falta un modelo de lenguaje y no hay ninguno configurado: no es Python y no "
    "llama a nada que describan los documentos encontrados.",
}
CODE_BROKEN = {
    _EN: "Python's parser stops at line {place}: {problem}. More needs a language model, and none is configured.",
    _ES: "El analizador de Python se detiene en la línea {place}: «{problem}». Para decir más hace falta un modelo de "
    "lenguaje y no hay ninguno configurado.",
}
CODE_SEEN = {
    _EN: "What it is for beyond that needs a language model, and none is configured.",
    _ES: "Para decir algo más de su propósito hace falta un modelo de lenguaje y no hay ninguno configurado.",
}
CODE_READ = {
    _EN: "Python's parser reads this code without an error. Finding what else is wrong with it needs a language model, "
    "and none is configured.",
    _ES: "El analizador de Python lee este código sin errores. Para encontrar otros fallos hace falta un modelo de "
    "lenguaje y no hay ninguno configurado.",
}
FAULTS_NEED_MODEL = {
    _EN: "Finding faults in this code needs a language model, and none is configured.",
    _ES: "Para encontrar fallos en este código hace falta un modelo de lenguaje y no hay ninguno configurado.",
}
COUNTED_LINES = {
    _EN: "The code that is shown has {count} lines.",
    _ES: "El código que se muestra tiene {count} líneas.",
}
IMPORTS = {_EN: "It imports {names}.", _ES: "Importa {names}."}
DEFINES = {_EN: "It defines {names}.", _ES: "Define {names}."}
GIVEN = {_EN: "Its calls are given {names}.", _ES: "A sus llamadas se les pasa {names}."}
PARAMETER = {_EN: "`{name}` is a parameter of {names}.", _ES: "`{name}` es un parámetro de {names}."}
STANDS = {_EN: "`{name}` stands in lines {places}.", _ES: "`{name}` está en las líneas {places}."}
STANDS_ONCE = {_EN: "`{name}` stands in line {places}.", _ES: "`{name}` está en la línea {places}."}
LINE = {_EN: "Line {place}:", _ES: "Línea {place}:"}
LINES = {_EN: "Lines {place} to {last}:", _ES: "Líneas {place} a {last}:"}
LINE_IN = {_EN: "It stands in {signature}.", _ES: "Está dentro de {signature}."}
NO_LINE = {
    _EN: "The code that is shown ends at line {count}: there is no line {place}.",
    _ES: "El código que se muestra acaba en la línea {count}: no hay línea {place}.",
}
FUNCTION = {_EN: "{signature} is a function.", _ES: "{signature} es una función."}
CLASS = {_EN: "{signature} is a class.", _ES: "{signature} es una clase."}
DOCSTRING = {_EN: "Its docstring says: “{text}”", _ES: "Su docstring dice: «{text}»"}
METHODS = {_EN: "Its methods are {names}.", _ES: "Sus métodos son {names}."}
CALLS = {_EN: "It calls {names}.", _ES: "Llama a {names}."}
ASSIGNS = {_EN: "It sets {names}.", _ES: "Asigna {names}."}
RETURNS = {_EN: "It returns {names}.", _ES: "Devuelve {names}."}
USER_IDENTITY = {
    _EN: "I do not know who you are: I see this conversation and what the request brings along, nothing else.",
    _ES: "No sé quién eres: solo veo esta conversación y lo que trae la petición, nada más.",
}
ONE_QUESTION = {
    _EN: "This is your first message in this conversation.",
    _ES: "Este es tu primer mensaje en esta conversación.",
}
QUESTION_COUNT = {
    _EN: "With this one you have sent {count} messages in this conversation.",
    _ES: "Con este me has enviado {count} mensajes en esta conversación.",
}
NOTHING_ASKED = {
    _EN: "I have not asked you anything yet. Ask me about the documentation, about code, or about your account.",
    _ES: "Todavía no te he preguntado nada. Pregúntame por la documentación, por código o por tu cuenta.",
}
DISAGREEMENT = {
    _EN: "I quote the indexed documents and cannot judge beyond them: open the passages cited above to check, or tell "
    "me what you meant and I search again.",
    _ES: "Cito los documentos indexados y no puedo juzgar más allá de ellos: abre los pasajes citados arriba para "
    "comprobarlo o dime a qué te referías y vuelvo a buscar.",
}
NO_EXAMPLE = {
    _EN: "The passages that I have on this hold no example.",
    _ES: "Los pasajes que tengo sobre esto no contienen ningún ejemplo.",
}
NO_OTHER_EXAMPLE = {
    _EN: "The passages that I have on this hold no other example.",
    _ES: "Los pasajes que tengo sobre esto no contienen otro ejemplo.",
}
THANKS = {_EN: "You are welcome.", _ES: "De nada."}
GREETING = {
    _EN: "Hello! Ask me about the documentation, about code, or about your account.",
    _ES: "¡Hola! Pregúntame por la documentación, por código o por tu cuenta.",
}
FAREWELL = {_EN: "Goodbye, and good luck with your work.", _ES: "Hasta luego, y que vaya bien el trabajo."}
#: What is said to an act of courtesy, by its name.
COURTESIES = {"greeting": GREETING, "thanks": THANKS, "farewell": FAREWELL}
ABILITIES = {
    _EN: "I answer questions about the indexed documents with their sources, show code from them, rework my answers "
    "and read the account figures that a dashboard sends along.",
    _ES: "Respondo a preguntas sobre los documentos indexados citando las fuentes, muestro código, reformulo mis "
    "respuestas y leo las cifras de la cuenta que envía un panel.",
}
DOCUMENTS = {_EN: "The documents are: {names}.", _ES: "Los documentos son: {names}."}
DOCUMENTS_SOME = {
    _EN: "Some of the {count} documents are: {names}.",
    _ES: "Algunos de los {count} documentos son: {names}.",
}
ACKNOWLEDGED = {_EN: "Good. What would you like to know next?", _ES: "Bien. ¿Qué más quieres saber?"}
EXAMPLE = {_EN: "For example:", _ES: "Por ejemplo:"}
#: What rows of a document come to.
IN_TOTAL = {_EN: "In total {total}: {sum}.", _ES: "En total {total}: {sum}."}
MORE = {_EN: "{one}, {by} more than {other}.", _ES: "{one}, {by} más que {other}."}
LESS = {_EN: "{one}, {by} less than {other}.", _ES: "{one}, {by} menos que {other}."}
IN_ALL = {_EN: "{n} in all:\n\n{rows}", _ES: "{n} en total:\n\n{rows}"}
ON_AVERAGE = {_EN: "On average {mean}: ({sum}) / {n}.", _ES: "De media {mean}: ({sum}) / {n}."}
MOST = {_EN: "The most is {one}.", _ES: "El máximo es {one}."}
LEAST = {_EN: "The least is {one}.", _ES: "El mínimo es {one}."}
SAME = {_EN: "{one}, the same as {other}.", _ES: "{one}, lo mismo que {other}."}
