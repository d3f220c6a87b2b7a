from __future__ import annotations

import pytest

from engine.planning.cues import tool_cue, tool_for

EVERY = ["kb", "calculator", "time", "database", "web_search", "weather", "finance", "transport", "vision"]


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("What's the weather in Madrid tomorrow?", "weather"),
        ("will it rain in London", "weather"),
        ("the temperature in Paris", "weather"),
        ("¿Qué tiempo hace en Madrid?", "weather"),
        ("¿Va a llover mañana?", "weather"),
        ("明天香港的天氣", "weather"),
        ("what is the share price of ACME", "finance"),
        ("exchange rate of the dollar", "finance"),
        ("¿A cuánto está el tipo de cambio?", "finance"),
        ("騰訊控股（0700.HK）今天的股價", "finance"),
        ("how do I get from Sol to Atocha", "transport"),
        ("route from Central to Kowloon by bus", "transport"),
        ("trains between Madrid and Barcelona", ""),
        ("train from Madrid", "transport"),
        ("¿Cómo llego al aeropuerto?", "transport"),
        ("請給我兩條不同的路線選擇", "transport"),
        ("what time is it in Tokyo", "time"),
        ("¿Qué hora es?", "time"),
        ("how many days until Christmas", "time"),
        ("¿Cuántos días hay hasta Navidad?", "time"),
        ("¿Con cuántas semanas hay que avisar?", ""),
        ("東京現在幾點", "time"),
        ("¿Qué día es el sorteo público?", ""),
        ("what day was the last inspection", ""),
        ("cuántos días quedan para inscribirse", ""),
        ("what day was 3 May 1990", "time"),
        ("what is 15% of 240", "calculator"),
        ("convert 5 miles to km", "calculator"),
        ("1024 減去 768", "calculator"),
        ("select name from film", "database"),
        ("with x as (select 1) select * from x", "database"),
        ("who won the Nobel prize in physics", "web_search"),
        ("latest news about Hong Kong", "web_search"),
        ("¿Quién ganó el premio Nobel?", "web_search"),
        ("今年誰獲得了諾貝爾物理學獎？", "web_search"),
        ("在豆瓣上的評分", "web_search"),
        ("what is in this picture", "vision"),
        ("describe https://x/photo.jpg", "vision"),
        ("這張圖片裡有什麼", "vision"),
    ],
)
def test_a_subject_is_recognised(text: str, tool: str) -> None:
    assert tool_cue(text) == tool


@pytest.mark.parametrize(
    "text",
    [
        "What is addVar?",
        "How do I write a weather endpoint?",
        "What does the weather API return?",
        "How do I get the route from a request and return it?",
        "What are stock objects?",
        "How do transports work in gRPC?",
        "What is the execution time of a query?",
        "How do I connect to a database?",
        "How do I select rows from a table?",
        "What is the time complexity of a loop?",
        "How do I train a classifier from labels?",
        "What does the day parameter mean?",
        "How do I parse a date?",
        "How do I add 1 to a variable?",
        "What is the temperature parameter of the model?",
        "¿Cómo creo una ruta en la API?",
        "¿Qué es una variable?",
        "¿Cuál es el precio del plan?",
        "如何註冊端點？",
        "I get an error from the function and to fix it I tried X",
    ],
)
def test_documentation_is_no_subject_of_a_tool(text: str) -> None:
    assert tool_cue(text) == ""


@pytest.mark.parametrize(
    ("cue", "offered", "tool"),
    [
        ("weather", EVERY, "weather"),
        ("weather", ["kb", "web_search"], "web_search"),
        ("weather", ["kb"], "kb"),
        ("weather", [], ""),
        ("web_search", ["kb"], "kb"),
        ("", EVERY, "kb"),
        ("", ["web_search"], "web_search"),
        ("time", ["kb", "web_search"], "kb"),
        ("database", ["kb"], "kb"),
        ("vision", ["web_search"], ""),
        ("calculator", ["calculator"], "calculator"),
    ],
)
def test_only_offered_tools_are_chosen(cue: str, offered: list[str], tool: str) -> None:
    assert tool_for(cue, offered) == tool
