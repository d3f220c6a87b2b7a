# Only Python 3.11 or newer, make and git are needed. `make help` lists what there is.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ENGINE := $(BIN)/assistance-engine
EXAMPLES := examples/avap docs README.md
# The question of `make ask`; the shell gets it as a variable, so that no character in it means anything to it.
Q ?=
export Q
# Options for pytest, such as `make test T="-k citations -x"`.
T ?=

export PYTHONUNBUFFERED = 1

.PHONY: help install dev run ask test test-backends evaluate bench train protos lint lock up down clean

help: ## This list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

# A stamp beside the packages says which lock they came from; a changed lock installs again.
$(VENV)/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; name one: make PYTHON=python3.12 ...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.installed requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-dev.lock
	@touch $@

install: $(VENV)/.installed ## Make .venv and install from the lock

dev: $(VENV)/.dev ## The same with what developing needs

run: install ## Index the examples if there is no index yet, and serve on 127.0.0.1:50051
	@exec $(ENGINE) serve $(EXAMPLES:%=--index-if-empty %)

ask: install ## One streamed answer: make ask Q="What is addVar in AVAP?"
	@test -n "$$Q" || { echo 'give a question: make ask Q="What is addVar in AVAP?"' >&2; exit 2; }
	@$(ENGINE) ask "$$Q"

test: dev ## Every test that needs no external server
	$(BIN)/python -m pytest -m "not backends" $(T)
	@echo "Left out: the tests against real servers. Run them with: make test-backends"

test-backends: dev ## Start the real servers that can be started here and run the integration tests against them
	$(BIN)/python scripts/with_backends.py -- $(BIN)/python -m pytest -m backends $(T)

evaluate: install ## Run the golden set through the whole pipeline
	@$(ENGINE) index --if-empty $(EXAMPLES)
	@$(ENGINE) evaluate

bench: dev ## Speed, as ratios against a bare gRPC server in the same run
	$(BIN)/python scripts/bench.py

train: install ## Train layer 2 on the shipped seed rows into ENGINE_DATA_DIR
	$(ENGINE) train

protos: dev ## Generate the stubs anew from proto/
	$(BIN)/python scripts/generate_stubs.py

lint: dev ## Types, style and who may import whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

lock: dev ## Choose versions anew and write the lock files
	$(BIN)/python scripts/lock.py

up: ## The engine with Ollama in containers
	docker compose up --build --wait

down: ## End them; what they have stored stays
	docker compose down

clean: ## Remove .venv and caches; data/ stays
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build *.egg-info
