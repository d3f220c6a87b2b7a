"""Questions of a hand that nothing was fitted to: those that are answered right without a word of doubt."""

from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from tests.account_cases import encoder


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: date(2026, 11, 28))


TRANSLATOR = """name: Ewa Lindqvist
business: Lindqvist Translations
account status: verified
subscription: Solo Annual
tax region: Sweden
words translated this month: 48,250
words translated last month: 53,900
words proofread this month: 12,400
rate per word: 0.11 EUR
hourly rate: 42 EUR
invoiced this month: 5,730.50 EUR
invoiced last month: 6,214.00 EUR
unpaid invoices: 4
unpaid amount: 2,165.75 EUR
overdue amount: 480.00 EUR
tax set aside: 1,432.60 EUR
software costs: 59.90 EUR
projects open: 6
projects finished: 11
client Nordhaus: 2,310.00 EUR
client Belmonte: 1,745.50 EUR
client Tanaka: 1,040.00 EUR
client Ferris: 635.00 EUR
translation memory limit: 500,000 segments
translation memory used: 412,600 segments
next VAT return: 12 May 2025
plan renews on: 3 November 2025
last payment received: 22 April 2025"""

GAMES = """{
 "org": {
  "name": "Lumen & Finch Games",
  "owner": "Priya Raman",
  "plan": "Scale",
  "region": "eu-central",
  "two_factor": false,
  "support": "business hours"
 },
 "billing": {
  "currency": "EUR",
  "current_month": {
   "compute": 318.72,
   "storage": 44.16,
   "bandwidth": 127.05,
   "total": 489.93
  },
  "previous_month": {
   "compute": 287.1,
   "storage": 41.88,
   "bandwidth": 152.6,
   "total": 481.58
  },
  "credits_remaining": 75.0,
  "invoice_due": "2025-05-12"
 },
 "quotas": {
  "storage_gb": {
   "limit": 2000,
   "used": 1340
  },
  "bandwidth_tb": {
   "limit": 5,
   "used": 3.2
  },
  "build_minutes": {
   "limit": 3000,
   "used": 2730
  },
  "api_calls_daily": {
   "limit": 250000,
   "used": 184300
  }
 },
 "uptime_pct": 99.94,
 "error_rate_pct": 0.37,
 "servers": [
  {
   "name": "match-01",
   "cpu_pct": 71,
   "players": 842
  },
  {
   "name": "match-02",
   "cpu_pct": 38,
   "players": 415
  },
  {
   "name": "lobby",
   "cpu_pct": 22,
   "players": 1290
  },
  {
   "name": "chat",
   "cpu_pct": 54,
   "players": 967
  }
 ],
 "last_backup": "2025-04-27",
 "certificate_expires": "2025-06-19"
}"""

WHEELS = """{
 "account": {
  "shop": "Harbour Wheels",
  "city": "Bristol",
  "plan": "Fleet 50",
  "manager": "Tom Ashby",
  "renewal_date": "2025-09-18",
  "auto_renew": true
 },
 "period": {
  "current": "2025-06",
  "previous": "2025-05"
 },
 "rentals": {
  "current": {
   "count": 412,
   "revenue_gbp": 9876.5,
   "avg_hours": 3.4,
   "late_returns": 27
  },
  "previous": {
   "count": 365,
   "revenue_gbp": 8240.0,
   "avg_hours": 3.1,
   "late_returns": 31
  }
 },
 "fleet": {
  "limit": 50,
  "registered": 43,
  "in_workshop": 6,
  "stolen": 2
 },
 "deposits": {
  "held_gbp": 1850,
  "refunded_gbp": 7420
 },
 "bikes": [
  {
   "model": "City Classic",
   "units": 18,
   "rentals": 171,
   "rate_per_day": 16
  },
  {
   "model": "E-Tour",
   "units": 9,
   "rentals": 118,
   "rate_per_day": 38
  },
  {
   "model": "Cargo Duo",
   "units": 4,
   "rentals": 29,
   "rate_per_day": 45
  },
  {
   "model": "Kids 20",
   "units": 12,
   "rentals": 94,
   "rate_per_day": 9
  }
 ],
 "next_service_visit": "2025-07-08",
 "insurance_expires": "2025-11-30"
}"""

