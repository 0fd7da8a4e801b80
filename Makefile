# Palpeur's house. Every target sets up what it needs by itself; `make` alone lists them.

PYTHON ?= python3
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.palpeur-ready

# Programmes some tests call, each with the Debian packages (joined by +) that bring it.
DEBIAN_TOOLS := check_urdf=liburdfdom-tools gcc=gcc+libc6-dev pdftotext=poppler-utils \
  chromium=chromium+fonts-dejavu-core node=nodejs npm=npm
# The judge of glTF files, from the npm registry.
GLTF_JUDGE := gltf-validator@2.0.0-dev.3.10

# Two test processes on two cores: a BLAS that starts threads of its own only gets in the way.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
# Halves of the suite in its own order, so that a file stays where its fixtures are; who is done
# takes over half of what the other one has left.
SUITE := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --ignore=tests/benchmarks
RECENT := import sys, ensurepip; raise SystemExit(sys.version_info < (3, 11))
USABLE := import sys, pip; raise SystemExit(sys.version_info < (3, 11))

.DEFAULT_GOAL := help
.PHONY: help demo test bench bench-once soak lint format clean tools wheel

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(READY) ## plan the published example job and write its reports
	@$(BIN)/palpeur demo --out out/demo

test: $(READY) tools ## run the tests (without benchmarks and soak tests)
	@$(ONE_THREAD) $(SUITE) -m "not soak and not benchmark"

bench: $(READY) ## measure ratios to peers beside the recorded ones (RECORD=1 records them)
	@$(ONE_THREAD) PALPEUR_BENCHMARKS=$(if $(RECORD),record) \
	  $(BIN)/python -m pytest tests/benchmarks -m "benchmark and not soak" --durations=8

bench-once: $(READY) ## run what is measured once, for the correctness of its results
	@$(ONE_THREAD) PALPEUR_BENCHMARKS=once \
	  $(BIN)/python -m pytest tests/benchmarks -m "benchmark and not soak"

soak: $(READY) tools ## run the slow tests and all others with many more cases (about an hour)
	@status=0; \
	$(ONE_THREAD) PALPEUR_CASES=soak $(SUITE) -m "not benchmark" --durations=50 || status=1; \
	$(ONE_THREAD) PALPEUR_CASES=soak $(BIN)/python -m pytest tests/benchmarks -m soak || status=1; \
	exit $$status

lint: $(READY) ## check style, types and the doors between the rooms
	@status=0; \
	$(BIN)/ruff check . || status=1; \
	$(BIN)/ruff format --check . || status=1; \
	$(BIN)/mypy || status=1; \
	$(BIN)/lint-imports || status=1; \
	exit $$status

format: $(READY) ## sort imports and format the code
	@$(BIN)/ruff check --fix --exit-zero --quiet .
	@$(BIN)/ruff format .

wheel: $(READY) ## build the wheel, with the loops compiled for this kind of machine
	@$(BIN)/python -m robots.core.kernels.ahead planner robots
	@$(BIN)/python -m build --wheel --no-isolation

clean: ## remove everything make has built, the environment included
	@rm -rf $(VENV) build dist *.egg-info out
	@rm -rf robots/core/kernels/bitcode robots/core/kernels/objects
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find planner robots parts reports tests -name __pycache__ -prune -exec rm -rf {} +

# An environment that works is kept and brought up to date; one that does not is made anew.
$(READY): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { \
	  echo "Palpeur needs Python 3.11 or newer; there is no '$(PYTHON)' here." \
	    "Name another: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c '$(RECENT)' 2>/dev/null || { \
	  echo "Palpeur needs Python 3.11 or newer with its venv module; '$(PYTHON)' is" \
	    "$$($(PYTHON) --version 2>&1). Name another: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(BIN)/python -c '$(USABLE)' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV)
	@echo "Installing Palpeur and its tools into $(VENV) (a few minutes, once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@$(BIN)/python -m compileall -q palpeur.py planner robots parts reports
	@$(BIN)/python -m robots.core.kernels.ahead planner robots
	@touch $@

# Root, or sudo that asks for no password, installs what is missing; for anyone else tests skip.
tools: $(READY)
	@missing=''; packages=''; \
	for pair in $(DEBIAN_TOOLS); do \
	  command -v "$${pair%%=*}" >/dev/null || { \
	    missing="$$missing $${pair%%=*}"; \
	    packages="$$packages $$(echo "$${pair#*=}" | tr + ' ')"; }; \
	done; \
	if [ -n "$$missing" ]; then \
	  if [ "$$(id -u)" = 0 ]; then root=env; else root='sudo -n'; fi; \
	  if command -v apt-get >/dev/null && $$root true 2>/dev/null; then \
	    echo "Installing$$packages"; \
	    $$root apt-get update -qq >/dev/null && \
	    $$root env DEBIAN_FRONTEND=noninteractive \
	      apt-get install -y -qq --no-install-recommends $$packages >/dev/null || \
	      echo "Not installed:$$packages. The tests that call$$missing will skip"; \
	  else \
	    echo "Missing:$$missing. The tests that call them will skip; Debian has them in:$$packages"; \
	  fi; \
	fi; \
	if command -v npm >/dev/null && [ ! -d $(VENV)/npm/node_modules/gltf-validator ]; then \
	  npm install --silent --no-audit --no-fund --prefix $(VENV)/npm $(GLTF_JUDGE) >/dev/null || \
	    echo "Not installed: $(GLTF_JUDGE). The tests that call it will skip"; \
	fi
