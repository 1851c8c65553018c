# Everything is made from here, in a virtual environment of its own ($(VENV)); only Python 3.11+, make and a C++20
# compiler must be there before. A stamp file in $(VENV) stands for each step of the installation, so that a second run
# starts at once and a change of a C++ file rebuilds what depends on it.
PYTHON ?= python3
VENV ?= .venv
FUZZ_CALLS ?= 20000
FUZZ_SECONDS ?= 60
MARKS ?= not verify
GAME ?= connect_four
MINUTES ?= 5

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
CPP := $(shell find cpp -name '*.h' -o -name '*.cpp' -o -name '*.c')
export PATH := $(abspath $(BIN)):$(PATH)

.DEFAULT_GOAL := help
.PHONY: help train test build format lint stubs cpp-test python-test sanitize fuzz tsan bench verify referee sabaki browser namespaces clang sanitized-core clean

help:
	@echo 'make train     learn Connect Four from zero in five minutes; GAME=othello MINUTES=60 for another game or longer'
	@echo 'make test      everything that must be true: style, types, layers, C++ and Python tests, sanitizers'
	@echo 'make build     install the package into $(VENV), editable; rebuilds what changed'
	@echo 'make format    write the style of the project into the files'
	@echo 'make lint      check style, types and layers'
	@echo 'make stubs     write python/tengen/_core.pyi anew from the compiled core'
	@echo 'make cpp-test  the C++ tests'
	@echo 'make sanitize  the C++ tests and fuzzed calls from Python under AddressSanitizer and UBSan'
	@echo 'make fuzz      every parser and the C++ core on changed inputs, FUZZ_SECONDS=60 each, under the sanitizers'
	@echo 'make tsan      forests of several threads that share a game, under ThreadSanitizer'
	@echo 'make bench     play-outs per second, side by side with OpenSpiel'
	@echo 'make verify    make test with more of everything; takes long'
	@echo 'make clean     remove all that make made'

# Stopped at any moment, the same command goes on; with more MINUTES a finished run too.
train: build
	$(BIN)/tengen train $(GAME) --minutes $(MINUTES)

test: lint cpp-test python-test sanitize

build: $(VENV)/.package

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	@$(BIN)/clang-format -i $(CPP)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@$(BIN)/clang-format --dry-run -Werror $(CPP) && echo "clang-format: all $(words $(CPP)) C++ files as they should be"
	$(BIN)/mypy
	$(BIN)/lint-imports

stubs: $(VENV)/.dev
	$(BIN)/python -m nanobind.stubgen --quiet --module tengen._core --output-file python/tengen/_core.pyi

cpp-test: $(VENV)/.build-tools
	cmake -S . -B build/cpp -G Ninja -DTENGEN_PYTHON=OFF -DTENGEN_TESTS=ON
	cmake --build build/cpp
	ctest --test-dir build/cpp --output-on-failure

python-test: $(VENV)/.dev referee sabaki browser
	$(BIN)/python -m pytest --numprocesses=auto -m '$(MARKS)'

# The same C++ tests, and the Python API fuzzed, with a core that reports every wrong memory access and overflow.
sanitize: sanitized-core
	ctest --test-dir build/sanitize --output-on-failure

sanitized-core: $(VENV)/.dev
	cmake -S . -B build/sanitize -G Ninja -DTENGEN_SANITIZE=ON -DTENGEN_TESTS=ON \
	    -DPython_EXECUTABLE=$(abspath $(BIN)/python) -DTENGEN_FUZZ_CALLS=$(FUZZ_CALLS) \
	    -DTENGEN_LEVELS=$$($(BIN)/python -c 'from tengen._cpu import level; print(level())')
	cmake --build build/sanitize

