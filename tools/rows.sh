#!/bin/sh
# rows.sh COMMAND [PROGRAM...] measures what the report shows of these programs, or of all, with COMMAND, a
# freerun-bench that is built of the last commit. The rows of a program are a file of .bench/rows/COMMIT that is there
# or not there: what was measured at this commit already stays, so all may be measured in pieces, and an interrupted
# run goes on where it ended. The last line says what is missing.
set -eu
command=$1
shift
commit=$(git describe --always --abbrev=12 --dirty=-modified)
case $commit in
*-modified)
	echo "rows name the commit that they are of: commit the changes first" >&2
	exit 1
	;;
esac
rows=.bench/rows/$commit
mkdir -p "$rows"
all=$("$command" __completeNoDesc bench "" 2>/dev/null | grep -v '^:')
# shellcheck disable=SC2086 # names of programs are words
[ $# -gt 0 ] || set -- $all
for program; do
	[ ! -e "$rows/$program.jsonl" ] || continue
	"$command" bench all "$program" --runs 3 --json >"$rows/.part"
	mv "$rows/.part" "$rows/$program.jsonl"
done
missing=
: >"$rows/.all"
for program in $all; do
	if [ -e "$rows/$program.jsonl" ]; then
		cat "$rows/$program.jsonl" >>"$rows/.all"
	else
		missing="$missing $program"
	fi
done
if [ -n "$missing" ]; then
	rm "$rows/.all"
	echo "$rows is without:$missing"
else
	mv "$rows/.all" "$rows.jsonl"
	echo "$rows.jsonl is whole"
fi
