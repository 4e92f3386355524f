# Everything from a bare checkout: python3 (>= 3.11), make, and a C++17 compiler if there is one (without it the numpy kernels
# are used). Each target makes .venv and installs what it needs; stamps under .venv/stamps make the second call instant.

PYTHON ?= python3
TORCH ?= torch==2.13.0
# Peers that require older versions of numpy or rich than they need, and those of which the tests load a single file
# (stardist and cellpose need tensorflow, numba and opencv for the rest): installed without their dependencies.
PEERS_ALONE ?= panoptica==2.1.7 stardist==0.9.2 cellpose==4.2.1.1 trackeval==1.3.0
PEERS_ALONE += lvis==0.5.3 icdar21-mapseg-eval==1.0.4 pymia==0.3.4
# Their adapters need neither opencv and matplotlib nor limits on dill and fsspec.
PEERS_ALONE += mmengine==0.10.7 evaluate==0.4.6 datasets==5.2.0 pytorch-lightning==2.6.6
PEERS_ALONE += cityscapesScripts==2.3.0 pyquaternion==0.9.9
PYTEST_FLAGS ?=
SECONDS ?= 60
SEED ?=
MINUTES ?= 30
N ?= 100000

# Tests start many processes: without bytecode on disk each of them would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# worksteal: a worker that has finished its half of the tests takes over half of what the other has left.
PYTEST := $(BIN)/python -m pytest -q -n auto --dist worksteal

