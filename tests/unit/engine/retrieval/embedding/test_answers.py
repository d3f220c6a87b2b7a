"""Questions with a sentence that answers and one beside it that does not; none of them was fitted to."""

from __future__ import annotations

import pytest

from engine.bootstrap import MODEL_DIR
from engine.retrieval.embedding.onnx import OnnxEmbedder
from scripts.fitting.passages import read_blocks

#: Question, a sentence that answers it, one about the same that leaves it open.
ALIKE = [
    (
        "How deep is the harbour basin?",
        "The basin is dredged to eleven metres every spring.",
        "The harbour basin was enlarged when the ferries grew.",
    ),
    (
        "Who keeps the keys of the boathouse?",
        "Keys to the boathouse stay with the warden.",
        "The boathouse has two doors, and both are locked at dusk.",
    ),
    (
        "can i bring my dog on the tram",
        "Dogs ride free if they are muzzled.",
        "Trams stop for four minutes at the zoo, where many dogs are walked.",
    ),
    (
        "When was the mill closed?",
        "The mill ground its last flour in 1958.",
        "The mill stands on the left bank and still has its wheel.",
    ),
    (
        "What is the default port of the relay?",
        "Unless told otherwise, the relay listens on 7411.",
        "The relay forwards whatever arrives on its port to the nodes behind it.",
    ),
    (
        "Does the editor save by itself?",
        "Changes are written to disk every ten seconds without being asked.",
        "The editor shows a dot beside the name of a file that has changed.",
    ),
    (
        "How many seats does the small hall have?",
        "Ninety people can sit in the small hall.",
        "The small hall is used for chamber music and for meetings.",
    ),
    (
        "why was the bridge painted green",
        "Green was chosen because the paint was left over from the railway.",
        "The bridge is painted every nine years, which takes a summer.",
    ),
    (
        "Which licence does the parser have?",
        "The parser is distributed under the Apache licence.",
        "The parser reads numbers, names and nested lists.",
    ),
    (
        "How long does a charge of the lamp last?",
        "Fully charged, it burns for fourteen hours.",
        "The lamp is charged through the socket at its foot.",
    ),
    (
        "Is breakfast included in the price?",
        "Guests pay nine euros extra for breakfast.",
        "Breakfast is served in the winter garden, with bread from the village.",
    ),
    (
        "where do i hand in lost property",
        "Things that were found are taken to the porter's desk.",
        "Lost property is kept for three months and then given away.",
    ),
    (
        "What happens if I miss two lessons?",
        "Whoever is absent twice loses the place on the course.",
        "Lessons take place on Tuesdays in the room above the library.",
    ),
    (
        "Who designed the lighthouse?",
        "Its plans were drawn by Edda Voss, an engineer from the coast.",
        "The lighthouse was built of granite and can be seen from afar.",
    ),
    (
        "max length of a user name",
        "Names of users may have up to 40 characters.",
        "A user name is shown beside every comment.",
    ),
    (
        "How much does the second child pay?",
        "For a second child half of the fee is due.",
        "The fee of the first child is 30 euros a month.",
    ),
    (
        "Can the lease be passed on to somebody else?",
        "With the landlord's written consent another tenant may take over the lease.",
        "The lease runs for five years and is renewed by word of mouth.",
    ),
    (
        "At what temperature does the glaze melt?",
        "The glaze begins to flow at 1,040 degrees.",
        "The glaze is brushed on in two thin coats before the firing.",
    ),
    (
        "Which command lists the branches?",
        "`twig ls` shows all branches, the current one first.",
        "A branch is made by `twig new` and has a name of its own.",
    ),
    (
        "how do i turn off the alarm",
        "Press both buttons for three seconds until the alarm falls silent.",
        "The alarm is loud enough to be heard in the next building.",
    ),
    (
        "¿Cuánto cuesta el carné de socio?",
        "Hacerse socio vale 18 euros al año.",
        "El carné de socio lleva una fotografía y el número de la biblioteca.",
    ),
    (
        "¿Quién limpia el gallinero?",
        "Del gallinero se encargan los niños de sexto, por turnos.",
        "El gallinero tiene doce gallinas y un gallo muy viejo.",
    ),
    (
        "a que hora cierra la piscina",
        "Los bañistas tienen que salir a las ocho y media.",
        "La piscina se llena con agua del manantial.",
    ),
    (
        "¿Por qué se cambió el nombre de la calle?",
        "Le pusieron otro nombre porque había dos calles iguales en el pueblo.",
        "La calle tiene árboles a los dos lados y acaba en la estación.",
    ),
    (
        "¿Cuántas copias guarda el sistema?",
        "Se conservan las siete últimas copias y se borran las demás.",
        "El sistema hace una copia cada noche en otro disco.",
    ),
    (
        "¿Se puede pagar con tarjeta?",
        "Solo se acepta dinero en efectivo.",
        "El precio se paga a la entrada, antes de dejar el abrigo.",
    ),
    (
        "¿Dónde se recogen los uniformes?",
        "Los uniformes se entregan en el almacén del sótano.",
        "Los uniformes son azules y llevan el nombre bordado.",
    ),
    (
        "¿Qué pasa si se corta la luz?",
        "Cuando falta la corriente, las puertas se abren solas.",
        "La luz del pasillo se enciende al pasar.",
    ),
    (
        "¿Desde cuándo existe el taller?",
        "El taller abrió sus puertas en la primavera de 1931.",
        "El taller repara relojes de pared y de bolsillo.",
    ),
    (
        "limite de tamaño de un adjunto",
        "Los archivos adjuntos no pueden pasar de 20 megas.",
        "Los adjuntos se ven debajo del mensaje.",
    ),
    (
        "¿Necesito cita para donar ropa?",
        "Para entregar ropa no hace falta pedir hora.",
        "La ropa donada se lava y se ordena por tallas.",
    ),
    (
        "¿Quién ganó la última regata?",
        "La regata más reciente fue para el equipo de Cedeira.",
        "La regata se corre cada agosto con botes de seis remos.",
    ),
    (
        "¿Cuándo vence la garantía de la batería?",
        "La batería está cubierta durante dos años desde la compra.",
        "La garantía no se pierde por cambiar la batería en el taller.",
    ),
    (
        "¿Cómo se borra una etiqueta?",
        "Para quitar una etiqueta se pulsa la cruz que tiene al lado.",
        "Una etiqueta puede llevar espacios y tildes.",
    ),
    (
        "Who may open the safe?",
        "Only the two cashiers may open the safe.",
        "The safe stands behind the counter and is checked at noon.",
    ),
    (
        "How often are the filters changed?",
        "New filters are put in every six weeks.",
        "The filters are made of felt and can be washed.",
    ),
    (
        "which format does the exporter write",
        "The exporter writes CSV with semicolons.",
        "The exporter runs at night and mails whoever asked for it.",
    ),
    (
        "Where does the path begin?",
        "The path begins behind the chapel.",
        "The path is marked with yellow signs and is steep at first.",
    ),
    (
        "¿Cuántos días dura el festival?",
        "El festival dura cuatro días.",
        "El festival reúne a músicos de toda la costa.",
    ),
    (
        "¿Qué idioma se habla en las reuniones?",
        "En las reuniones se habla portugués.",
        "Las reuniones se convocan con una semana de antelación.",
    ),
    (
        "¿Quién paga el transporte de los cuadros?",
        "El transporte lo paga el museo que los pide.",
        "Los cuadros viajan en cajas de madera forradas.",
    ),
]
ACROSS = [
    (
        "How many nights can a tent stay?",
        "Las tiendas pueden quedarse seis noches como mucho.",
        "Las tiendas se montan detrás del río, sobre la hierba.",
    ),
    (
        "Who pays for the broken glass?",
        "Los cristales rotos corren por cuenta del inquilino.",
        "Los cristales son dobles y dan al patio.",
    ),
    (
        "When does the market open?",
        "El mercado empieza a las siete de la mañana.",
        "El mercado vende queso, miel y plantas de la comarca.",
    ),
    (
        "Why is the path closed?",
        "El camino está cortado por un desprendimiento de rocas.",
        "El camino sube hasta la ermita en dos horas.",
    ),
    (
        "what does the insurance not cover",
        "Quedan fuera del seguro los daños por granizo.",
        "El seguro se contrata junto con el alquiler del coche.",
    ),
    (
        "Which tool converts the maps?",
        "Los mapas se convierten con el programa Tesela.",
        "Los mapas antiguos están en papel y son muy frágiles.",
    ),
    (
        "How far is the hut from the lake?",
        "El refugio está a tres kilómetros del lago.",
        "El refugio tiene literas y una estufa de leña.",
    ),
    (
        "¿Cuánto pesa la campana?",
        "The bell weighs four tonnes.",
        "The bell is rung by hand on feast days.",
    ),
    (
        "¿Quién autoriza los viajes al extranjero?",
        "Trips abroad are approved by the head of the department.",
        "Trips abroad are booked through the agency in the lobby.",
    ),
    (
        "¿Cuándo se puede podar el manzano?",
        "Apple trees are cut back in February.",
        "Apple trees need sun and a soil that does not dry out.",
    ),
    (
        "¿Se admiten sillas de ruedas en el barco?",
        "Wheelchairs can board over the rear ramp.",
        "The boat has two decks and a small bar.",
    ),
    (
        "¿Cuál es el plazo para reclamar?",
        "Complaints have to arrive within thirty days.",
        "Complaints are read by a committee of three.",
    ),
    (
        "cuantos intentos tengo para la contraseña",
        "After five wrong passwords the account is locked.",
        "A password has to have a digit and a capital letter.",
    ),
    (
        "¿Por qué suspendieron el concierto?",
        "The concert was called off because the singer had lost her voice.",
        "The concert was to take place in the old riding hall.",
    ),
    (
        "¿Dónde se guarda la configuración?",
        "Settings live in a file called `hue.toml` in the home folder.",
        "Settings can be changed while the program runs.",
    ),
    (
        "¿Cuánto tarda en secar el barniz?",
        "The varnish is dry after nine hours.",
        "The varnish is thinned with a spoonful of turpentine.",
    ),
    (
        "What does a lost key cost?",
        "Perder una llave cuesta 25 euros.",
        "Las llaves se recogen en la portería y llevan un número.",
    ),
    (
        "¿A qué hora sale el último autobús?",
        "The last bus leaves at 23:10.",
        "The bus stops in front of the town hall and at the mill.",
    ),
    (
        "Who repairs the organ?",
        "El órgano lo repara un taller de Vitoria.",
        "El órgano tiene tres teclados y dos mil tubos.",
    ),
]


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder(MODEL_DIR)


@pytest.mark.parametrize(("rows", "share"), [(ALIKE, 0.7), (ACROSS, 0.9)], ids=["alike", "across"])
def test_what_answers_reads_more_like_an_answer(
    embedder: OnnxEmbedder, rows: list[tuple[str, str, str]], share: float
) -> None:
    right = 0
    for question, answer, beside in rows:
        found = embedder.answers_in(question, [answer, beside])
        assert found is not None
        right += bool(found[0] > found[1])
    assert right / len(rows) >= share


def test_none_of_it_was_fitted_to() -> None:
    fitted = {question.text.casefold() for block in read_blocks() for question in block.questions}
    assert not fitted & {question.casefold() for question, _, _ in ALIKE + ACROSS}
