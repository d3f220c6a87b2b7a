"""The cases of the workflow, and a scripted model for them that can only read its prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.generation.port import Prompt
from tests.planning_model import Sections, evaluation_json, plan_json, sections

#: Question, facts that the answer has to say.
CASES: dict[str, list[str]] = {
    "請告訴我最近一屆香港電影金像獎的最佳男主角是誰？並給出他所主演得獎電影在豆瓣上的評分與評價摘要。": [
        "劉青雲",
        "《爸爸》",
        "7.5",
        "表演克制",
    ],
    "幫我規劃明天在香港中環的一日行程：包含天氣預報、適合的穿著建議，以及從K11 MUSEA去香港科技大學往返的交通路線與時間預估。": [
        "23°C 至 28°C",
        "約 55 分鐘",
        "約 60 分鐘",
    ],
    "請告訴我明天早上香港將軍澳的天氣，並說明是否適合帶小朋友去海邊玩。": ["22°C 至 26°C", "海浪 0.5 米"],
    "請查一下騰訊控股（0700.HK）今天的股價大約是多少，以及和上週同一時間相比漲跌幅如何？": ["612.0 港元", "上漲 2.0%"],
    "我現在在深圳灣口岸，想在三小時內到達香港科技大學，請給我兩條不同的路線選擇（包括時間和交通工具）。": [
        "路線一",
        "2 小時 10 分鐘",
        "路線二",
        "的士",
    ],
    "今年誰獲得了諾貝爾物理學獎？簡要說明得獎原因。": ["甲博士", "引力子"],
}
HARD = "請告訴我最近三屆香港電影金像獎最佳男主角得獎者及其得獎電影，並比較三部電影在豆瓣上的評分高低。"
HARD_FACTS = ["劉青雲", "梁朝偉", "《神探大戰》豆瓣評分 6.6", "《金手指》豆瓣評分 6.1", "《爸爸》豆瓣評分 7.5"]
#: What is answered at once, with what is said.
FAST = {"1024 減去 768 等於多少？": "256", ".": "There is no question", "？？？？": "There is no question"}
WRITING = "寫一句鼓勵正在準備考試的學生的話。"


def tools_file(folder: Path, address: str) -> Path:
    """A TOOLS_FILE over the tests' own server."""
    names = {"weather": "get_forecast", "finance": "get_quote", "transport": "find_routes", "web_search": "search"}
    mapped: dict[str, dict[str, Any]] = {
        name: {"server": "s", "tool": tool, "seconds": 30} for name, tool in names.items()
    }
    mapped["weather"]["query"] = "place"
    mapped["broken"] = {"server": "s", "tool": "fail", "description": "fails"}
    mapped["stuck"] = {"server": "s", "tool": "hang", "description": "hangs", "seconds": 0.05}
    mapped["rude"] = {"server": "s", "tool": "inject", "description": "gives orders"}
    mapped["large"] = {"server": "s", "tool": "huge", "description": "is large", "seconds": 30}
    file = folder / "tools.json"
    file.write_text(json.dumps({"servers": {"s": {"url": address}}, "tools": mapped}), "utf-8")
    return file


def write_plan(read: Sections, _schema: Mapping[str, Any]) -> dict[str, Any]:
    """Plans from the question: a subquery for each subject that stands in it."""
    question = read["question"]
    if question.startswith("寫一句"):
        return plan_json(reason="creative writing")
    subjects = [
        ("三屆", [("web_search", "最近三屆 金像獎 最佳男主角 得獎電影"), ("web_search", "三部電影 豆瓣 評分")]),
        ("最近一屆", [("web_search", "最近一屆 金像獎 最佳男主角"), ("web_search", "爸爸 豆瓣 評價摘要")]),
        ("天氣", [("weather", re.sub(r"^.*?(?=香港)|的.*$", "", question)[:12])]),
        ("股價", [("finance", "0700.HK 今天"), ("finance", "0700.HK 漲跌 上週")]),
        ("路線", [("transport", question)]),
        ("諾貝爾", [("web_search", "今年 諾貝爾物理學獎")]),
        ("misbehave", [(name, "香港將軍澳") for name in ("broken", "stuck", "rude", "large", "weather")]),
    ]
    found: list[tuple[str, str]] = []
    for word, subqueries in subjects:
        if word in question:
            found += [one for one in subqueries if one not in found]
    return plan_json(*found) if found else plan_json(("kb", question))


def write_evaluation(read: Sections, _schema: Mapping[str, Any]) -> dict[str, Any]:
    """Looks for films of the evidence without a rating in it."""
    films = dict.fromkeys(re.findall(r"憑《(.+?)》", read.get("evidence", "")))
    unrated = [film for film in films if not re.search(rf"《{film}》豆瓣評分 \d", read["evidence"])]
    asked = "評分" in read["question"]
    return evaluation_json(*(("web_search", f"《{film}》 豆瓣 評分") for film in unrated if asked))


def write_answer(prompt: Prompt) -> str:
    """Repeats the evidence of its prompt, each passage with its mark; without any, says a sentence of its own."""
    read = sections(prompt.messages)
    passages = re.findall(r"\[(\d+)\] .*\n((?:.|\n)*?)(?=\n\n\[\d+\] |\Z)", read.get("evidence", ""))
    said = [f"{text.strip()[:600]} [{number}]" for number, text in passages]
    return "\n".join(said) or "加油，你一定可以！"