PODCAST = """{
 "account": {
  "show": "Cold Case Kitchen",
  "host": "Marisol Vega",
  "tier": "Studio",
  "status": "active",
  "member_since": "2022-05-11",
  "next_invoice": {
   "date": "2025-08-02",
   "amount_usd": 29.0
  }
 },
 "usage": {
  "upload_hours": {
   "included": 20,
   "used": 13.5
  },
  "transcription_minutes": {
   "included": 600,
   "used": 468
  },
  "team_seats": {
   "included": 3,
   "used": 2
  }
 },
 "downloads": {
  "this_week": 5840,
  "last_week": 6215,
  "all_time": 418920
 },
 "listeners": {
  "unique": 3675,
  "subscribers": 2140,
  "completion_rate_pct": 68.4,
  "skip_rate_pct": 11.9
 },
 "earnings": {
  "ads_usd": 712.4,
  "tips_usd": 96.25,
  "merch_usd": 158.0,
  "paid_out_usd": 540.0
 },
 "episodes": [
  {
   "title": "The Salted Pie",
   "downloads": 1920,
   "minutes": 47
  },
  {
   "title": "Room 9",
   "downloads": 2385,
   "minutes": 52
  },
  {
   "title": "Paper Trail",
   "downloads": 1130,
   "minutes": 38
  },
  {
   "title": "Low Tide",
   "downloads": 1604,
   "minutes": 61
  }
 ],
 "top_country": "Chile",
 "reviews": {
  "count": 327,
  "average": 4.6
 }
}"""

HOUSEHOLD = """{
 "household": {
  "name": "Okafor family",
  "address": "14 Elm Rise",
  "tariff": "Night Saver",
  "meter_status": "online",
  "payment_method": "direct debit"
 },
 "currency": "GBP",
 "billing_period": {
  "from": "2025-03-01",
  "to": "2025-03-31"
 },
 "electricity": {
  "this_period": {
   "day_kwh": 214,
   "night_kwh": 138,
   "cost": 87.36
  },
  "last_period": {
   "day_kwh": 236,
   "night_kwh": 151,
   "cost": 95.9
  },
  "standing_charge_per_day": 0.53
 },
 "gas": {
  "this_period": {
   "kwh": 902,
   "cost": 64.15
  },
  "last_period": {
   "kwh": 1187,
   "cost": 82.4
  }
 },
 "water": {
  "this_period": {
   "m3": 11.8,
   "cost": 33.72
  },
  "last_period": {
   "m3": 12.6,
   "cost": 35.95
  }
 },
 "solar": {
  "generated_kwh": 168,
  "exported_kwh": 71,
  "export_credit": 10.65,
  "self_use_pct": 57.7
 },
 "balance": {
  "credit": 142.08,
  "next_payment": 165.0,
  "next_payment_date": "2025-04-14"
 },
 "monthly_kwh": [
  {
   "month": "2024-12",
   "kwh": 431
  },
  {
   "month": "2025-01",
   "kwh": 468
  },
  {
   "month": "2025-02",
   "kwh": 387
  },
  {
   "month": "2025-03",
   "kwh": 352
  }
 ],
 "contract_ends": "2026-01-31",
 "boiler_check": "2025-05-22"
}"""

DRIVING_SCHOOL = """nombre: Autoescuela Volante
sede: Cádiz
directora: Rocío Marchena
plan contratado: Flota 10
estado de la cuenta: activa
alumnos matriculados: 186
alumnos en prácticas: 74
alumnos en teórica: 112
clases prácticas impartidas (este mes): 938
clases prácticas impartidas (mes anterior): 871
precio clase práctica: 32,50 €
precio matrícula: 190 €
tasas de examen: 94,05 €
ingresos de mayo: 34.620,00 €
ingresos de abril: 31.985,00 €
gasto en combustible: 2.847,30 €
gasto en seguros: 1.176,00 €
coches incluidos en el plan: 10
coches dados de alta: 8
tasa de aprobados teórico: 83,5 %
tasa de aprobados práctico: 58,2 %
multas pendientes: 3
próxima ITV: 17/06/2025
próximo examen práctico: 24/06/2025
vencimiento del seguro: 30/09/2025
clases del profesor Damián: 251
clases de la profesora Inés: 307
clases del profesor Hugo: 198
clases de la profesora Lola: 182"""

BAKERY = """{
 "negocio": {
  "nombre": "Horno La Espiga",
  "localidad": "Zaragoza",
  "tarifa": "Artesano Plus",
  "estado": "al corriente",
  "encargada": "Pilar Lahoz"
 },
 "mes_actual": {
  "mes": "octubre 2025",
  "ventas_eur": 18432.75,
  "tickets": 3120,
  "ticket_medio_eur": 5.91,
  "mermas_kg": 64,
  "horas_horno": 286
 },
 "mes_anterior": {
  "mes": "septiembre 2025",
  "ventas_eur": 17205.3,
  "tickets": 2984,
  "ticket_medio_eur": 5.77,
  "mermas_kg": 81,
  "horas_horno": 271
 },
 "compras": {
  "harina_eur": 2140.6,
  "levadura_eur": 185.2,
  "mantequilla_eur": 960.45,
  "pendiente_de_pago_eur": 1312.0
 },
 "margen_bruto_pct": 61.5,
 "margen_neto_pct": 14.2,
 "productos": [
  {
   "nombre": "Barra rústica",
   "unidades": 5230,
   "precio_eur": 1.35
  },
  {
   "nombre": "Croissant",
   "unidades": 2875,
   "precio_eur": 1.6
  },
  {
   "nombre": "Empanada",
   "unidades": 640,
   "precio_eur": 4.2
  },
  {
   "nombre": "Roscón",
   "unidades": 48,
   "precio_eur": 22.0
  }
 ],
 "personal": {
  "plantilla": 7,
  "de_baja": 1
 },
 "fechas": {
  "revision_horno": "2025-11-19",
  "inspeccion_sanitaria": "2026-02-03",
  "pago_alquiler": "2025-11-05"
 }
}"""


