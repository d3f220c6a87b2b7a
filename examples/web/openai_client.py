"""A conversation through OpenAI's client: `pip install openai`, `make run`, then run this file."""

from __future__ import annotations

from openai import OpenAI
from openai.types.chat import ChatCompletionMessageParam

client = OpenAI(
    base_url="http://127.0.0.1:8080/v1", api_key="any"
)  # a key of `assistance-engine keys create` with ENGINE_AUTH
messages: list[ChatCompletionMessageParam] = []
for question in ("What is addVar in AVAP?", "in fewer words"):
    messages.append({"role": "user", "content": question})
    answer = ""
    for chunk in client.chat.completions.create(model="assist", messages=messages, stream=True):
        piece = chunk.choices[0].delta.content or ""
        print(piece, end="", flush=True)
        answer += piece
    print("\n")
    messages.append({"role": "assistant", "content": answer})
