# Every task of a developer and of CI; `make` alone lists them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
RUNTIME := $(VENV)/.runtime-installed
DEV := $(VENV)/.dev-installed
# How many files the repositories have that `make bench` measures.
SIZES ?= 10 5000

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
.PHONY: help setup demo check format lint types contracts test toolchains migrations readme bench docs clean

help: ## List the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-14s %s\n", $$1, $$2}'

setup: $(DEV) ## Create .venv and install loopctl with its development tools

demo: $(RUNTIME) ## Show a loop go from red to green (no network needed after the set-up, no key)
	PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/01-fix-failing-tests/run.sh

check: format lint types contracts test migrations readme ## Everything that CI checks

format: $(DEV) ## Is the code formatted?
	$(BIN)/ruff format --check .

lint: $(DEV) ## Static checks
	$(BIN)/ruff check .

types: $(DEV) ## Type checks
	$(BIN)/mypy

contracts: $(DEV) ## Do the layers import only what they may?
	$(BIN)/lint-imports

# Many tests wait for processes: three workers keep two cores busy.
test: $(DEV) ## The test suite, on two cores
	$(BIN)/python -m pytest -n 3 --dist worksteal -rs

toolchains: ## Fetch what tests of other languages need (npm), or they are skipped
	mkdir -p build/toolchains
	cp tests/repositories/toolchains/package*.json build/toolchains/
	cd build/toolchains && npm ci --silent --no-audit --no-fund --ignore-scripts

migrations: $(DEV) ## Do the migrations lead to the models?
	@home=$$(mktemp -d) && trap 'rm -rf "$$home"' EXIT && export LOOPCTL_HOME="$$home" && \
	$(BIN)/alembic upgrade head && $(BIN)/alembic check

readme: $(DEV) ## Do the README and the generated parts of the docs still tell the truth?
	$(BIN)/python docs/generate.py --check

bench: $(DEV) ## Measure what loopctl adds to a bare loop; SIZES="10 5000 60000" for a huge repository
	$(BIN)/python bench/run.py
	$(BIN)/python bench/sizes.py $(SIZES)

docs: $(DEV) ## Write the generated parts of the docs again
	$(BIN)/python docs/generate.py

clean: ## Remove build products and caches; .venv stays
	rm -rf build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +

# The demo needs only the first of these two stamps: it is on screen within about a minute on a new machine.
$(RUNTIME): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install -c constraints.txt -e .
	touch $@

# Dependency groups need a newer pip than Python 3.11 bundles.
$(DEV): $(RUNTIME)
	$(PIP) install -c constraints.txt pip
	$(PIP) install -c constraints.txt --group dev
	touch $@
