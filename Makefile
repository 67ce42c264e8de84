# Needs python3 (3.11 to 3.13) and make. Every target sets up what it needs, in .venv, from requirements.lock.

PYTHON  ?= python3
DUMP    ?=
ONLY    ?=
WORKERS ?= 2

# Modules are compiled once, also for programs that tests start, outside the source folders.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX ?= $(CURDIR)/build/pycache

BIN     := .venv/bin
READY   := .venv/.ready
SAMPLE  := out/sample.smf
PAGE    := out/report.html
TYPED   := build/typed

.PHONY: report test test-all check golden docs picture bench mutants planted yardstick rooms merges floor
.DEFAULT_GOAL := report

# A report from DUMP (a file, folder or several), else from the sample, which is built and not a real dump. One run prints it and writes the page.
report: $(READY) $(if $(DUMP),,$(SAMPLE))
	@mkdir -p out && rm -f $(PAGE)
	@echo "reading $(or $(DUMP),$(SAMPLE))"
	@if test -t 1; then COLUMNS=$$(tput cols); export COLUMNS; fi; \
	 { $(BIN)/python -m mqstat report $(or $(DUMP),$(SAMPLE)) --write $(PAGE); echo $$? >out/return-code; } | tee out/report.txt
	@if test -f $(PAGE); then echo; echo "HTML page: $(PAGE)"; fi
	@code=$$(cat out/return-code); echo "return code $$code"; test -s out/report.txt

# Tests use no linear algebra, whose threads take processor time as they start; with a larger cache of small blocks the C library allocates faster (7 % of the time).
test test-all golden: export OPENBLAS_NUM_THREADS ?= 1
test test-all golden: export GLIBC_TUNABLES ?= glibc.malloc.tcache_count=65000

PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q

# The first tier, which takes two minutes. ONLY=log: of both tiers the tests of an area, a scenario, a rule, a report, a layout or a test file; several
# with commas between them.
test: $(READY)
	@$(PYTEST) $(if $(ONLY),--only "$(ONLY)",-m "not slow")

# The tests that `make test` does not run.
test-all: $(READY)
	@$(PYTEST) -m slow

check: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@rm -rf $(TYPED) && mkdir -p $(TYPED)/mqstat
	@ln -s ../../tests ../../bench ../../docs $(TYPED)/
	@ln -s $(addprefix ../../../,$(wildcard mqstat/*)) $(addprefix ../../../,parsers reports rules fixtures) $(TYPED)/mqstat/
	@cd $(TYPED) && ../../$(BIN)/python -m mypy --config-file ../../pyproject.toml --cache-dir ../../.mypy_cache mqstat tests bench docs

# Runs only the tests that write goldens; ONLY as above.
golden: $(READY)
	@$(PYTEST) --update-golden --only "$(ONLY)"

docs: $(READY)
	@$(BIN)/python docs/generate.py

# The picture of README.md; needs Chromium.
picture: $(READY)
	@$(BIN)/python -m tests.picture

bench: $(READY)
	@$(BIN)/python -m bench

# Mutates each rule slightly (`<` becomes `<=`, a limit moves by one, an exclusion is dropped), and the code that states results; a case or the truth checker must notice every time.
mutants: $(READY)
	@$(BIN)/python -m tests.mutants $(RULE)
	@$(if $(RULE),,$(BIN)/python -m tests.statement_mutants)

# Compares every output with those of another commit, by default the last one. INPUTS=real,sample leaves out the month and the 2 GB of class 3.
BASE   ?= HEAD
INPUTS ?= real,sample,month,class3
yardstick: $(READY)
	@$(BIN)/python -u -m tests.yardstick $(BASE) --inputs $(INPUTS)

# Plants faults in a copy of the tree, which `make test` must find there; WORDS of their names or files choose some.
planted: $(READY)
	@$(BIN)/python -u -m tests.planted $(WORDS)

# Rooms of the source tree, the imports between them, circles and lines.
rooms: $(READY)
	@$(BIN)/python -m tests.rooms

# Two branches that each add a report, a rule and a scenario are merged in a copy of the tree, and tested.
merges: $(READY)
	@$(BIN)/python -u -m tests.merges

# The oldest dependencies that pyproject.toml allows, and the oldest DuckDB that must read a dataset: tests/test_floor.py runs with them.
floor: build/floor/.ready

# Modules are compiled when they are imported: few of them are. The files name everything that is needed, so nothing is resolved.
FLOOR := --quiet --disable-pip-version-check --no-compile --no-deps --require-hashes

# The pip of PYTHON installs into both; where there is no pip, one more virtual environment brings it, which takes three seconds of processor time.
build/floor/.ready: requirements-floor.lock requirements-reader.lock
	@rm -rf build/floor && mkdir -p build/floor
	@$(PYTHON) -m venv --without-pip build/floor/mqstat && $(PYTHON) -m venv --without-pip build/floor/reader
	@with_pip=$(PYTHON); $(PYTHON) -m pip --version >/dev/null 2>&1 || { $(PYTHON) -m venv build/floor/pip && with_pip=build/floor/pip/bin/python; }; \
	 "$$with_pip" -m pip --python build/floor/mqstat install $(FLOOR) -r requirements-floor.lock && \
	 "$$with_pip" -m pip --python build/floor/reader install $(FLOOR) -r requirements-reader.lock
	@touch $@

$(SAMPLE): $(READY) $(wildcard fixtures/*.py fixtures/scenarios/*.py parsers/*.py parsers/layouts/*.py)
	@mkdir -p out
	@echo "building the sample dump $@"
	@$(BIN)/python -m mqstat.fixtures sample $@

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "mqstat needs Python 3.11 or newer; run make PYTHON=python3.12 or similar")'
	@echo "setting up .venv"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "installing the libraries of requirements.lock (a minute the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@echo "installing mqstat"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index --editable .
	@touch $@