# `--pyargs segmetry` runs the doctests of whichever segmetry is installed, so the same words work for a wheel.
SUITE := --pyargs segmetry tests README.md docs/quickstart.md docs/linear.md docs/panoptic.md docs/diagnose.md
LIGHT := -m "not peers and not browser and not cluster and not faults and not napari and not dvc and not gpu and not slow" --ignore-glob='*/adapters/*'
HEAVY := -r R -m "(peers or browser or cluster or faults or slow and not generated) and not gpu"
GENERATED := -m "generated and not peers and not browser and not cluster and not faults and not napari and not dvc and not gpu"
COVERAGE := build/coverage
CXX_FILES := $(wildcard native/*.cpp native/*.hpp src/segmetry/kernels/gpu/*.cu tests/kernels/gpu/*.hpp tests/kernels/*.cpp)
BUILD_INPUTS := pyproject.toml CMakeLists.txt native $(wildcard native/*)
# Not in git: written by the build (tools/build_backend.py), and again here after a change of the sources.
GENERATED_FILES := src/segmetry/__init__.pyi src/segmetry/_base/built_in.py
GENERATED_FROM := tools/write_stub.py $(filter-out $(GENERATED_FILES),$(shell find src/segmetry -name '*.py'))

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo test test-all test-heavy test-napari test-dvc test-numpy test-gpu test-wheel test-oldest test-pure test-pyodide coverage bench lint format stub types
.PHONY: reproduce docs sanitize sanitize-threads fuzz attack mutants portable wheel wheel-pure sdist notes release clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(STAMPS)/project ## score two systems on the shipped street scenes and write their reports to demo-output/
	$(BIN)/segmetry demo -o demo-output

# The numbers of generated examples follow HYPOTHESIS_PROFILE (tests/profiles.py): light here, thorough in test-all.
test: $(STAMPS)/test $(GENERATED_FILES) ## run the light suite and all doctests
	$(PYTEST) $(LIGHT) $(PYTEST_FLAGS) $(SUITE)
	@echo 'Left out: tests marked peers (need other packages, some of them large), browser (need Chromium), cluster (start a'
	@echo 'dask cluster), faults and slow, and the adapters (need torch). "make test-all" runs them, and more generated examples.'

# The light suite runs once here, measured; then the rest, with as many examples as `thorough` says, and a thousand for formulas.
test-all: coverage test-heavy test-napari test-dvc ## run everything with thorough examples, skipping nothing, and measure coverage

test-heavy: $(STAMPS)/test $(STAMPS)/peers $(STAMPS)/browser $(STAMPS)/cluster $(GENERATED_FILES) ## run what make test leaves out: peers, browser, cluster, thorough examples
	SEGMETRY_KERNELS=native HYPOTHESIS_PROFILE=thorough $(PYTEST) --no-skips $(HEAVY) $(PYTEST_FLAGS) tests
	HYPOTHESIS_PROFILE=thorough $(PYTEST) $(GENERATED) $(PYTEST_FLAGS) tests --ignore=tests/metrics --ignore=tests/diagnosis
	HYPOTHESIS_PROFILE=thousand $(PYTEST) $(GENERATED) $(PYTEST_FLAGS) tests/metrics tests/diagnosis

test-napari: $(STAMPS)/napari ## run the napari plug-in, without a screen
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -q --no-skips -m napari $(PYTEST_FLAGS) tests/napari

test-dvc: $(STAMPS)/dvc ## let DVC and DVCLive read the values of a run
	$(BIN)/python -m pytest -q --no-skips -m dvc $(PYTEST_FLAGS) tests/dvc

coverage: $(STAMPS)/test $(GENERATED_FILES) ## run the light suite and print its branch coverage, the ten lowest files first
	@mkdir -p $(COVERAGE)
	$(PYTEST) --cov --cov-report= $(LIGHT) $(PYTEST_FLAGS) $(SUITE)
	@$(BIN)/coverage report --sort=cover > $(COVERAGE)/report.txt
	@head -n 12 $(COVERAGE)/report.txt && tail -n 1 $(COVERAGE)/report.txt

test-numpy: $(STAMPS)/test $(GENERATED_FILES) ## run the light suite on the numpy kernels
	SEGMETRY_KERNELS=numpy $(PYTEST) $(LIGHT) $(PYTEST_FLAGS) $(SUITE)

test-gpu: ## count on a CUDA device and compare with the numpy kernels (on a machine with a GPU, with its own python3 and torch)
	PYTHONPATH=src $(PYTHON) -m pytest -q -m gpu $(PYTEST_FLAGS) tests/gpu

# Interpreters are looked for on PATH and in PYTHONS (programs divided by colons); those not found are named.
test-wheel: $(STAMPS)/venv ## build the wheel and run the light suite on it under every interpreter found
	$(BIN)/python tools/test_wheel.py $(WHEEL_FLAGS)

test-oldest: $(STAMPS)/venv ## run the light suite on the wheel with the oldest dependencies that pyproject.toml allows
	$(BIN)/python tools/test_wheel.py --oldest $(WHEEL_FLAGS)

test-pure: $(STAMPS)/venv ## run the light suite on the wheel without compiled code, with zlib in place of deflate
	$(BIN)/python tools/test_wheel.py --pure $(WHEEL_FLAGS)

test-pyodide: wheel-pure ## import the pure wheel in Pyodide under node and score with it, or say why that cannot be done here
	bash tools/test_pyodide.sh dist/*-none-any.whl

bench: $(STAMPS)/bench ## measure against the peers and print ratios
	$(BIN)/python -m bench

# The hooks of .pre-commit-config.yaml, on every file. git has no files in an unpacked source distribution.
lint: $(STAMPS)/lint ## style, import rules, change fragments, workflows: every hook of .pre-commit-config.yaml
	$(BIN)/pre-commit run --all-files

format: $(STAMPS)/lint ## format Python and C++ and fix what ruff can fix
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(CXX_FILES)

stub: $(GENERATED_FILES) ## write what is generated: the types of all public names, where everything is declared, the page's types
	$(BIN)/python tools/write_page_types.py

types: $(STAMPS)/lint $(GENERATED_FILES) ## check the types: Python with mypy --strict, the report's scripts with TypeScript
	$(BIN)/mypy
	PYTHON=$(abspath $(BIN))/python bash tools/check_scripts.sh

reproduce: $(STAMPS)/project ## print the papers' tables beside ours; a number that should agree and does not is an error
	for script in $(filter-out %/beside.py %/definitions.py %/published.py,$(wildcard examples/reproduce/*.py)); do \
	  echo "== $$script"; (cd examples/reproduce && ../../$(BIN)/python $$(basename $$script)) || exit 1; done

docs: $(STAMPS)/docs ## build the documentation into site/
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -b html -d build/doctrees docs site
	@echo 'Open site/index.html'

sanitize: $(STAMPS)/test ## run the kernels' tests under the address and undefined-behaviour sanitizers
	HYPOTHESIS_PROFILE=moderate PYTHON=$(abspath $(BIN))/python bash tools/sanitize.sh memory

sanitize-threads: $(STAMPS)/test ## run threads that share kernels under the thread sanitizer
	HYPOTHESIS_PROFILE=dev PYTHON=$(abspath $(BIN))/python bash tools/sanitize.sh threads

# clang, qemu-user-static: Debian packages. PORTABLE=windows builds for one target only.
PORTABLE ?= plain clang windows macos aarch64
portable: $(STAMPS)/test ## build with clang and for Windows, macOS and aarch64, and run the kernels' tests on aarch64 under qemu
	$(PIP) install 'nanobind>=2.4' 'ziglang>=0.14'
	$(BIN)/python tools/portable.py $(PORTABLE)

sdist: $(STAMPS)/venv ## build the source distribution into dist/
	$(PIP) install 'build>=1.2'
	$(BIN)/python -m build --sdist --outdir dist .

wheel-pure: $(STAMPS)/venv ## build the wheel without compiled code into dist/
	rm -f dist/*-none-any.whl
	$(PIP) wheel --no-deps --wheel-dir dist --config-settings=wheel.cmake=false --config-settings=wheel.py-api=py3 .
	$(BIN)/python tools/check_wheel.py numpy dist/*-none-any.whl

notes: $(STAMPS)/lint ## make notes VERSION=0.2.0: write the fragments of changelog.d into CHANGELOG.md (docs/releasing.md)
	$(BIN)/python tools/write_notes.py $(VERSION)

release: $(STAMPS)/lint $(STAMPS)/test ## make release VERSION=0.2.0: everything but uploading (docs/releasing.md)
	PYTHON=$(abspath $(BIN))/python bash tools/release.sh '$(VERSION)'

# atheris watches which lines of Python an input reaches; the kernels are watched through what they answer.
fuzz: $(STAMPS)/fuzz ## look for inputs that crash, for SECONDS=60 in all; SEED=1 tries the same ones each time
	SEED=$(SEED) $(BIN)/python -m tests.hardening.fuzz $(SECONDS)

mutants: $(STAMPS)/test ## change the code in one place at a time for MINUTES=30 and list what no test notices in build/mutants.txt
	$(BIN)/python tools/mutants.py --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

attack: $(STAMPS)/test ## read N=100000 damaged and hostile files of all formats and print what became of them
	$(BIN)/python -m tests.hardening.campaign $(N)

wheel: $(STAMPS)/venv ## build the wheel into dist/
	rm -rf dist
	$(PIP) wheel --no-deps --wheel-dir dist .
	@ls dist

clean: ## remove everything that make made, .venv included
	rm -rf $(VENV) $(GENERATED_FILES) build dist site demo-output docs/metrics tools/scripts/node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests docs tools bench -name __pycache__ -type d -prune -exec rm -rf {} + 2> /dev/null || true

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit("segmetry needs Python 3.11 or newer; say make PYTHON=python3.x") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade 'pip>=25.1'
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/project: $(STAMPS)/venv $(BUILD_INPUTS)
	$(PIP) install --editable .
	@touch $@

# One run of the generator writes both files (&:).
$(GENERATED_FILES) &: $(GENERATED_FROM) | $(STAMPS)/project
	$(BIN)/python tools/write_stub.py

# segmetry itself is installed by now: asking for `segmetry[all]` adds its optional packages and builds nothing again.
$(STAMPS)/test: pyproject.toml | $(STAMPS)/project
	$(PIP) install --group test 'segmetry[all]'
	@touch $@

$(STAMPS)/lint: pyproject.toml | $(STAMPS)/project
	$(PIP) install --group lint --group test
	@touch $@

$(STAMPS)/docs: pyproject.toml | $(STAMPS)/project
	$(PIP) install --group docs 'segmetry[all]'
	@touch $@

# torch first and alone: with it in place torchmetrics adds nothing heavy.
$(STAMPS)/peers: $(STAMPS)/test
	$(PIP) install '$(TORCH)'
	$(PIP) install --group peers
	$(PIP) install --no-deps $(PEERS_ALONE)
	@touch $@

# Playwright drives a Chromium that is there already; it downloads none.
$(STAMPS)/browser: tools/install_browser.sh $(STAMPS)/test
	bash tools/install_browser.sh
	$(PIP) install --group browser
	@touch $@

$(STAMPS)/cluster: $(STAMPS)/test
	$(PIP) install --group cluster
	@touch $@

$(STAMPS)/fuzz: $(STAMPS)/test
	$(PIP) install --group fuzz
	@touch $@

# napari and Qt are 400 MB, so they are a group of their own.
$(STAMPS)/napari: $(STAMPS)/test
	$(PIP) install --group napari
	@touch $@

# DVC brings a hundred packages.
$(STAMPS)/dvc: $(STAMPS)/test
	$(PIP) install --group dvc
	@touch $@

$(STAMPS)/bench: bench/requirements.txt | $(STAMPS)/project
	$(PIP) install '$(TORCH)'
	$(PIP) install --requirement bench/requirements.txt
	$(PIP) install --no-deps $(filter trackeval%,$(PEERS_ALONE))
	@touch $@
