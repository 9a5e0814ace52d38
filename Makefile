# make demo    answer "what batch size makes this compute-bound" in a fresh environment
# make test    run the tests
# make check   format, lint, types, layers, doctests
# make bench   speed, as ratios measured in one run
# make golden  rewrite the golden files after a wanted change
# make nightly the property tests with at least 10,000 random problems

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python -m

.PHONY: demo test check bench golden nightly clean

$(BIN)/symroof: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "symroof needs Python 3.11 or newer; try: make PYTHON=python3.13 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: $(BIN)/symroof
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(BIN)/symroof
	@$(BIN)/symroof crossover "mn,nk->mk" --for m --chip h100-sxm --dtype fp16 --set n=4096 --set k=4096

test: $(VENV)/.dev
	$(RUN) pytest -n auto

check: $(VENV)/.dev
	$(RUN) ruff format --check .
	$(RUN) ruff check .
	$(RUN) mypy
	$(BIN)/lint-imports
	$(RUN) pytest --doctest-modules symroof

bench: $(VENV)/.dev
	$(RUN) bench.run

golden: $(VENV)/.dev
	SYMROOF_GOLDEN=write $(RUN) pytest tests/golden

nightly: $(VENV)/.dev
	HYPOTHESIS_PROFILE=nightly $(RUN) pytest -n auto tests/property

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
