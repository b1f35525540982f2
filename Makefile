# Every target sets up what it needs, from a clean clone: Rust (stable) and Python 3.11 or newer are enough.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Without cargo on the machine the build backend would download a whole toolchain; better an error.
export MATURIN_NO_INSTALL_RUST = 1
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# pip compiles nothing below, and images of containers often forbid Python to keep what it compiles: each of hundreds
# of processes would then compile again all that it imports.
export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := help
.PHONY: help install demo bench bench-quick bench-scale test test-rust test-python test-python-results test-python-rest test-daft test-docs test-notebooks test-wheel docs wheels lint check-heavy count clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

# `make test` compiles the library in less than half of the time of a release, in the profile "quick" of Cargo.toml. What
# shows or measures it gets it as it is released, compiled again if need be.
as-released := $(filter install demo bench% check-heavy,$(MAKECMDGOALS))
ifdef QUICK
export MATURIN_PEP517_ARGS = --profile=quick
endif
ifneq ($(and $(as-released),$(wildcard $(VENV)/quick)),)
.PHONY: $(VENV)/package
endif

SOURCES := pyproject.toml Cargo.toml Cargo.lock $(shell find src -name '*.rs')

# The pip of .venv serves the other environments too, because setting up one for each takes seconds.
$(VENV)/pip:
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip  # dependency groups need pip 25.1
	touch $@

# Before the package, which waits for cargo as long as that compiles the Rust tests. Python compiles a module when it is
# first imported; to let pip compile all of them takes as long as to install them.
$(VENV)/tools: pyproject.toml | $(VENV)/pip
	$(BIN)/pip install --quiet --no-compile --group dev
	touch $@

# What running needs, which is all that the demo installs, beside the compiler.
$(VENV)/dependencies: pyproject.toml | $(VENV)/pip
	$(BIN)/python -c "import tomllib; print(*tomllib.load(open('$<', 'rb'))['project']['dependencies'], sep='\n')" > $@
	$(BIN)/pip install --quiet --no-compile --requirement $@ || { rm $@; false; }

$(VENV)/package: $(SOURCES) | $(VENV)/$(if $(filter demo,$(MAKECMDGOALS)),pip,tools)
	$(BIN)/pip install --quiet --no-compile --no-deps --editable .
	$(if $(QUICK),touch,rm -f) $(VENV)/quick
	touch $@

install: $(VENV)/tools $(VENV)/dependencies $(VENV)/package ## Build the package into .venv, editable, with the development tools

# PyPI anls owns a command that this package offers too, and Inspect brings many packages, so they live apart.
.venv-peers/installed: tests/peers/requirements.txt | $(VENV)/pip
	test -x .venv-peers/bin/python || $(PYTHON) -m venv --without-pip .venv-peers
	$(BIN)/pip --python .venv-peers/bin/python install --quiet --no-compile --requirement $<
	touch $@

# Daft keeps pyarrow back, so it lives apart with an older one, before everything else that .venv has.
.venv-daft/installed: pyproject.toml | $(VENV)/pip
	test -x .venv-daft/bin/python || $(PYTHON) -m venv --without-pip .venv-daft
	$(BIN)/pip --python .venv-daft/bin/python install --quiet --no-compile --upgrade "$$(sed -n 's/^daft = \["\(.*\)"\].*/\1/p' pyproject.toml)"
	$(BIN)/python -c "import site; print('import site; site.addsitedir(%r)' % site.getsitepackages()[0])" \
	  > "$$(.venv-daft/bin/python -c 'import site; print(site.getsitepackages()[0])')/with-venv.pth"
	touch $@

ifneq ($(filter demo,$(MAKECMDGOALS)),)
MAKEFLAGS += --jobs=2
endif
demo: $(VENV)/dependencies $(VENV)/package ## Write an overview, report, rows and comparison of the sample data into demo/
	$(BIN)/anls-frame demo --force

# Three at a time, because fewer would leave a core idle: downloads and disks beside compilers, what takes one core
# beside the Python tests, which take longest. The Make of macOS is too old to keep their output apart.
beside = +$(MAKE) --no-print-directory --jobs=3 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

