"""OpenAI's endpoints over the engine, for clients that speak nothing else.

Source: OpenAI's API reference (platform.openai.com/docs/api-reference), chat completions, embeddings and models.
"""
