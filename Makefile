# What a newcomer needs: git, make and python3 with venv. `make play` and `make test` do all else.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help play test check firmware clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

play: $(VENV)/.installed  ## set up, then play a game on a simulated table
	$(RUN)/dicetable play six_by_6

test: $(VENV)/.installed-dev  ## set up, then run the tests
	$(RUN)/python -m pytest -m "not slow" $(PYTEST_ARGS)

check: $(VENV)/.installed-dev  ## lint, formatting and types
	$(RUN)/ruff check
	$(RUN)/ruff format --check
	$(RUN)/mypy

firmware:  ## build the panel's firmware and print its size (needs gcc-avr and avr-libc)
	$(MAKE) --no-print-directory -C firmware_bridge/firmware

clean:  ## remove the environment and everything built
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/.installed: pyproject.toml requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(RUN)/pip install --quiet --require-hashes -r requirements.lock
	$(RUN)/pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.lock
	$(RUN)/pip install --quiet --require-hashes -r requirements-dev.lock
	touch $@
