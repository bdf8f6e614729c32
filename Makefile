# A newcomer needs only two commands, `make preview` and `make test`. Each one sets up what it needs.
# The system's Python where it can make an environment: one that was built here is often built without optimizations, and
# the Python tests take a third longer.
CAN := -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
PYTHON ?= $(shell /usr/bin/python3 $(CAN) && echo /usr/bin/python3 || echo python3)
VENV := .venv
BIN := $(VENV)/bin
# What is compiled is kept: a process that finds nothing compiled takes five times as long to start, and tests start many.
unexport PYTHONDONTWRITEBYTECODE
READY := $(VENV)/ready

.PHONY: setup preview test bubblewrap check compiled quick ordinary hostile-environment pictures transcripts generate verify-harnesses bench torture mutations dist test-dist installed vsix test-extension editors-setup test-editors test-vscode test-neovim-emacs test-page
setup: $(READY)

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	touch $@

# Show the prompt that Claude Code gets for a file of the example, then the prompt that etcode gets for the same file.
SHOWN := examples/shop/api/orders.py --cwd examples/shop --no-pager
preview: $(READY)
	$(BIN)/promptls preview $(SHOWN) --harness claude-code
	@echo
	$(BIN)/promptls preview $(SHOWN) --harness etcode

# Everything, in lanes; each part's output is kept together. What is fetched first is fetched side by side: where that
# cannot be done, its part fails, but without Python's there is none.
test:
	$(MAKE) --no-print-directory --keep-going -j3 $(READY) $(EXTENSION_READY) bubblewrap || $(MAKE) $(READY)
	MAKE='$(MAKE)' $(BIN)/python -m tests.together

bubblewrap:
	tests/capture/bubblewrap.sh

# Where temporary files are must make no difference. Unless TMPDIR is set, the ordinary run has them under /var/tmp, and
# `make test` in memory; the hostile run has them below a home directory, with blanks; and who calls pytest has what the
# system gives.
IN_PARALLEL := -n auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder --inline-snapshot=disable
quick: export TMPDIR := $(or $(TMPDIR),$(wildcard /var/tmp))
# A process for each processor; a file of tests stays in one. ONLY='codex lsp' runs what belongs to a harness, a family of
# checks, a rule or a folder of tests.
quick: $(READY)
	$(BIN)/pytest -q $(IN_PARALLEL) --only='$(ONLY)'

# Compile the code and the tests once: the processes that run them begin together, and each would compile everything.
compiled: $(READY)
	$(BIN)/pytest -qq --collect-only -p no:randomly

# What `make hostile-environment` leaves out, and samples of what it runs: together, they run each test.
ordinary: export TMPDIR := $(or $(TMPDIR),$(wildcard /var/tmp))
ordinary: $(READY)
	$(BIN)/pytest -q $(IN_PARALLEL) -m 'same_everywhere or ordinary_too'

# Run what asks the machine for something in an unusual environment: other folders, settings, clock and user.
hostile-environment: $(READY)
	$(BIN)/python -m tests.hostile_environment

# Update the pictures in docs/images and the record in tests/editors/transcripts from a run of the editor test.
pictures: test-vscode
	node tests/editors/pictures.mjs

# Record what Neovim and Emacs displayed during the last run of their tests.
transcripts: test-neovim-emacs
	cp test-output/editors/neovim-0.7.*[0-9].md tests/editors/transcripts/neovim-0.7.md
	cp test-output/editors/neovim-0.11.*[0-9].md tests/editors/transcripts/neovim.md
	cp test-output/editors/emacs-*[0-9].md tests/editors/transcripts/emacs.md

# Regenerate the files derived from the code.
generate: $(READY)
	$(BIN)/python tools/generate.py
	$(BIN)/python tools/command_line.py
	$(BIN)/python tools/conformance_cases.py

# Install the programs from npm, run their cases without a network, and write docs/verified.md: for example every night.
# ONLY='codex@0.166.0 opencode' names some of them; with ONLY='--moved codex', cases that held are not run again.
verify-harnesses: $(READY)
	$(BIN)/python tools/verify_harnesses.py $(ONLY)

bench: $(READY)
	$(BIN)/python -m tests.bench

# Long random trials, for example overnight. PART=server runs one of them, SEED=7 repeats a run.
torture: $(READY)
	$(BIN)/python -m tests.torture $(PART) $(if $(SEED),--seed $(SEED))

# Change the logic at random: fails if the tests notice fewer than 95 of 100 changes.
mutations: $(READY)
	$(BIN)/python tools/mutations.py $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY))

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The extension. npm writes no lock file, because it would record a registry host: package.json names exact versions
# instead.
EXTENSION := vscode-extension
EXTENSION_READY := $(EXTENSION)/node_modules/ready
VSIX = dist/promptls-$(shell sed -n 's/^  "version": "\(.*\)",/\1/p' $(EXTENSION)/package.json).vsix

$(EXTENSION_READY): $(EXTENSION)/package.json
	cd $(EXTENSION) && npm install --no-package-lock --no-audit --no-fund --loglevel=error
	touch $@

test-extension: $(EXTENSION_READY)
	cd $(EXTENSION) && npm run --silent check && npm run --silent test

# The package bundles the server as a wheel, for users who have not installed it.
vsix: test-extension $(READY)
	mkdir -p dist
	rm -rf $(EXTENSION)/server
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(EXTENSION)/server .
	$(BIN)/python tools/packed.py $(EXTENSION)/server/*.whl
	cd $(EXTENSION) && npx vsce package --no-dependencies --allow-missing-repository --out ../$(VSIX)
	$(BIN)/python tools/packed.py $(VSIX)
	node $(EXTENSION)/test/vsix.mjs $(VSIX)

# All that can be installed: the source, the wheel that is built from it, and the extension.
dist: vsix
	rm -f dist/*.whl dist/*.tar.gz
	$(BIN)/python -m build --outdir dist . >/dev/null
	ls -l dist

# Install the wheel into an environment of its own. The editor tests install the extension into an editor of its own.
test-dist: dist
	$(BIN)/python -m tests.installing dist

# All that is tried as it is installed: the extension is built once for both.
installed: test-dist test-editors

# Real editors. SERVER='command args' tests a server other than the one in this repository.
editors-setup: $(READY)
	tests/editors/tools.sh install
	tests/editors/neovim_emacs.sh install

test-editors: test-vscode test-neovim-emacs test-page

test-vscode: $(READY) vsix
	cd $(EXTENSION) && npm run --silent host-tests
	SERVER='$(SERVER)' tests/editors/tools.sh run tests/editors/vscode.mjs $(VSIX)

test-neovim-emacs: $(READY)
	SERVER='$(SERVER)' tests/editors/neovim_emacs.sh

# The page of a map, in a real browser.
test-page: $(READY)
	tests/editors/tools.sh run tests/editors/page.mjs
