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

.PHONY: report test test-ci campaign check golden docs dist audit picture bench yardstick floor
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
test test-ci campaign golden: export OPENBLAS_NUM_THREADS ?= 1
test test-ci campaign golden: export GLIBC_TUNABLES ?= glibc.malloc.tcache_count=65000

PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q

# Seconds of processor time that the first tier may take; a quarter more fails (tests/costs.py).
BUDGET := 540

# The first tier: what a change of a unit can break. ONLY=log: of the tests in tests/ those of an area, a scenario, a rule, a report, a layout or a test file;
# several with commas between them.
test: $(READY)
	@$(PYTEST) $(if $(ONLY),--only "$(ONLY)",-m "not slow" --budget $(BUDGET))

# The second tier: the engine, all scenarios, real dumps, the oldest libraries, and one slice of each part of the campaign.
test-ci: $(READY)
	@$(BIN)/python -m campaign.lines
	@$(BIN)/python -m campaign --ages
	@$(PYTEST) campaign tests -m slow --slice due

# The third tier, which takes hours: everything that random faults, kills, mutants and planted faults show, in parts. PART=kills runs one part, SLICE=3 one
# slice of it, ONLY=BP001 its tests about something; without SLICE and ONLY each part writes its line of docs/campaign.md, and goes on where it was interrupted.
PART  ?=
SLICE ?=
campaign: $(READY)
	@WORKERS=$(WORKERS) $(BIN)/python -m campaign $(PART) $(if $(SLICE),--slice $(SLICE)) $(if $(ONLY),--only "$(ONLY)")

check: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@rm -rf $(TYPED) && mkdir -p $(TYPED)/mqstat
	@ln -s ../../tests ../../campaign ../../bench ../../docs $(TYPED)/
	@ln -s $(addprefix ../../../,$(wildcard mqstat/*)) $(addprefix ../../../,parsers reports rules fixtures) $(TYPED)/mqstat/
	@cd $(TYPED) && ../../$(BIN)/python -m mypy --config-file ../../pyproject.toml --cache-dir ../../.mypy_cache mqstat tests campaign bench docs

# Runs only the tests that write goldens; ONLY as above.
golden: $(READY)
	@$(PYTEST) tests campaign --update-golden --only "$(ONLY)"

# Generated pages: those that are tracked, and in build/docs what `mqstat explain` prints about every report, rule, plan, table and view.
docs: $(READY)
	@$(BIN)/python docs/generate.py --full

# A wheel in dist, without the net, and the exact versions of the libraries that it was tested with, as constraints for pip.
dist: $(READY)
	@rm -rf dist build/lib build/bdist.*
	@$(BIN)/python -m pip wheel . --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index --wheel-dir dist
	@sed -n 's/^\([a-z0-9].*[^ ]\) *\\$$/\1/p' requirements.lock > dist/constraints.txt
	@ls dist/*

# Known vulnerabilities of the libraries of requirements.lock; needs the net.
audit:
	@test -x build/audit/bin/pip-audit || { $(PYTHON) -m venv build/audit && build/audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit; }
	@build/audit/bin/pip-audit --require-hashes --disable-pip -r requirements.lock

# The picture of README.md; needs Chromium.
picture: $(READY)
	@$(BIN)/python -m tests.picture

bench: $(READY)
	@$(BIN)/python -m bench

# Compares every output with those of another commit, by default the last one. INPUTS=real,sample leaves out the month and the 2 GB of class 3.
BASE   ?= HEAD
INPUTS ?= real,sample,month,class3
yardstick: $(READY)
	@$(BIN)/python -u -m tests.yardstick $(BASE) --inputs $(INPUTS)

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
