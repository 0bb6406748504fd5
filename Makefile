# `make demo` and `make test` need nothing but a Debian-like machine: they set up all the rest in .venv.
VENV := .venv
BIN := $(VENV)/bin
# pip leaves bytecode to the first import: most of what is installed is never imported (the option is told in reverse)
export PIP_NO_COMPILE := no
SOURCES := $(shell find src -type f -not -name '*.so' -not -name '*.pyc' -not -path '*.egg-info/*') pyproject.toml setup.py README.md

.PHONY: help demo test test-all test-transformer fuzz sanitize stress soak mutants dev docs wheel release-check bench bench-compare models packages clean

help:  ## list what can be made
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1@\2/p' $(MAKEFILE_LIST) | while IFS=@ read -r name text; do \
		printf '%-19s %s\n' "$$name" "$$text"; done

$(VENV)/ready:
	scripts/prepare $(VENV)
	@touch $@

# what was installed with `make dev` stays so, and is only compiled again
define install
	@if [ -e $(VENV)/editable ]; then $(MAKE) --no-print-directory dev; else \
		echo "Compiling and installing Dodona into $(VENV) …" && \
		$(BIN)/pip install --quiet --disable-pip-version-check '$(1)'; fi
endef

$(VENV)/runtime: $(VENV)/ready $(SOURCES)
	$(call install,.)
	@touch $@

$(VENV)/installed: $(VENV)/ready $(SOURCES)
	$(call install,.[dev])
	@touch $(VENV)/runtime $@

# built by the Cython of .venv and not by one that pip fetches for once: for another one, all would be compiled again
$(VENV)/editable: $(VENV)/ready pyproject.toml setup.py
	@echo "Compiling and installing Dodona into $(VENV), to be edited in place …"
	@$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' \
		> $(VENV)/build-requires.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check -r $(VENV)/build-requires.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation -e '.[dev]'
	@touch $@

demo: $(VENV)/runtime  ## parse a text, and look at an oracle
	@scripts/demo $(BIN)

# The tests need a browser, which is fetched while the compiler is at work; it may ask at the terminal, so it keeps that.
# Types and layers are checked beside the tests, and told after them. Neighbouring tests go to one process, as long as
# both have some, so that it makes what they share only once.
define check
	@exec 3<&0; scripts/browser <&3 3<&- & browser=$$!; \
		$(MAKE) --no-print-directory $(VENV)/installed; made=$$?; wait $$browser; exit $$made
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@{ $(BIN)/mypy && $(BIN)/lint-imports && PATH="$(CURDIR)/$(BIN):$$PATH" cython-lint src; } > $(VENV)/checks.log 2>&1 & checks=$$!; \
		$(BIN)/pytest -q -n auto --dist worksteal $(1); tests=$$?; \
		wait $$checks; checked=$$?; cat $(VENV)/checks.log; \
		[ $$tests -eq 0 ] && [ $$checked -eq 0 ]
endef

test: $(VENV)/ready  ## lint, types and tests
	$(call check,-m 'not slow')

test-all: $(VENV)/ready  ## the same, with longer runs of what tests show in small
	$(call check)

# PyTorch is large, so no other target installs it; TORCH=torch==2.13.0+cpu, for example, chooses which
test-transformer: $(VENV)/installed  ## tests of teachers, with PyTorch and transformers
	@$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["transformer"], sep="\n")' \
		> $(VENV)/transformer-requires.txt
	$(BIN)/pip install --quiet --disable-pip-version-check $(TORCH) -r $(VENV)/transformer-requires.txt
	$(BIN)/pytest -q tests/transformer

fuzz: $(VENV)/installed  ## damaged and random input at every entry, for MINUTES=5
	PYTHONPATH=tests $(BIN)/python -m fuzz --minutes $(or $(MINUTES),5)

sanitize: $(VENV)/installed  ## tests, fuzzing and threads with sanitizers, in builds of their own (about half an hour)
	$(BIN)/python scripts/sanitize.py

stress: $(VENV)/installed  ## sixteen threads share everything, for CALLS=10000
	$(BIN)/python scripts/stress.py --calls $(or $(CALLS),10000)

soak: $(VENV)/installed  ## work for SOAK_MINUTES=60, and look whether memory, open files or threads grow
	$(BIN)/python scripts/soak.py --minutes $(or $(SOAK_MINUTES),60)

mutants: $(VENV)/installed  ## seed faults into a copy, and look whether a test notices each; SAMPLE=20 of a FOLDER=data
	$(BIN)/python scripts/mutants.py $(FOLDER) --sample $(or $(SAMPLE),20) --jobs 2

dev: $(VENV)/editable  ## install to be edited in place; again: compile what was edited
	@$(BIN)/python setup.py --quiet build_ext --inplace
	@touch $(VENV)/runtime $(VENV)/installed

docs: $(VENV)/installed  ## the pages and the reference as a site, in site/
	$(BIN)/mkdocs build --quiet
	@echo "site/index.html"

wheel: $(VENV)/installed  ## build dist/*.tar.gz and dist/*.whl, and try the wheel without a compiler
	rm -rf dist
	$(BIN)/python -m build
	scripts/check_wheel $(BIN)/python dist/*.whl

# with nothing of .venv but its Python: every step has an environment of its own; RELEASE=--require-audit, for example
release-check: $(VENV)/ready  ## build sdist and wheel twice from the last commit, compare, install, smoke-test and audit
	$(BIN)/python scripts/release_check.py $(RELEASE)

bench: $(VENV)/editable  ## speed, stage by stage (on the treebanks in DODONA_TREEBANKS); STAGES=search,text for some
	@$(MAKE) --no-print-directory dev
	$(BIN)/python bench/speed.py $(if $(STAGES),--stages $(STAGES))

bench-compare: $(VENV)/editable  ## is this working tree slower than the commit BASE=HEAD? STAGES as for bench
	@$(MAKE) --no-print-directory dev
	$(BIN)/python bench/speed.py --compare $(or $(BASE),HEAD) --tolerance 5 $(if $(STAGES),--stages $(STAGES))

models: packages  ## the same, and train the models that come with Dodona (on DODONA_TREEBANKS and DODONA_VECTORS)
	$(BIN)/python scripts/train_models.py

packages: $(VENV)/installed  ## train models of other languages and make packages of them, in dist/models (on DODONA_TREEBANKS)
	$(BIN)/python scripts/package_models.py

clean:  ## remove what was built
	rm -rf $(VENV) build dist site src/*.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find src -name '*.so' -delete
