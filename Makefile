# Each target makes its own .venv on a machine that has only Python 3.11+, make and a package index.
PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= auto

.PHONY: help demo system test test-alone test-integrations test-integrations-full test-random test-reliability test-slow mutate check bench bench-beside bench-cold bench-default bench-fit bench-gateway bench-live bench-memory bench-peers bench-replay bench-router bench-serve bench-tuning bench-variants docs clean

help:  ## show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "weitzman needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: .venv/installed  ## repeat the paper's experiment: report/index.html
	$(BIN)/weitzman reproduce --output report

system:
	@sh tests/system.sh

test: .venv/installed system  ## run all tests
	$(BIN)/python -m pytest -q -n $(WORKERS)

.venv-integrations/installed: tests/integrations/requirements.txt pyproject.toml
	$(PYTHON) -m venv .venv-integrations
	.venv-integrations/bin/python -m pip install --quiet --disable-pip-version-check -r tests/integrations/requirements.txt -e '.[gateway]'
	@touch $@

.venv-integrations-tuning/installed: tests/integrations/requirements-tuning.txt pyproject.toml
	$(PYTHON) -m venv .venv-integrations-tuning
	.venv-integrations-tuning/bin/python -m pip install --quiet --disable-pip-version-check -r tests/integrations/requirements-tuning.txt -e '.[gateway]'
	@touch $@

# LiteLLM leaves event loops open, which is found when the last test is over; Python is in no state then to import
# Hypothesis, which these tests do not need
THEIRS := -W ignore::pytest.PytestUnraisableExceptionWarning -p no:hypothesispytest

test-integrations: .venv-integrations/installed .venv-integrations-tuning/installed  ## run LiteLLM, LangChain, Optuna, Ray Tune, Ax and OpenAI's client (10 minutes, and 10 for the installation)
	.venv-integrations/bin/python -m pytest -q $(THEIRS) tests/integrations -m "not reliability and not slow"
	.venv-integrations-tuning/bin/python -m pytest -q tests/integrations -k "ray or ax" -m "not slow"

test-integrations-full: .venv-integrations/installed  ## all recorded questions through each of them, and the gateway killed 50 times (on two shared cores 50 minutes)
	.venv-integrations/bin/python -m pytest -q -s $(THEIRS) tests/integrations -m "slow or reliability"

test-reliability: .venv/installed system  ## run the service under faults, in full
	$(BIN)/python -m pytest -q -p no:xdist -m reliability

test-slow: .venv/installed system  ## run the tests that take minutes
	$(BIN)/python -m pytest -q -n $(WORKERS) -m slow

test-alone: .venv/installed system  ## run each test file in a process of its own, two at a time (20 minutes)
	@sh tests/alone.sh $(BIN)/python

test-random: .venv/installed system  ## run all tests in random order; SEED=n repeats one
	$(BIN)/python -m pytest -q -n $(WORKERS) -p randomly $(if $(SEED),--randomly-seed=$(SEED))

COUNT ?= 200
mutate: .venv/installed system  ## put COUNT=200 faults into the library and see which tests find (2 cores: 90 minutes)
	$(BIN)/python -m tools.mutate --count $(COUNT) $(MUTATE)

check: .venv/installed  ## lint, types, import direction, docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(MAKE) --no-print-directory docs

docs: .venv/installed  ## build the documentation into docs/_build, warnings are errors
	$(BIN)/sphinx-build -q -W --keep-going -E docs docs/_build

# Others measure machine code, from their first round on
bench bench-variants bench-default bench-fit bench-beside bench-gateway bench-live bench-replay bench-peers bench-router bench-serve: export WEITZMAN_COMPILE = first

bench: .venv/installed  ## time the exact core
	$(BIN)/python -m pytest -q benchmarks/bench_core.py -p no:xdist -o python_files='bench_*.py' --benchmark-only -s

bench-variants: .venv/installed  ## time plans of stages, trees and shortlists
	$(BIN)/python -m pytest -q benchmarks/bench_variants.py -p no:xdist -o python_files='bench_*.py' --benchmark-only -s

bench-cold: .venv/installed  ## time the first decision in an environment of its own, on two idle cores 10 minutes
	$(BIN)/python benchmarks/bench_cold.py

bench-default: .venv/installed  ## what the policy default makes on the recorded problems (15 minutes)
	$(BIN)/python benchmarks/bench_default.py

bench-fit: .venv/installed  ## time exact FTRL where no weights fit (half a minute)
	$(BIN)/python benchmarks/bench_fit.py

bench-beside: .venv/installed  ## time this tree beside another, TREE=a clone at another commit (15 minutes)
	$(BIN)/python benchmarks/bench_beside.py $(TREE)

bench-live: .venv/installed  ## time live rounds of the policy default (1 minute); LOG=file plays a log
	$(BIN)/python benchmarks/bench_live.py $(LOG)

bench-replay: .venv/installed  ## time reading and replaying a long log (2 minutes)
	$(BIN)/python benchmarks/bench_replay.py

CALLS ?= ../shared/data/llm_calls.parquet
bench-router: .venv/installed  ## routers, cascades and search on recorded calls of language models (15 minutes); CALLS=file
	cd benchmarks && ../$(BIN)/python -m router.run $(abspath $(CALLS))

.venv-peers/installed: benchmarks/peers/requirements.txt pyproject.toml
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/peers/requirements.txt -e .
	@touch $@

bench-peers: .venv-peers/installed  ## time and score the learners beside other libraries (15 minutes)
	cd benchmarks && ../.venv-peers/bin/python -m peers.run speed
	cd benchmarks && ../.venv-peers/bin/python -m peers.run regret

.venv-serve/installed: benchmarks/serve/requirements.txt
	$(PYTHON) -m venv .venv-serve
	.venv-serve/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/serve/requirements.txt
	@touch $@

bench-serve: .venv/installed .venv-serve/installed  ## the service under load, beside an echo and Optuna (4 minutes)
	cd benchmarks && ../$(BIN)/python -m serve.run

bench-gateway: .venv/installed .venv-integrations/installed  ## what the gateway adds to its upstreams, beside LiteLLM's proxy (2 minutes)
	cd benchmarks && ../$(BIN)/python -m gateway.run

.venv-tuning/installed: benchmarks/tuning/requirements.txt pyproject.toml
	$(PYTHON) -m venv .venv-tuning
	.venv-tuning/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/tuning/requirements.txt -e .
	@touch $@

bench-tuning: .venv-tuning/installed  ## what stopping a tuning study saves (15 minutes), and drawing answers by the rule (2 minutes)
	.venv-tuning/bin/python benchmarks/bench_tuning.py
	.venv-tuning/bin/python benchmarks/bench_best_of_n.py

bench-memory: .venv/installed  ## memory of the service and growth of its journal (3 minutes)
	cd benchmarks && ../$(BIN)/python -m serve.footprint

clean:  ## remove what the other targets made
	rm -rf .venv .venv-integrations .venv-integrations-tuning .venv-peers .venv-serve .venv-tuning docs/_build report .pytest_cache .mypy_cache .ruff_cache .hypothesis .mutate
