#!/bin/sh
# apidiff.sh APIDIFF [BASE] prints how the exported API of the working tree differs from that of BASE, a commit or a
# tag: first what breaks programs, then what does not. Without BASE it takes the last release, which is the last tag
# that begins with v. Programs, benchmarks and the command are left out: users do not import them.
set -eu
apidiff=$1
base=${2:-}
module=github.com/freerun-go/freerun
if [ -z "$base" ] && ! base=$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null); then
	echo "there is no release yet to compare with; say which commit: make apidiff BASE=commit" >&2
	exit 2
fi
scratch=$(mktemp -d)
trap 'git worktree remove --force "$scratch/base" 2>/dev/null || true; rm -rf "$scratch"' EXIT
git worktree add --quiet --detach "$scratch/base" "$base"
(cd "$scratch/base" && "$apidiff" -m -w "$scratch/before" "$module" 2>"$scratch/messages") || { cat "$scratch/messages" >&2; exit 1; }
"$apidiff" -m -w "$scratch/after" "$module" 2>"$scratch/messages" || { cat "$scratch/messages" >&2; exit 1; }
"$apidiff" -m "$scratch/before" "$scratch/after" 2>/dev/null >"$scratch/changes"
echo "The API since $(git describe --tags --always "$base"):"
grep -Ev '(- |package )(\./)?('"$module"'/)?(programs|bench|cmd)(/|\.|:)' "$scratch/changes" || true
