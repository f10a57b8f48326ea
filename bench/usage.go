package bench

import (
	"fmt"
	"strings"
)

// UsageError says in one line why a request cannot be met, and which request could be.
type UsageError struct{ text string }

// Error implements error.
func (e *UsageError) Error() string { return e.text }

func usagef(format string, args ...any) *UsageError { return &UsageError{fmt.Sprintf(format, args...)} }

// unknown returns the error for a name that is not among the known ones. It suggests the nearest
// known name, if one is near.
func unknown(what, name string, known []string) *UsageError {
	hint := ""
	if near, ok := Nearest(name, known); ok {
		hint = fmt.Sprintf("did you mean %q? ", near)
	}
	return usagef("unknown %s %q: %sthere are %s", what, name, hint, strings.Join(known, ", "))
}

// Nearest returns the known name that is the fewest single-letter changes away, and whether they
// are few enough for a slip of the fingers. Any goroutine may call it.
func Nearest(name string, known []string) (string, bool) {
	best, least := "", max(3, len(name)/2+1)
	for _, k := range known {
		if d := distance(strings.ToLower(name), k); d < least {
			best, least = k, d
		}
	}
	return best, best != ""
}

// distance is the Levenshtein distance between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
