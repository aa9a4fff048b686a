# make help lists what there is.  Everything lives in .venv and build/; nothing is installed anywhere else.

PYTHON ?= python3
VENV   ?= .venv
PYTEST ?=                  # more options for pytest, e.g. make test PYTEST="-x -k hinge"; -n0 for one process
PART   ?=                  # of the measurements, e.g. make bench PART="engine D1_l2log_C1 --peers fastest"

# How many processes compile, and how many test.
JOBS   ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)

# A Makefile generator builds one file at a time unless it is told otherwise.
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)

BIN     := $(VENV)/bin
PIP     := $(BIN)/python -m pip --disable-pip-version-check --quiet
INSTALL := $(PIP) install --no-build-isolation --editable
STAMP   := $(VENV)/.stamp
SOURCES := pyproject.toml CMakeLists.txt $(wildcard cmake/*) $(shell find core -name '*.?pp' -not -path '*/tests/*')

.DEFAULT_GOAL := help
.PHONY: help demo test lint types layers pytest wheel docs pictures bench counts sanitize dev format clean
.DELETE_ON_ERROR:

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  PYTHON=python3.12 chooses the interpreter, VENV=folder the environment, PYTEST=... adds options."

# ---- what people ask for

demo: $(STAMP)-demo ## train on the shipped data, print a table, leave a picture in demo/
	$(BIN)/widemargin demo

test: lint sanitize pytest docs wheel ## everything that must hold before a commit

lint: $(STAMP)-test ## ruff, mypy --strict, the layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

pytest: $(STAMP)-test ## tests, doctests and the examples of the documents
	$(BIN)/python -m pytest -n $(JOBS) --maxprocesses 8 --dist worksteal $(PYTEST)

wheel: $(STAMP)-tools ## pack sdist and wheel from one tree, install the wheel in an empty environment, run it there
	rm -rf dist
	$(BIN)/python -m build --no-isolation --sdist --wheel --outdir dist . > build/wheel.log 2>&1 || { tail -n 40 build/wheel.log; exit 1; }
	$(BIN)/python tools/check_wheel.py dist

sanitize: ## run the core's own tests under ASan + UBSan, and the pool's under TSan
	cmake -S core/tests -B build/sanitize-address -DSANITIZE=address,undefined
	cmake --build build/sanitize-address
	ctest --test-dir build/sanitize-address --output-on-failure
	cmake -S core/tests -B build/sanitize-thread -DSANITIZE=thread -DWIDEMARGIN_BASE_ONLY=ON
	cmake --build build/sanitize-thread --target pool sums
	ctest --test-dir build/sanitize-thread --output-on-failure --tests-regex '^(pool|sums)$$'

docs: $(STAMP)-docs ## build the documentation into site/, strictly
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

pictures: $(STAMP)-demo ## draw the pictures of the documentation anew, from the code in docs/pictures.md
	OPENBLAS_NUM_THREADS=1 $(BIN)/python tools/make_pictures.py

bench: $(STAMP)-peers ## measure against the alternatives; results in bench/results; PART="engine S1s_l2log_C1" for a part
	$(BIN)/python -m bench $(PART)

counts: $(STAMP)-bench ## count instructions of kernels and solvers, fail if any grew (needs valgrind)
	$(BIN)/python -m bench counts

dev: $(STAMP)-test $(STAMP)-docs $(STAMP)-bench ## the environment with everything a developer uses

format: $(STAMP)-test ## let ruff put the files in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove everything that make has made
	rm -rf $(VENV) build dist site demo .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# ---- the environment: made once, refreshed when its sources change

$(STAMP)-tools: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade 'pip>=25.1'
	$(PIP) install --group build
	@mkdir -p build && touch $@

$(STAMP)-demo: $(STAMP)-tools $(SOURCES)
	$(INSTALL) '.[plot]'
	@touch $@

$(STAMP)-test: $(STAMP)-tools $(SOURCES)
	$(PIP) install --group test
	$(INSTALL) '.[frames,io,plot,sklearn]'
	@touch $@ $(STAMP)-demo

$(STAMP)-docs: $(STAMP)-demo
	$(PIP) install --group docs
	@touch $@

$(STAMP)-bench: $(STAMP)-demo
	$(PIP) install --group bench
	@touch $@

# What is compared with.  Some ask for packages that do not agree, or have to be built: one that cannot be installed
# is left out, and the results name it.
$(STAMP)-peers: $(STAMP)-bench
	$(PIP) install --group bench-peers
	-$(PIP) install --no-deps adelie==1.1.52
	-$(PIP) install --no-deps --no-build-isolation sklearn-contrib-lightning==0.6.2.post0
	-$(PIP) install --no-deps --target build/peers-multicore liblinear-multicore==2.50.0
	@touch $@