# libFuzzer for the C++ core, and our own changes of a corpus for the parsers that Python has (tests/fuzz/targets.py). An
# input that crashes goes into tests/fuzz/corpus, where the tests try it for ever.
fuzz: FUZZED := build/fuzz/corpus
fuzz: $(VENV)/.dev clang sanitized-core
	cmake -S . -B build/fuzz -G Ninja -DTENGEN_PYTHON=OFF -DTENGEN_FUZZ=ON -DTENGEN_SANITIZE=ON \
	    -DCMAKE_C_COMPILER=$(CLANG) -DCMAKE_CXX_COMPILER=$(subst clang,clang++,$(CLANG))
	cmake --build build/fuzz
	for target in games forest samples; do mkdir -p $(FUZZED)/$$target && build/fuzz/fuzz_$$target \
	    -max_total_time=$(FUZZ_SECONDS) -max_len=600 -timeout=20 -print_final_stats=1 -verbosity=0 \
	    -artifact_prefix=build/fuzz/crash_$$target- $(FUZZED)/$$target tests/fuzz/corpus/cpp_$$target || exit 1; done
	TENGEN_FUZZ_SECONDS=$(FUZZ_SECONDS) ctest --test-dir build/sanitize --output-on-failure --verbose -R parsers

# Every access of two threads to the same memory that nothing orders is reported.
tsan: $(VENV)/.build-tools clang
	cmake -S . -B build/tsan -G Ninja -DTENGEN_PYTHON=OFF -DTENGEN_TESTS=ON -DTENGEN_TSAN=ON \
	    -DCMAKE_C_COMPILER=$(CLANG) -DCMAKE_CXX_COMPILER=$(subst clang,clang++,$(CLANG))
	cmake --build build/tsan --target test_threads
	build/tsan/test_threads

bench: build
	$(BIN)/tengen bench games

verify: FUZZ_CALLS = 500000
verify: MARKS = verify or not verify
verify: export TENGEN_LONG = 1
verify: namespaces test fuzz tsan

clean:
	rm -rf build dist .venv .venv-ci .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find python tests -name __pycache__ -prune -exec rm -rf {} +
	rm -rf python/tengen/_native python/tengen/*.so

# GNU Go is the referee of some Go tests; Stockfish and Fairy-Stockfish play in those of UCI and USI.
referee:
	@[ -x /usr/games/gnugo ] || command -v gnugo > /dev/null || .ci/install-package gnugo
	@[ -x /usr/games/stockfish ] || command -v stockfish > /dev/null || .ci/install-package stockfish
	@[ -x /usr/games/fairy-stockfish ] || command -v fairy-stockfish > /dev/null || .ci/install-package fairy-stockfish

# The client of the Go program Sabaki drives ours in a test; only tests need Node.
SABAKI := build/npm/node_modules/@sabaki/gtp
sabaki: $(SABAKI)

$(SABAKI):
	@command -v npm > /dev/null || .ci/install-package nodejs npm
	@mkdir -p build/npm
	npm install --prefix build/npm --no-save --no-package-lock --no-audit --no-fund --loglevel=error @sabaki/gtp@3.0.0

# A test of clusters pretends machines by network namespaces. Only root may make them: for others that test fails.
namespaces:
	@command -v ip > /dev/null && command -v iptables > /dev/null || .ci/install-package iproute2 iptables

# libFuzzer and ThreadSanitizer of Clang; any version will do.
CLANG ?= $(firstword $(notdir $(wildcard /usr/bin/clang-[0-9][0-9])) clang)
clang:
	@command -v $(CLANG) > /dev/null || .ci/install-package clang libclang-rt-14-dev

# The tests of the page open it in real browsers.
browser:
	@command -v chromium > /dev/null || .ci/install-package chromium
	@command -v firefox-esr > /dev/null || command -v firefox > /dev/null || .ci/install-package firefox-esr

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "tengen needs Python 3.11 or newer; name one with: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# The pip that Python brings may be too old for dependency groups.
$(VENV)/.build-tools: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) --upgrade pip
	$(PIP) --group build
	@touch $@

$(VENV)/.package: $(VENV)/.build-tools CMakeLists.txt $(CPP)
	$(PIP) --no-build-isolation --editable '.[export,openspiel,parquet,rules,train,web]'
	@touch $@

$(VENV)/.dev: $(VENV)/.package
	$(PIP) --group dev
	@touch $@
