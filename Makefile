# Only Python 3.11 or newer, make and git are needed. `make help` lists what there is.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ENGINE := $(BIN)/assistance-engine
EXAMPLES := examples/avap
# What `make run DOCS=path` takes out of the index: the examples, and what former versions indexed beside them.
STOCK := examples/avap docs README.md
# Your own documents, files and folders, instead of the examples: make run DOCS=path
DOCS ?=
export DOCS
# The question of `make ask`; the shell gets it as a variable, so that no character in it means anything to it.
Q ?=
export Q
# A folder of test collections for `make evaluate`, and where its report goes.
SETS ?=
OUT ?=
export SETS OUT
# Processes that `make test` runs tests in; 0 is none beside its own, as for a debugger.
WORKERS ?= 2
# Options for the benchmarks, such as `make bench B="--quick --only streams"`.
B ?=
# Options for pytest, such as `make test T="-k citations -x"`.
T ?=

export PYTHONUNBUFFERED = 1

# What tests write goes to memory where there is room for it (Linux): they commit some thousand times, and a disk takes
# milliseconds for each.
ifndef PYTEST_DEBUG_TEMPROOT
export PYTEST_DEBUG_TEMPROOT := $(shell grep -Eq '^tmpfs /dev/shm tmpfs rw' /proc/mounts 2>/dev/null && \
  ! grep -Eq '^tmpfs /dev/shm .*noexec' /proc/mounts && df -Pk /dev/shm | awk 'NR == 2 && $$4 > 4000000 {print $$6}')
endif

# The matrices of the tests are small: threads that wait for each other while every core has tests take many times what they save.
test: export OPENBLAS_NUM_THREADS = 1

# What pytest makes of the tests is kept, also where Python is told to write no bytecode: it takes most of their collection.
test test-backends: export PYTHONDONTWRITEBYTECODE =

# Bytecode is made once, at the install, so that no start pays for it, also where Python may not write any; not for what is
# hardly ever imported: that alone would be 70 MB.
RARELY := (/tests?/|/testing/|/pip/|/setuptools/|/pkg_resources/|/_distutils_hack/|/narwhals/|/huggingface_hub/|/pygments/)
RARELY := $(RARELY)|/onnxruntime/(transformers|quantization|tools)/|/sqlalchemy/dialects/(mysql|oracle|mssql)/
RARELY := $(RARELY)|/sqlglot/(dialects|generators|parsers)/|/elasticsearch/(_sync|dsl)/
RARELY := $(RARELY)|/sqlalchemy/(orm|ext)/|/langsmith/(resources|sandbox|integrations|evaluation|cli|wrappers)/
RARELY := $(RARELY)|/(numpy/distutils|pint/testsuite|wcwidth/table_grapheme_overrides|fsspec|mako|websockets/legacy)/
RARELY := $(RARELY)|/scipy/(io|signal|ndimage|interpolate|fft|cluster|odr|datasets|differentiate)/
RARELY := $(RARELY)|/sklearn/(ensemble|cluster|gaussian_process|manifold|neural_network|semi_supervised|mixture|covariance)/
RARELY := $(RARELY)|/sklearn/(cross_decomposition|datasets|decomposition|feature_extraction|feature_selection|inspection)/
COMPILE = $(BIN)/python -m compileall -q -j 2 -x '$(RARELY)' $(VENV)/lib engine classifier

.PHONY: help install dev run ask test test-backends test-transformers evaluate bench bench-peers soak train protos docs screenshots lint sbom audit lock up up-one down clean

help: ## This list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

# A stamp beside the packages says which lock they came from; a changed lock installs again.
$(VENV)/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; name one: make PYTHON=python3.12 ...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes --no-deps -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@$(COMPILE) || true  # a package may hold templates that are no Python
	@touch $@

$(VENV)/.dev: $(VENV)/.installed requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes --no-deps -r requirements-dev.lock
	@$(COMPILE) || true
	@touch $@

install: $(VENV)/.installed ## Make .venv and install from the lock

dev: $(VENV)/.dev ## The same with what developing needs

run: install ## Index the examples if there is no index, serve gRPC on :50051, web on :8080; DOCS=path: your own documents
	@# One path that has spaces, or several between spaces.
	@set --; IFS=' '; if [ -e "$$DOCS" ]; then set -- --documents "$$DOCS"; else for path in $$DOCS; do set -- "$$@" --documents "$$path"; done; fi; \
	exec $(ENGINE) serve "$$@" $(if $(DOCS),$(STOCK:%=--without %),$(EXAMPLES:%=--index-if-empty %))

