#!/bin/sh
# fuzz.sh FOLDER TARGET TIME fuzzes one target.
#
# Go before 1.27 reports "context deadline exceeded" when a worker is late at the end of the time (go.dev/issue/75804). That is no finding: a
# finding has text of its own, and an input that is kept. So a run that ends with nothing but this is made again, up to
# three times: of 26 targets one would often enough be late twice.
set -u
cd "$1" || exit 1
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for attempt in 1 2 3 4; do
	echo "+ cd $1; go test -run '^\$' -fuzz '^$2\$' -fuzztime $3 ."
	go test -run '^$' -fuzz "^$2\$" -fuzztime "$3" . >"$log" 2>&1
	status=$?
	if [ $status -eq 0 ] || grep -q 'Failing input\|panic' "$log" || ! grep -A1 '^--- FAIL' "$log" | grep -q '^ *context deadline exceeded$'; then
		cat "$log"
		exit $status
	fi
	echo "fuzz.sh: attempt $attempt missed the end of its time (go.dev/issue/75804) and is no result:"
	sed 's/^/  | /' "$log"
done
exit 1
