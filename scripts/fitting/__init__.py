"""Scripts that fit the small heads and thresholds of the engine, one a module: ``python -m scripts.fitting.NAME``; `account` has those of account figures."""
