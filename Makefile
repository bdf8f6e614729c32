# Two commands are all a newcomer needs: `make preview` and `make test`. Each sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready

.PHONY: setup preview test check quick pictures transcripts generate bench vsix test-extension editors-setup test-editors test-vscode test-neovim-emacs
setup: $(READY)

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	touch $@

# The effective prompt of a file of the example, for etcode.
preview: $(READY)
	$(BIN)/promptls preview examples/monorepo/packages/api/src/orders.py --cwd examples/monorepo

test: check quick test-editors

quick: $(READY)
	$(BIN)/pytest -q

# The pictures and the record in docs/, as the editor test saw them last.
pictures: test-vscode
	node tests/editors/pictures.mjs

# What Neovim and Emacs showed in their tests, as the tests wrote it down last.
transcripts: test-neovim-emacs
	cp test-output/editors/neovim-0.7.*[0-9].md docs/editors/neovim-0.7-tried.md
	cp test-output/editors/neovim-0.11.*[0-9].md docs/editors/neovim-tried.md
	cp test-output/editors/emacs-*[0-9].md docs/editors/emacs-tried.md

# The extension's types and settings, from the server's models.
generate: $(READY)
	$(BIN)/python tools/generate.py

bench: $(READY)
	$(BIN)/python -m tests.bench

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The extension. npm writes no lock file, as that would record the host of a registry: package.json names exact
# versions instead.
EXTENSION := vscode-extension
EXTENSION_READY := $(EXTENSION)/node_modules/ready
VSIX = dist/promptls-$(shell sed -n 's/^  "version": "\(.*\)",/\1/p' $(EXTENSION)/package.json).vsix

$(EXTENSION_READY): $(EXTENSION)/package.json
	cd $(EXTENSION) && npm install --no-package-lock --no-audit --no-fund --loglevel=error
	touch $@

test-extension: $(EXTENSION_READY)
	cd $(EXTENSION) && npm run --silent check && npm run --silent test

# The package carries the server: a wheel, for those who have none.
vsix: test-extension $(READY)
	mkdir -p dist
	rm -rf $(EXTENSION)/server
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(EXTENSION)/server .
	cd $(EXTENSION) && npx vsce package --no-dependencies --allow-missing-repository --out ../$(VSIX)
	node $(EXTENSION)/test/vsix.mjs $(VSIX)

# Real editors. SERVER='command args' tries another server than the one of this repository.
editors-setup:
	tests/editors/tools.sh install
	tests/editors/neovim_emacs.sh install

test-editors: test-vscode test-neovim-emacs

test-vscode: $(READY) vsix
	cd $(EXTENSION) && npm run --silent host-tests
	SERVER='$(SERVER)' tests/editors/tools.sh run tests/editors/vscode.mjs $(VSIX)

test-neovim-emacs: $(READY)
	SERVER='$(SERVER)' tests/editors/neovim_emacs.sh
