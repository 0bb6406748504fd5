# `make demo` and `make test` need nothing but a Debian-like machine: they set up all the rest in .venv.
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src -name '*.py' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.h' -o -name '*.txt' -o -name 'py.typed' -o -name '*.model') pyproject.toml setup.py README.md

.PHONY: help demo test bench models clean

help:
	@echo "make demo    parse a text, and look at an oracle"
	@echo "make test    lint, types and all tests"
	@echo "make bench   speed of files, parser, pipeline and oracles (on the treebanks in DODONA_TREEBANKS)"
	@echo "make models  train the models that come with Dodona (from the treebanks in DODONA_TREEBANKS)"
	@echo "make clean   remove what was built"

$(VENV)/ready:
	scripts/prepare $(VENV)
	@touch $@

$(VENV)/installed: $(VENV)/ready $(SOURCES)
	@echo "Compiling and installing Dodona into $(VENV) …"
	@$(BIN)/pip install --quiet --disable-pip-version-check '.[dev]'
	@touch $@

demo: $(VENV)/installed
	@scripts/demo $(BIN)

test: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -q -n auto

bench: $(VENV)/installed
	$(BIN)/python bench/conllu.py
	$(BIN)/python bench/parsing.py
	$(BIN)/python bench/pipeline.py en "$$DODONA_TREEBANKS/en_ewt/test.conllu.gz"
	$(BIN)/python bench/oracles.py

models: $(VENV)/installed
	$(BIN)/python scripts/train_models.py

clean:
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache
