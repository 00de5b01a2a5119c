#!/bin/sh
# Finds or installs what the tests need beside Python: a PostgreSQL server and Chromium, as Debian packages.
# Where they cannot be installed the tests that need them are skipped and say so; with CI=true they fail.
set -eu
missing=""
ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || command -v postgres >/dev/null 2>&1 || missing="$missing postgresql"
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null 2>&1 || [ "$(id -u)" != 0 ]; then
    echo "Not here, and not to be installed without root and apt-get:$missing. The tests that need them are skipped." >&2
    exit 0
fi
echo "Installing$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $missing >/dev/null
