"""Scripts that fit the small heads and thresholds of the engine, one a module: ``python -m scripts.fitting.NAME``.

`account` has that of the ranking of account figures; `documents` and `passages` are rows that others are fitted to.
"""
