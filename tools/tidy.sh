#!/bin/sh
# tidy.sh FOLDER prints what `go mod tidy` would change in the module of FOLDER, and fails if that is anything.
#
# A module is looked at by itself, as a module that requires it sees it. Its sisters are taken from this tree: the versions
# that it names may not be released yet, and their checksums in go.sum are those of the last release.
set -eu
ours=github.com/freerun-go/freerun
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp "$1/go.mod" "$copy/go.mod"
if [ -f "$1/go.sum" ]; then
	grep -v "^$ours[ /]" "$1/go.sum" >"$copy/go.sum" || true
fi
go list -m -f '{{.Path}}={{.Dir}}' | while read -r replacement; do
	go mod edit -replace "$replacement" "$copy/go.mod"
done
cd "$1"
GOWORK=off go mod tidy -modfile="$copy/go.mod" -diff
