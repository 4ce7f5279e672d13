# What a newcomer needs: git, make and python3 with venv. `make play` and `make test` do all else.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
GAME ?= six_by_6

# Where Python may not keep what it compiled, each of the many programs that the tests start compiles all anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help play test check check-pages dist deb docs pictures firmware prebuilt-firmware rig arm64 release-check config-reference sweep mutants install-service clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

play: $(VENV)/.installed  ## set up, then play a game on a simulated table (GAME=yacht: another than Six By 6)
	@echo "make play GAME=... $$($(RUN)/python -c 'from games.registry import GAMES; print(*GAMES)')"
	$(RUN)/dicetable play $(GAME)

test: $(VENV)/.installed-dev  ## set up, then run the tests
	$(RUN)/python -m pytest -m "not slow" -n auto --dist worksteal $(PYTEST_ARGS)

check: $(VENV)/.installed-dev  ## lint, formatting and types; those of the pages' scripts too where npm is
	$(RUN)/ruff check
	$(RUN)/ruff format --check
	$(RUN)/mypy
	@if command -v npm > /dev/null; then $(MAKE) --no-print-directory check-pages; \
	else echo "npm is missing: the scripts of the pages are not checked"; fi

JAVASCRIPT := tests/javascript
check-pages: $(VENV)/.installed-dev $(JAVASCRIPT)/node_modules/.package-lock.json  ## lint and types of the pages' scripts (needs npm)
	$(RUN)/python -m tests.javascript.snapshot_types > $(JAVASCRIPT)/snapshot.d.ts
	$(JAVASCRIPT)/node_modules/.bin/eslint --config $(JAVASCRIPT)/eslint.config.mjs gateway league
	$(JAVASCRIPT)/node_modules/.bin/tsc --project $(JAVASCRIPT)/tsconfig.json

$(JAVASCRIPT)/node_modules/.package-lock.json: $(JAVASCRIPT)/package-lock.json
	npm ci --prefix $(JAVASCRIPT) --no-fund --no-audit --ignore-scripts
	@touch $@

dist: $(VENV)/.installed  ## build wheel and sdist, the same bytes each time, in dist/
	rm -rf dist
	$(RUN)/python -m hatchling build

deb: $(VENV)/.installed  ## build the packages for Debian 13 and Raspberry Pi OS 13, arm64 and amd64, in dist/
	$(RUN)/python debian/build.py --arch arm64 --python 3.13
	$(RUN)/python debian/build.py --arch amd64 --python 3.13

docs: $(VENV)/.installed-dev build/docs/.installed  ## build the documentation as a site of files, build/site/index.html
	$(RUN)/python docs/make_site.py
	build/docs/bin/zensical build --clean --strict --config-file build/mkdocs.yml

pictures: $(VENV)/.installed-dev  ## make the pictures of the documentation anew from the program (needs chromium)
	$(RUN)/python docs/images/make_pictures.py

release-check:  ## check everything a release needs; for an hour or more
	.ci/release-check

firmware:  ## build the panel's firmware and print its size (needs gcc-avr and avr-libc)
	$(MAKE) --no-print-directory -C firmware_bridge/firmware

prebuilt-firmware:  ## build the firmware that `dicetable panel flash` writes, firmware_bridge/panel.hex
	$(MAKE) --no-print-directory -C firmware_bridge/firmware prebuilt

rig: $(VENV)/.installed-dev  ## prove the drivers on a real kernel's devices, in a virtual machine
	$(RUN)/python -m pytest tests/rig --no-skips $(PYTEST_ARGS)

arm64: $(VENV)/.installed-dev  ## install and run the wheel on an emulated 64-bit ARM system (needs root)
	tests/arm64/run.sh $(RUN)/python

sweep: $(VENV)/.installed-dev  ## play games in which all pairs of simulated faults meet, for hours (SWEEP_ARGS="--minutes 30")
	$(RUN)/python -m tests.dicetable.commands.sweep $(SWEEP_ARGS)

mutants: $(VENV)/.installed-dev build/mutants/.installed  ## count small faults that no test notices, for hours (MUTANTS="ledger --sample 300")
	build/mutants/venv/bin/python -m tests.mutants $(MUTANTS)

config-reference: $(VENV)/.installed  ## write docs/config.md from the program
	$(RUN)/python docs/make_config.py > docs/config.md.new
	mv docs/config.md.new docs/config.md

install-service: $(VENV)/.installed  ## build the package of this system and install it, or upgrade to it (needs root)
	rm -rf build/install-service
	$(RUN)/python debian/build.py --compression gzip --out build/install-service
	apt-get install --yes --reinstall --allow-downgrades ./build/install-service/dicetable_*.deb

clean:  ## remove the environment and everything built
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/.installed: pyproject.toml requirements.lock requirements-build.lock hatch_build.py $(wildcard common/texts/locale/*/LC_MESSAGES/*.po)
	$(PYTHON) -m venv $(VENV)
	$(RUN)/pip install --quiet --require-hashes -r requirements.lock -r requirements-build.lock
	$(RUN)/pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

build/docs/.installed: requirements-docs.lock
	$(PYTHON) -m venv build/docs
	build/docs/bin/pip install --quiet --require-hashes -r requirements-docs.lock
	touch $@

build/mutants/.installed: requirements-dev.lock requirements-mutants.lock requirements-build.lock
	$(PYTHON) -m venv build/mutants/venv
	build/mutants/venv/bin/pip install --quiet --require-hashes -r requirements-dev.lock -r requirements-mutants.lock \
	    -r requirements-build.lock
	build/mutants/venv/bin/pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.lock
	$(RUN)/pip install --quiet --require-hashes -r requirements-dev.lock
	touch $@
