#!/bin/sh
# tidy.sh FOLDER prints what `go mod tidy` would change in the module of FOLDER, and fails if that is anything.
#
# A module is looked at by itself, as a module that requires it sees it. Its sisters are taken from this tree: the versions
# that it names may not be released yet, and their checksums in go.sum are those of the last release.
#
# It asks the module proxy for modules that no build needs. A failure without a change to print is that of a download,
# mostly, and is made up to three times.
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
for attempt in 1 2 3; do
	status=0
	changes=$(GOWORK=off go mod tidy -modfile="$copy/go.mod" -diff) || status=$?
	if [ $status -eq 0 ] || [ -n "$changes" ] || [ $attempt -eq 3 ]; then
		break
	fi
	echo "tidy.sh: attempt $attempt of 3 failed" >&2
	sleep 15
done
[ -z "$changes" ] || printf '%s\n' "$changes"
exit $status
