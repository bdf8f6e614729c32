#!/bin/sh
# Installs bubblewrap where that can be done: without it, the tests that enclose a program with it are skipped.
command -v bwrap >/dev/null && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	apt-get update -qq &&
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends bubblewrap >/dev/null
fi
command -v bwrap >/dev/null || echo "There is no bubblewrap, so the tests that use it are skipped."
