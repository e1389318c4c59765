# `make` alone lists what can be done. Everything runs in .venv, which is made on first use with Python and pip alone.
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
export RAG_ASSETS_PROJECT ?= $(CURDIR)
export DAGSTER_HOME ?= $(CURDIR)
export RAG_ASSETS_DAGSTER_STORAGE ?= $(CURDIR)/.rag-assets/dagster

.DEFAULT_GOAL := help
.PHONY: help demo ui test test-all check fix bench lock docs-images clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.venv/runtime: requirements.lock pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.11" >&2; exit 1; }
	@echo "installing the locked dependencies into .venv ..." >&2
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps -e .
	@touch $@

.venv/development: requirements-dev.lock pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "installing the locked development dependencies into .venv ..." >&2
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r requirements-dev.lock
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps -e .
	@touch $@ .venv/runtime

demo: .venv/runtime ## build the whole graph over the example corpus and ask it a few questions
	@$(BIN)/rag-assets demo

ui: .venv/runtime ## the Dagster UI on this project, with its sensor and schedules
	@mkdir -p $(RAG_ASSETS_DAGSTER_STORAGE)
	$(BIN)/dagster dev -w workspace.yaml

test: .venv/development ## the quick tests
	$(BIN)/python -m pytest -n 2

test-all: .venv/development ## the slow ones too: large properties, kills, the daemon, Chromium
	$(BIN)/python -m pytest -n 2
	$(BIN)/python -m pytest -m slow

check: .venv/development ## lint, types, layers; changes nothing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/ty check --error-on-warning
	$(BIN)/lint-imports --no-cache

fix: .venv/development ## what lint and format can mend by themselves
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/development ## measures, as ratios against peers in one run
	@for script in benchmarks/[a-z]*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

docs-images: .venv/development ## take the screenshots in docs/ again
	$(BIN)/python scripts/docs_images.py

# The locks are whole, so nothing is resolved at install (pip refuses `gql[requests]` in hash mode otherwise).
lock: ## pin the dependencies anew (needs uv)
	uv pip compile pyproject.toml --extra dev --universal --generate-hashes --no-emit-index-url --no-annotate --no-header --python-version 3.11 -o requirements-dev.lock
	uv pip compile pyproject.toml -c requirements-dev.lock --universal --generate-hashes --no-emit-index-url --no-annotate --no-header --python-version 3.11 -o requirements.lock

clean: ## remove the environment and the state
	rm -rf .venv .rag-assets
