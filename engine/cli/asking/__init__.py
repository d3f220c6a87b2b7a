"""Commands that ask questions: ask, chat, classify and plan."""
