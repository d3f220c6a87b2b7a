"""What strangers asked of documents: the answers that are right stay right, over a whole engine with the bundled encoder.

`asked` holds two collections by two hands that knew no code, with the questions that were answered right on 28 November 2026
(162 of 216 with those that are to be refused); nothing is fitted to them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.documented import answers_over

DOCUMENTS = Path(__file__).parent / "asked"
PLACES = [
    (
        ("how much if I only want to come and work for one single day without signing up?",),
        (r"\b22\b",),
        (r"£\s?75", r"£\s?145"),
    ),
    (
        ("what keys do i press now to jot something down fast in quillpad (quick capture)",),
        (r"ctrl\s?\+\s?shift\s?\+\s?k\b",),
        (r"msiexec",),
    ),
    (
        ("¿cuánto me cobráis si no voy a la consulta y no llamo antes?",),
        (r"\b20\b|\bveinte\b",),
        (r"45 euros", r"\b35 euros"),
    ),
    (("a mitad de partido cuanto tiempo se para para descansar",), (r"\b8\b|\bocho\b",), (r"pr[oó]rroga de 4",)),
    (
        ("what do you mean by a credit at Harbour Lane?",),
        (r"meeting rooms?|unit", r"30[ -]?min|half an hour"),
        (r"photo id",),
    ),
    (
        ("whats an idempotency key good for",),
        (r"unique string|repeated request|second shipment|twice",),
        (r"Newest first",),
    ),
    (("q es eso de zona saturada",), (r"\b55\b", r"(tres|\b3) semanas"), (r"2,25",)),
    (("el dentista me ha dicho que tengo bruxismo, ¿eso qué es?",), (r"apretar|rechinar",), (r"nervio dañado",)),
    (
        ("how late can I call off a meeting room booking without losing anything",),
        (r"(four|\b4) hours",),
        (r"30 days",),
    ),
    (
        ("what happens if I'm three weeks late paying my bill for the desk",),
        (r"deactivat|fob",),
        (r"written warnings",),
    ),
    (
        ("our server was down for a while and dosn't respond to the webhook, do you send it again?",),
        (r"(six|\b6)\b( times)?|tried again|36 hours",),
        (r"Wait as long as",),
    ),
    (
        ("si pasan los dos meses y nadie me contesta a lo de la terraza, ¿me la han dado o no?",),
        (r"denegad|deniega",),
        (r"concedida en precario",),
    ),
    (
        ("me tienen que sacar una muela y tomo anticoagulantes, las pastillas las dejo antes?",),
        (r"no los deje|no (debe|hay que) dejar|INR",),
        (r"delantal de plomo",),
    ),
    (("can i bring my labrador to the office on a wednesday?",), (r"mondays?", r"fridays?"), (r"^\W*yes\b",)),
    (
        ("do I get a refresh token too?",),
        (r"does(n't| not) exist|no refresh token|\bno\b|not (available|offered)",),
        (r"^\W*yes\b",),
    ),
    (
        ("ok to get the limescale out of the water tank with vinegar?",),
        (r"citric acid|never with vinegar|vinegar attacks",),
        (r"^\W*yes\b",),
    ),
    (
        ("if I don't like Quillpad 5.0 can I open my library in 4.8 again",),
        (r"can(not|'t| not) be opened|not .{0,40}(any more|anymore|any longer)",),
        (r"^\W*yes\b",),
    ),
    (
        ("puedo poner una tele fuera para ver el futbol en la terraza de mi bar?",),
        (r"prohibid|no se (permite|puede)",),
        (r"^\W*sí[\s,.:]",),
    ),
    (
        ("mi hija tiene 16, le podrían poner los dientes más blancos?",),
        (r"\b18\b|dieciocho",),
        (r"^\W*sí[\s,.:]", r"menores de 13"),
    ),
    (
        ("what gets you thrown out of Harbour Lane on the spot?",),
        (r"violence|threats|harassment", r"fob", r"theft|damage", r"three written warnings|3 written warnings"),
        (r"14 days overdue",),
    ),
    (
        ("¿qué papeles tengo que entregar para que me den la terraza?",),
        (r"T-3|impreso", r"plano", r"p[oó]liza|responsabilidad civil", r"tasa", r"fotograf"),
        (r"cenicero",),
    ),
    (
        ("si dos equipos acaban con los mismos puntos quien queda delante? criterios",),
        (r"entre los (equipos )?empatados", r"diferencia general|diferencia", r"t[eé]cnicas", r"sorteo"),
        (r"tiros libres",),
    ),
    (
        ("me acaban de sacar una muela, qué cuidados tengo que tener",),
        (r"gasa", r"enjuag", r"fr[ií]o", r"blanda", r"fume|pajita"),
        (r"vino tinto",),
    ),
    (
        ("how can i be sure a notification realy comes from parcelo? step by step",),
        (r"parcelo-signature", r"hmac", r"constant time|compare", r"reject|five minutes"),
        (r"/oauth/token",),
    ),
    (
        ("how do I hook up the hose so I never have to empty the dehumidifier by hand",),
        (r"unplug", r"rubber plug", r"15 ?mm|spout", r"downwards?|drain"),
        (r"foam block",),
    ),
    (
        ("how do I move from Quillpad 4 to 5 safely",),
        (r"4\.8\.3", r"back ?up", r"plug-?ins", r"install 5\.0|conversion"),
        (r"msiexec",),
    ),
    (
        ("como apunto a mi equipo a la liga sierra norte",),
        (r"ficha", r"foto|documento de identidad", r"cuota", r"justificante", r"25 de septiembre|capitanes|selladas"),
        (r"defibrilador|desfibrilador",),
    ),
    (
        ("mi hijo se ha dado un golpe y se le ha saltado un diente entero!! que hago",),
        (r"corona", r"leche|suero", r"colocar|sitio", r"(una|\b1) hora"),
        (r"gasa",),
    ),
    (
        ("got P3002 back from the api, what am I supposed to do",),
        (r"new key|different body",),
        (r"split the goods", r"postcode"),
    ),
    (
        ("en julio, ¿cuánto se paga al mes por velador si mi calle es de segunda categoría?",),
        (r"10[.,]20?\b",),
        (r"14,50", r"6,80"),
    ),
    (("a cuánto está la higuera en el vivero",), (r"21[.,]50?\b",), (r"24[.,]90", r"38[.,]50")),
    (("la trepadora más barata que vendéis?",), (r"hiedra",), (r"buganvilla es", r"glicinia es", r"parra virgen es")),
    (("qué árbol es el más caro del vivero",), (r"magnolio",), (r"olivo (manzanilla )?es",)),
    (
        ("mooring or anchor plan, whats the difference",),
        (r"\b145\b|roaming", r"\b260\b|24/7|reserved|named"),
        (r"£\s?980",),
    ),
    (
        ("laundry mode vs night mode on the dehumidifier?",),
        (r"high speed|8 hours", r"low fan speed|dimmed|sounds off"),
        (r"until the tank is full",),
    ),
    (
        ("what do I get more with quillpad pro than with the free one",),
        (r"50 ?GB|shared notebooks|limit on devices", r"2 ?GB|three devices|\b48\b"),
        (r"Windows 8\.1",),
    ),
    (
        ("¿cuánto más puede costar una multa grave que una leve por la terraza?",),
        (r"\b300\b", r"\b900\b"),
        (r"300\.000",),
    ),
    (
        ("qué sale mas barato, apuntarse en veteranos o en senior masculina?",),
        (r"veteranos", r"\b340\b", r"\b420\b"),
        (r"\b360\b",),
    ),
    (("lavanda o romero, ¿cuál es más barato?",), (r"romero", r"3[.,]90?\b", r"4[.,]20?\b"), (r"7[.,]80", r"12[.,]50")),
    (
        ("Who is the community manager at Harbour Lane Works?", "what does she take care of?"),
        (r"complaints", r"events|plan changes"),
        (r"Larra[ñn]aga",),
    ),
    (
        ("What does error P1002 mean?", "and P2010?"),
        (r"already scanned|cannot be cancelled|ask the carrier",),
        (r"scope not granted", r"too heavy"),
    ),
    (
        ("where can I plug in the D200?", "how long is the warranty on it?", "and for the compressor?"),
        (r"(\b5|five) years",),
        (r"10 years",),
    ),
    (
        ("What is new in version 5.2 of Quillpad?", "ok and what was fixed in it?"),
        (r"accents?|QP-2291", r"off screen|monitor|QP-2304"),
        (r"QP-2178", r"QP-1975", r"QP-1820"),
    ),
    (
        ("¿Qué sanción tiene una técnica en la liga?", "¿y si son dos en el mismo partido?"),
        (r"(\b1|\bun) partido",),
        (r"10 euros", r"20-0"),
    ),
    (
        ("¿Cuánto cuesta una limpieza en la clínica?", "¿y el blanqueamiento?"),
        (r"\b290\b",),
        (r"\b55 euros", r"\b220\b"),
    ),
    (
        ("¿cuántas páginas en blanco y negro puedo imprimir gratis al mes en Harbour Lane?",),
        (r"\b50\b",),
        (r"500 Mbit",),
    ),
    (
        ("¿hasta cuándo tendrá soporte la versión 4.8 de Quillpad?",),
        (r"(march|marzo)( de)? 2028",),
        (r"2027", r"april 2026"),
    ),
    (
        ("how many personal fouls until a player is out in the Sierra Norte league?",),
        (r"quinta|fifth|\bfive\b|\b5\b",),
        (r"dos temporadas",),
    ),
    (
        ("is it ok to light a cigarette up on the roof?",),
        (r"forbidden|prohibited|not (allowed|permitted)",),
        (r"^\W*yes\b",),
    ),
    (("heaviest parcel i can register?",), (r"31[.,]5",), (r"25 kg",)),
    (("how noisy is the dehumidifier on the lowest fan",), (r"\b38\b",), (r"340 W",)),
    (("how many folks can write in one shared notebook at once",), (r"\b15\b|fifteen",), (r"three devices",)),
    (("display says E4??",), (r"leak",), (r"fan blocked", r"humidity sensor faulty")),
    (("how long do my test shipments stay in the sandbox",), (r"(\b7|seven) days",), (r"24 months", r"48 hours")),
    (("how many calls per minute am I allowed on growth",), (r"\b300\b",), (r"1,?200",)),
    (("half an hour in the Loft costs how many credits",), (r"\b3\b|\bthree\b",), (r"\bsextant\b",)),
    (("name of the wireless network in the coworking?",), (r"HLW-Members",), (r"password",)),
    (("que es un comodin en la liga",), (r"otro equipo", r"siete|\b7\b|alinear|inscrito"), (r"mayor de edad",)),
    (("los viernes a que hora cierra la clinica dental",), (r"15:00|15 ?h|tres de la tarde",), (r"13:30",)),
    (("aguanta la buganvilla las heladas fuertes?",), (r"[-−–] ?2\b|resguardar",), (r"^\W*sí[\s,.:]",)),
    (("cuantos puntos te dan si ganas en la prorroga",), (r"(?<![.,\d])2(?![.,]?\d)\b|\bdos\b",), (r"3 puntos",)),
    (("¿cuál es la multa máxima si es una infracción muy grave?",), (r"2[.,]?500",), (r"300\.000",)),
]
PLATFORM = [
    (
        ("how long is the session token good for after korvo login?",),
        (r"(12|twelve)[ -]*(h\b|hours?)",),
        (r"\b48 hours\b.{0,30}session",),
    ),
    (("max request body size api",), (r"2\s?(MB|megabytes?)",), (r"\b20 MB\b",)),
    (("which header carries the webhook signature",), (r"X-Korvo-Signature",), ()),
    (
        ("how many keys can one tenant have active at once?",),
        (r"\b(5|five)\b.{0,15}keys?|up to (5|five)\b|keys?\W{1,4}(5|five)\b|^\W*(5|five)\W*$",),
        (),
    ),
    (("how much jitter does the retry code add?",), (r"(20\s?(%|percent)|0\.20?\b)",), ()),
    (("quien tiene que dar el visto bueno para conmutar a la replica de la BD?",), (r"coordinador",), ()),
    (("en cuantas particiones se reparte la cola",), (r"\b(24|veinticuatro)\b",), ()),
    (("¿Cuánto nos cobran por una etiqueta?",), (r"0[,.]003",), ()),
    (("cuando cambia el turno de guardia",), (r"lunes", r"10[:.]?(00)?"), (r"jueves",)),
    (("min test coverage before merge gets blocked",), (r"82\s?(%|percent)",), ()),
    (("qué es Cauce",), (r"cola|registro particionado", r"persistente|particion"), ()),
    (("what does a profile mean in the cli?",), (r"gateway", r"tenant", r"token"), ()),
    (("what is RetryBudget for",), (r"retr(y|ies)", r"tenant"), ()),
    (("¿Qué se entiende por plantilla?",), (r"carpeta", r"esquema|dise[ñn]o"), ()),
    (("when does a webhook get disabled automaticaly?",), (r"sixth|\b6\b|\bsix\b", r"fail|repeated|disabled"), ()),
    (("qué pasa si el de guardia no coge el aviso en 5 min",), (r"respaldo",), ()),
    (
        ("can I cancel a job thats already rendering?",),
        (r"\bno\b|cannot|can\'t|not", r"rendering|queued"),
        (r"\byes\b",),
    ),
    (
        ("do requests answered with 429 eat into my quota?",),
        (r"\bno\b|not count|don\'t count|doesn\'t",),
        (r"\byes\b",),
    ),
    (
        ("¿se puede recuperar una clave de API perdida?",),
        (r"\bno\b", r"revocar|crear otra|una sola vez"),
        (r"\bs[ií],",),
    ),
    (("puedo purgar la cola si está atascada?",), (r"\bno\b", r"purgar|regenerar|circunstancia"), (r"\bs[ií],",)),
    (("are SMS codes ok for MFA?",), (r"\bno\b|not accepted|security key",), (r"\byes\b",)),
    (("does changing an env variable need a restart?",), (r"restart",), ()),
    (("qué roles hay",), (r"viewer", r"editor", r"operator", r"admin"), ()),
    (
        ("dime los componentes de la plataforma",),
        (r"pasarela|gateway", r"despachador", r"trabajador", r"ledger", r"almac[eé]n"),
        (),
    ),
    (("subcommands of korvo template?",), (r"\bpush\b", r"\blist\b", r"\brollback\b", r"\blint\b"), ()),
    (
        ("how do I upgrade to 4.0?",),
        (r"3\.9\.4", r"snapshot", r"korvo-migrate up|--target 4\.0", r"templates", r"restart"),
        (),
    ),
    (("pasos para dar de alta un inquilino",), (r"solicitud", r"legal|contrato", r"consola", r"cuota", r"clave"), ()),
    (
        ("la cola está atascada, qué hago",),
        (r"panel|particiones", r"korvo status", r"restart pool|reiniciar", r"scale pool|ampliar", r"mantenimiento"),
        (r"idle in transaction",),
    ),
    (
        ("qué hay que hacer cuando ya se ha resuelto un incidente?",),
        (r"cerrar", r"cronolog[ií]a|incident export", r"post ?mortem|informe", r"jueves", r"tarea"),
        (),
    ),
    (
        ("what do i have to do on my first day",),
        (r"badge", r"security key", r"policy", r"channels|#platform", r"buddy"),
        (),
    ),
    (("default of KORVO_WORKER_RENDER_TIMEOUT",), (r"\b90\s?s",), (r"(default|is|=)[^|\n]{0,15}\b(75|45|60)\s?s",)),
    (("what port are metrics exposed on by default?",), (r"\b9187\b",), (r"^\W*8460",)),
    (("what does exit code 5 mean",), (r"unreachable",), (r"^\W*(code )?3\b",)),
    (("KV-1002 meaning?",), (r"barcode", r"character|symbology"), ()),
    (("tiempo de respuesta de un SEV2",), (r"\b(30|treinta)\s*min",), (r"SEV2[^|\n]{0,20}(10 minutos|4 horas)",)),
    (("RTO si perdemos la región de Madrid",), (r"\b(30|treinta)\s*min",), (r"6 horas\s*$",)),
    (("who approves access to production logs?",), (r"data protection officer|\bDPO\b",), ()),
    (("default priority for korvo submit",), (r"\b(5|five)\b",), ()),
    (("diferencia entre revisión y borrador",), (r"inmutable", r"modificar|vista previa"), ()),
    (("labels pool vs invoices pool concurrency",), (r"\b16\b", r"\b4\b", r"label", r"invoice"), ()),
    (
        ("401 vs 403, whats the difference?",),
        (r"401", r"missing|unknown|suspended", r"403", r"permission|another tenant"),
        (),
    ),
    (
        ("qué tarda más en generarse, una factura o una etiqueta, y cuánto",),
        (r"factura", r"\b(6|seis)\b", r"0[,.]4"),
        (),
    ),
    (("show me how to create a job with curl",), (r"curl", r"/v2/jobs|/jobs", r"X-Korvo-Key"), ()),
    (("example python to check a webhook signature",), (r"hmac", r"sha256", r"compare_digest"), ()),
    (
        ("ponme el comando para poner y quitar el modo mantenimiento",),
        (r"nimctl maintenance on", r"nimctl maintenance off"),
        (),
    ),
    (("ejemplo de cómo instalar la librería de python",), (r"pip install", r"korvo-client"), ()),
    (("how many requests per minute can a key send?", "and for batches?"), (r"\b(10|ten)\b", r"min"), ()),
    (
        ("where does the installer put the binary?", "how do I point it to another directory?"),
        (r"KORVO_INSTALL_DIR",),
        (r"KORVO_WORKER_SCRATCH_DIR",),
    ),
    (("¿Cuál es el tiempo de respuesta en un SEV1?", "¿y en un SEV3?"), (r"\b(4|cuatro)\s*h",), ()),
    (
        (
            "¿En cuántos nodos se replica cada partición de Cauce?",
            "¿y cuántos nodos tienen que confirmar una escritura?",
        ),
        (r"\b(2|dos|two)\s+(de\s+ellos|de\s+los|nodos|nodes)|quorum\W+2\b|^\W*(2|dos)\W*$",),
        (),
    ),
    (("¿Cuánto cuesta cada etiqueta?", "¿y una factura?"), (r"0[,.]012",), ()),
    (("what does RetryBudget do?", "what is its default limit?"), (r"\b250\b",), ()),
    (("default for KORVO_DB_POOL_SIZE?", "and KORVO_DB_STATEMENT_TIMEOUT?"), (r"\b5\s?s",), ()),
    (("¿Qué días se hacen despliegues a producción?",), (r"tuesdays?|martes", r"thursdays?|jueves"), ()),
    (("When are personal data in the ledger pseudonymised?",), (r"\b(60|sixty|sesenta)\b",), (r"\b90 days\b",)),
    (
        ("Within how many days must the post-mortem report be written?",),
        (r"\b(5|five|cinco)\s+(working|business|d[ií]as|days)|^\W*(5|five|cinco)\W*$",),
        (),
    ),
    (("What watermark do documents from the test environment carry?",), (r"MUESTRA",), ()),
    (("where does the installer put the korvo binary?",), (r"/usr/local/bin",), ()),
    (("file permissions for profiles.toml",), (r"0?600",), ()),
    (("how long does a signed download url work for",), (r"\b(10|ten)\s*-?min",), (r"\b48 hours\b",)),
    (("how big can page_size get",), (r"\b200\b",), ()),
    (("memory needed per concurrent render?",), (r"300\s?MB",), ()),
    (("advisory number of the pdf library hole",), (r"NIM-2025-014",), ()),
    (("en que lenguaje está hecho el despachador",), (r"\bRust\b",), ()),
    (("cuánto dura el corte al hacer failover de la base de datos",), (r"\b(40|cuarenta)\b.{0,3}\s*s(eg)?",), ()),
    (("¿por qué se descartó Kafka?",), (r"equipo es peque[ñn]o|operaci[oó]n|cuota",), ()),
    (("training budget per engineer per year",), (r"1[.,]?200",), ()),
    (("qué es Tampón?",), (r"agente de impresi[oó]n|impresora",), ()),
    (("what if --deadline runs out during a drain?",), (r"(return|go|back).{0,20}queue",), ()),
    (("si mi trabajo falla con un error KV-5, ¿lo tengo que arreglar yo?",), (r"plataforma|reintenta",), ()),
    (("is there a native windows build of the client?",), (r"\bno\b|WSL",), (r"\byes\b",)),
    (
        ("¿se facturan los trabajos que acaban en failed?",),
        (r"\bno\b|solo se facturan", r"stored|fallid|factur"),
        (r"\bs[ií],",),
    ),
    (("does run_with_retries sleep between attempts?",), (r"\bno\b|not sleep|requeue",), (r"\byes\b",)),
]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, ...], str]:
    """What an engine over each collection says at the end of each conversation."""
    found: dict[tuple[str, ...], str] = {}
    for name, asked in (("places", PLACES), ("platform", PLATFORM)):
        turns = [list(one) for one, _, _ in asked]
        told = answers_over(DOCUMENTS / name, tmp_path_factory.mktemp(name), turns)
        found |= {one: said[-1] for (one, _, _), said in zip(asked, told, strict=True)}
    return found


@pytest.mark.parametrize(
    ("turns", "says", "never"), [*PLACES, *PLATFORM], ids=[one[0][-1] for one in [*PLACES, *PLATFORM]]
)
def test_what_was_answered_right(
    turns: tuple[str, ...],
    says: tuple[str, ...],
    never: tuple[str, ...],
    answers: dict[tuple[str, ...], str],
) -> None:
    text = answers[turns]
    assert [one for one in says if not re.search(one, text, re.IGNORECASE)] == [], text
    assert [one for one in never if re.search(one, text, re.IGNORECASE)] == [], text