@pytest.mark.parametrize(
    ("context", "query", "says"),
    [
        (TRANSLATOR, "what do I charge for an hour of work?", "Hourly rate: 42 EUR."),
        (TRANSLATOR, "projects open right now", "Yes: 6 (projects open)."),
        (
            TRANSLATOR,
            "how many segments are left in the translation memory?",
            "Translation memory: 87,400 segments left (500,000 segments − 412,600 segments).",
        ),
        (TRANSLATOR, "¿Qué día tengo que presentar el IVA?", "Next VAT return: 12 de mayo de 2025."),
        (TRANSLATOR, "Which subscription am I on?", "Subscription: Solo Annual."),
        (TRANSLATOR, "who's my best paying client", "Client: the most is 2310 EUR, nordhaus."),
        (
            TRANSLATOR,
            "¿cuánto menos he facturado que el mes pasado?",
            "Invoiced this month: 483,50 EUR menos que antes (5730,50 EUR frente a 6214 EUR, −7,78 %).",
        ),
        (GAMES, "how many players are in the lobby", "Servers players, lobby: 1290."),
        (GAMES, "¿cuántos minutos de compilación nos quedan?", "Build minutes: quedan 270 (3000 − 2730)."),
        (
            GAMES,
            "how much of our disk space is taken up, as a percentage?",
            "Billing storage: 67% used (1340 GB of 2000 GB).",
        ),
        (GAMES, "¿cuándo caduca el certificado?", "Certificate expires: 19 de junio de 2025."),
        (GAMES, "did anyone ever turn on two-factor for us?", "No (org two factor)."),
        (GAMES, "which server is sweating the most on CPU", "Cpu: the most is 71%, match-01."),
        (WHEELS, "late returns in the previous period", "Rentals late returns: 31."),
        (WHEELS, "when does our cover run out?", "Insurance expires: November 30, 2025."),
        (WHEELS, "Who's down as the manager on the account?", "Account manager: Tom Ashby."),
        (
            WHEELS,
            "how many more rentals did we do this month than the month before?",
            "Rentals count: 47 more than before (412 against 365, +12.88%).",
        ),
        (WHEELS, "lo que cobramos al día por la E-Tour", "Bikes rate per day, E-Tour: 38."),
        (PODCAST, "downloads so far this week?", "Downloads: 5840."),
        (PODCAST, "cuántos minutos dura el episodio Room 9", "Episodes minutes, Room 9: 52."),
        (PODCAST, "transcription minutes left", "Transcription minutes: 132 left (600 − 468)."),
        (PODCAST, "when are you going to charge me next?", "Account next invoice date: August 2, 2025."),
        (PODCAST, "¿en qué país me escuchan más?", "Top country: Chile."),
        (HOUSEHOLD, "what's the gas cost for this period", "Gas cost: 64.15 GBP."),
        (HOUSEHOLD, "¿cuántos metros cúbicos de agua gastamos el periodo anterior?", "Water m3: 12,6 m³."),
        (HOUSEHOLD, "¿Cuándo nos pasan el próximo pago?", "Balance next payment date: 14 de abril de 2025."),
        (HOUSEHOLD, "Which month did we burn through the most electricity?", "Kwh: the most is 468 kWh, January 2025."),
        (DRIVING_SCHOOL, "alumnos en prácticas", "Alumnos en prácticas: 74."),
        (DRIVING_SCHOOL, "how much did we spend on petrol", "En combustible: 2847.30 €."),
        (DRIVING_SCHOOL, "cuánto dinero entró en abril", "Ingresos de abril: 31.985 €."),
        (DRIVING_SCHOOL, "qué profe ha dado más clases", "Clases: el máximo es 307, de la profesora inés."),
        (BAKERY, "¿cuándo vienen los de sanidad?", "Fechas inspeccion sanitaria: 3 de febrero de 2026."),
        (BAKERY, "el producto más caro que vendemos", "Precio: el máximo es 22 EUR, Roscón."),
        (
            BAKERY,
            "¿cuántos euros han subido las ventas respecto a septiembre?",
            "Mes actual ventas: 1227,45 EUR más que antes (18.432,75 EUR frente a 17.205,30 EUR, +7,13 %).",
        ),
    ],
)
def test_what_a_stranger_asked_is_answered(figures: AccountFigures, context: str, query: str, says: str) -> None:
    found = figures.answered(query, context)
    assert (found.text, found.sure) == (says, True)