# What cargo keeps to compile a change faster takes longer to write than it saves in one run.
test: export CARGO_INCREMENTAL = 0
test: export QUICK = $(if $(as-released),,1)
test: ## Everything: lint, types, Rust, Python on both engines, Daft, docs, notebooks, wheel
	$(beside) test-rust $(python-tests) lint test-daft test-notebooks test-docs test-wheel

lint: install
	cargo fmt --check
	cargo clippy --quiet --profile quick --all-targets -- -D warnings
	cargo clippy --quiet --profile quick --no-default-features -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/python .ci/stub.py --check
	$(BIN)/python .ci/figures.py
	$(BIN)/python .ci/voice.py

# Clippy compiles the kernel without Arrow; its tests are the same with it. Make's flags name a jobserver that cargo
# cannot reach.
test-rust:
	MAKEFLAGS= cargo test --quiet --profile quick --lib

# In two processes, each with its own folders: pytest-xdist would collect all tests in each, and carry their results
# between processes. NumPy multiplies with one thread, as threads of two processes wait for each other busily.
results := $(addprefix tests/,analysis export plot repeats reports slices summary)
python-tests := test-python-results test-python-rest
$(python-tests): export ANLS_PEER_PYTHON = $(CURDIR)/.venv-peers/bin/python
$(python-tests): export POLARS_ENGINE_AFFINITY = in-memory
$(python-tests): export OPENBLAS_NUM_THREADS = 1
test-python:
	$(beside) $(python-tests)

test-python-results: install .venv-peers/installed
	$(BIN)/python -m pytest -q $(results)

test-python-rest: install .venv-peers/installed
	$(BIN)/python -m pytest -q tests $(addprefix --ignore=,$(results))

# In one process, because to import and collect takes as long as half of the tests.
test-daft: install .venv-daft/installed ## Daft on its native runner; `.ci/heavy ray` runs a cluster
	DO_NOT_TRACK=1 .venv-daft/bin/python -m pytest -q --doctest-modules --doctest-glob='*.md' \
	  tests/distributed/test_*.py anls_frame/distributed docs/distributed.md

test-docs: install ## Docstrings and the examples of README and docs, run
	$(BIN)/python -m pytest -q --doctest-modules anls_frame --doctest-glob='*.md' README.md docs \
	  --ignore anls_frame/distributed --ignore docs/distributed.md

test-notebooks: install ## The notebooks, run, print what they printed
	$(BIN)/python notebooks/run.py --check

test-wheel: install ## The wheel: what is in it, and that it works outside the source tree
	rm -rf target/test-wheel
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir target/test-wheel .
	$(BIN)/python .ci/check_wheel.py target/test-wheel/*.whl --quick

docs: install ## The site, into build/site; warnings are errors
	$(BIN)/pip install --quiet --group docs
	rm -rf build/site docs/reference/generated
	$(BIN)/python -m sphinx --quiet --fresh-env --fail-on-warning --keep-going -c site . build/site

wheels: ## What a release uploads, as far as Debian can build and check it, into dist/
	PYTHON=$(PYTHON) .ci/wheels

bench bench-quick: install .venv-peers/installed ## Measure speed against the peers, into RESULTS.md and README.md; bench-quick only prints
	$(BIN)/pip install --quiet --group bench
	$(BIN)/pip install --quiet --no-deps polars-strsim pysubgroup  # cap polars and numpy below 2
	ANLS_PEER_PYTHON=$(CURDIR)/.venv-peers/bin/python $(BIN)/python benchmarks/bench.py $(if $(filter bench-quick,$@),--quick)

bench-scale: install .venv-daft/installed ## Measure reports of 1 to 100 million rows; writes benchmarks/SCALE.md
	$(BIN)/pip --python .venv-daft/bin/python install --quiet "$$(sed -n 's/^ray = \["\(.*\)"\].*/\1/p' pyproject.toml)"
	$(BIN)/python benchmarks/scale.py

check-heavy: install .venv-peers/installed ## Sanitizers, fuzzing, and the oldest and newest Polars
	.ci/heavy

count: install ## Lines by room, public names, parameters, options, files that an addition takes
	$(BIN)/python .ci/count.py

clean: ## Remove what was built
	rm -rf target $(VENV) .venv-peers .venv-daft build dist docs/reference/generated anls_frame/_native*.so