ask: install ## One streamed answer: make ask Q="What is addVar in AVAP?"
	@test -n "$$Q" || { echo 'give a question: make ask Q="What is addVar in AVAP?"' >&2; exit 2; }
	@$(ENGINE) ask "$$Q"

# In the order of the folders: the files that take long come before the many short ones, so that no process waits at the end.
test: dev ## Every test that needs no external server
	$(BIN)/python -m pytest -m "not backends" -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(T)
	@echo "Left out: the tests against real servers. Run them with: make test-backends"

test-backends: dev ## Start the real servers that can be started here and run the integration tests against them
	$(BIN)/python scripts/with_backends.py -- $(BIN)/python -m pytest -m backends $(T)
ifeq ($(TEST_TRANSFORMERS),1)
	$(MAKE) test-transformers
else
	@echo "Left out: a real embedding model by sentence-transformers (6 GB). Run it with: make test-transformers"
endif

test-transformers: dev ## The embedder of EMBEDDING_MODEL over a real model, in an environment of its own (6 GB)
	@test -x .venv-transformers/bin/python || $(PYTHON) -m venv .venv-transformers
	.venv-transformers/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[transformers]' pytest pytest-asyncio pytest-timeout
	.venv-transformers/bin/python -m pytest --noconftest -p no:cacheprovider -o addopts=--import-mode=importlib tests/unit/engine/retrieval/embedding/test_sentence_transformers.py $(T)

evaluate: install ## The golden set through the whole pipeline; SETS=folder adds test collections in MTRAG's format
	@$(ENGINE) index --if-empty $(EXAMPLES)
	@$(ENGINE) evaluate
	@test -z "$$SETS" || $(ENGINE) evaluate-retrieval --out "$${OUT:-report}" -- "$$SETS"

bench: dev ## Speed, as ratios against a bare gRPC server in the same run; B=--quick: in a minute or two
	$(BIN)/python scripts/bench.py $(B)

bench-peers: install ## Beside LlamaIndex, Haystack, LanceDB, Chroma and Qdrant, in an environment of its own (1.3 GB); writes docs/benchmarks.md
	@test -x .venv-peers/bin/python || $(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check --editable . -r scripts/benchmarks/peers/requirements.txt
	.venv-peers/bin/python scripts/bench_peers.py $(B)

soak: dev ## Every promise that is a number, at its full size, an hour or two; B="--only kills order": these alone
	$(BIN)/python scripts/soak.py $(B)

train: install ## Train layer 2 on the shipped seed rows into ENGINE_DATA_DIR
	$(ENGINE) train

protos: dev ## Generate the stubs and docs/api.md anew from proto/
	$(BIN)/python scripts/generate_stubs.py
	$(BIN)/python scripts/documentation/write_api_page.py

docs: ## The documentation as a site, in build/site
	@test -x .venv-docs/bin/python || $(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-docs.lock
	.venv-docs/bin/python scripts/documentation/build_site.py

screenshots: dev ## The pictures of the page in docs/pictures, by Chromium
	$(BIN)/python -m scripts.documentation.take_screenshots

lint: dev ## Types, style and who may import whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Tools that look at the lock, in an environment of their own.
.venv-audit/.installed: Makefile
	@test -x .venv-audit/bin/python || $(PYTHON) -m venv .venv-audit
	.venv-audit/bin/python -m pip install --quiet --disable-pip-version-check 'cyclonedx-bom>=7.5' 'pip-audit>=2.10'
	@touch $@

sbom: .venv-audit/.installed ## Write sbom.json: every package of the lock with its hashes (CycloneDX)
	.venv-audit/bin/cyclonedx-py requirements requirements.lock --pyproject pyproject.toml --output-reproducible --of JSON -o sbom.json

audit: .venv-audit/.installed ## Ask the advisory database about every package of the lock; needs the network
	@.venv-audit/bin/pip-audit --strict --disable-pip --require-hashes --progress-spinner off -r requirements.lock || \
	  { echo "A package above has an advisory, or the advisory database could not be reached." >&2; exit 1; }

lock: dev ## Choose versions anew and write the lock files
	$(BIN)/python scripts/lock.py

up: ## Production in containers: engines behind a balancer, Ollama, PostgreSQL, Elasticsearch; POSTGRES_PASSWORD in .env
	docker compose -f docker-compose.yml -f deploy/compose.replicas.yml up --build --wait

up-one: ## One engine with Ollama in containers
	docker compose up --build --wait

down: ## End them; what they have stored stays
	docker compose down --remove-orphans

clean: ## Remove .venv and caches; data/ stays
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build *.egg-info
