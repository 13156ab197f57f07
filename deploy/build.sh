#!/bin/sh
# Prepares an installation for services that only read it: packages, site, compiled command and Ponder.
# Run it after each update of the sources. Needs Node and a package registry.
set -eu
cd "$(dirname "$0")/.."
node scripts/install.mjs
npm run --silent build
npm prune --omit=dev --no-save --loglevel=error
# Compiled files are current while the times of their sources are the same. An image stores whole seconds.
find . -path ./node_modules -prune -o -type f -exec touch -d @1 {} +
node scripts/tributary.mjs --help > /dev/null
node engine/cli/stack/ponder/run.mjs --version > /dev/null
