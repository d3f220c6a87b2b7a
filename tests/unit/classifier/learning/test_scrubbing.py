"""What is taken out of messages, and what must stay as it was written."""

from __future__ import annotations

import pytest

from classifier.learning.scrubbing import scrub

TAKEN = [
    # names
    ("my name is Ana García, how much have I used?", "my name is [name], how much have I used?"),
    ("My name's Bob.", "My name's [name]."),
    ("hi, my name is maria and I need an endpoint", "hi, my name is [name] and I need an endpoint"),
    ("my full name is Juan de la Cruz Ortiz", "my full name is [name]"),
    ("I am called Ruth", "I am called [name]"),
    ("me llamo josé, ¿qué es addVar?", "me llamo [name], ¿qué es addVar?"),
    ("Me llamo José Luis Pérez y quiero mi factura", "Me llamo [name] y quiero mi factura"),
    ("mi nombre es Núria Vidal-Puig", "mi nombre es [name]"),
    ("mi nombre completo es Iñaki Etxeberria", "mi nombre completo es [name]"),
    ("llámame Paco", "llámame [name]"),
    ("Hola, soy Lucía, necesito ayuda", "Hola, soy [name], necesito ayuda"),
    ("I'm Peter Novak from billing", "I'm [name] from billing"),
    ("I am Zoë", "I am [name]"),
    ("this is Karen Holt, my quota is wrong", "this is [name], my quota is wrong"),
    ("fix it please. Regards, Tom Baker", "fix it please. Regards, [name]"),
    ("Un saludo, Marta", "Un saludo, [name]"),
    ("dear Mr. Patel", "dear Mr. [name]"),
    # mail
    ("write to ana.garcia+work@example.co.uk now", "write to [mail] now"),
    ("mi correo es x_y@dominio.es", "mi correo es [mail]"),
    ("<bob@mail.example.com>", "<[mail]>"),
    # numbers
    ("call me on +34 612 345 678", "call me on +00 000 000 000"),
    ("call (555) 010-9988", "call (000) 000-0000"),
    ("my customer id is 48213", "my customer id is 00000"),
    ("tarjeta 4111 1111 1111 1111", "tarjeta 0000 0000 0000 0000"),
    ("card 5500-0000-0000-0004 expires 12/27", "card 0000-0000-0000-0000 expires 12/27"),
    ("DNI 12345678Z", "DNI 00000000Z"),
    ("server 192.168.10.200 is down", "server 000.000.00.000 is down"),
    ("in 2024", "in 0000"),
    ("user98765", "user00000"),
    # accounts
    ("IBAN ES91 2100 0418 4502 0005 1332 please", "IBAN [iban] please"),
    ("GB29NWBK60161331926819", "[iban]"),
    ("DE89 3704 0044 0532 0130 00", "[iban]"),
    # keys
    ("my key is sk-abcDEF1234567890abcdef", "my key is [key]"),
    ("use sk-proj-A1b2C3d4E5f6G7h8", "use [key]"),
    ("token ghp_16C7e42F292c6912E7710c838347Ae178B4a", "token [key]"),
    ("AKIAIOSFODNN7EXAMPLE", "[key]"),
    ("xoxb-123456789012-abcdefGHIJKL", "[key]"),
    ("Authorization: Bearer abc.def-ghi_jkl=", "Authorization: Bearer [key]"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF_1", "[key]"),
    ("password: hunter2", "password: [key]"),
    ("api_key=a1b2c3", "api_key=[key]"),
    ('secret = "correct horse"', "secret = [key]"),
    ("mi contraseña es Gato2020", "mi contraseña es [key]"),
    ("la clave es abc123.", "la clave es [key]"),
    ("9f86d081884c7d659a2feaa0c55ad015", "[key]"),
    ("0xdeadbeefdeadbeef1", "[key]"),
    ("request 123e4567-e89b-12d3-a456-426614174000 failed", "request [key] failed"),
    ("QWxhZGRpbjpvcGVuIHNlc2FtZTEyMzQ1Njc4", "[key]"),
    ("postgresql://ana:s3cret@db.example/x", "postgresql://[key]@db.example/x"),
    ("clone https://bob:tok@git.example.com/r.git", "clone https://[key]@git.example.com/r.git"),
]

ORDINARY = [
    "What is addVar in AVAP?",
    "¿Qué diferencia hay entre addParam y addVar?",
    "my name is not shown on the invoice",
    "what is the password policy?",
    "the password is wrong",
    "I am using the second example",
    "I'm not sure this is right",
    "this is the error I get",
    "soy nuevo en esto",
    "la función se llama addVar",
    "what is a token: a word or a letter?",
    "how do I reset my password",
    "You have a project usage percentage of 20%, provide a recommendation",
    "startLoop(i, 1, 100)",
    "fix line 404, it returns 500",
    "version 3.11.7 or 1.2.3",
    "https://example.com/docs/v1/guide?page=2",
    "see docs/v1/Guide2/Chapter10/Section3 for it",
    "convertUtf8StringToByteArray(a, b)",
    'registerEndpoint("/hello", "GET", [], "Hello", main, result)',
    "a = b @ c",
    "@app.route decorators",
    "from 10:30 to 12:45",
    "cuesta 12,50 € al mes",
    "supercalifragilisticexpialidocious",
    "SELECT a, b FROM t WHERE c = 'x'",
    "ORA-600 and HTTP 404",
    "gracias, en menos palabras",
    "",
    "🙂 שלום 你好",
]


@pytest.mark.parametrize(("text", "left"), TAKEN)
def test_what_names_or_unlocks_someone_is_taken(text: str, left: str) -> None:
    assert scrub(text) == left


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_stays_as_it_was(text: str) -> None:
    assert scrub(text) == text


@pytest.mark.parametrize("text", [text for text, _ in TAKEN])
def test_scrubbing_again_changes_nothing(text: str) -> None:
    assert scrub(scrub(text)) == scrub(text)


@pytest.mark.parametrize(
    "part", ["a", "1", "1 ", "a@", "A1-", "x:", "://a:", "my name is ", "password ", "+1 ", "AB12", "eyJ."]
)
def test_a_long_text_costs_no_more_than_its_length(part: str) -> None:
    assert isinstance(scrub(part * (32_768 // len(part))), str)
