package ddb

import (
	"strings"
	"testing"
)

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		pattern, s string
		want       bool
	}{
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"*", "abc", true},
		{"**", "abc", true},
		{"a*c", "abc", true},
		{"a*c", "abcd", false},
		{"?", "", false},
		{"?", "a", true},
		{"??", "a", false},
		{"a?c", "abc", true},
		{"[abc]", "b", true},
		{"[abc]", "d", false},
		{"[^abc]", "d", true},
		{"[^abc]", "a", false},
		{"[a-c]", "b", true},
		{"[c-a]", "b", true},
		{"[a-c]x", "bx", true},
		{`[\]]`, "]", true},
		{`\*`, "*", true},
		{`\*`, "a", false},
		{`a\`, `a\`, true},
		{"[a", "a", true},
		{"[a", "b", false},
		{"[", "a", false},
		{"[^", "a", true},
		{"*ab", "aab", true},
		{"*a*b*c", "xxaxxbxxc", true},
		{"*a*b*c", "xxaxxcxxb", false},
		{"a[b-]c", "abc", false},
		{"user:*:name", "user:42:name", true},
		{"user:*:name", "user:42:names", false},
		{"h*llo", "heeeello", true},
	} {
		if got := matches(test.pattern, test.s, false); got != test.want {
			t.Errorf("%q, %q: %v", test.pattern, test.s, got)
		}
	}
	if !matches("MAX*[A-M]", "maxmem", true) || matches("MAX*", "maxmem", false) {
		t.Error("folding of case")
	}
}

// TestMatchesIsNotExponential would never end if stars multiplied the work.
func TestMatchesIsNotExponential(t *testing.T) {
	if matches(strings.Repeat("a*", 200)+"b", strings.Repeat("a", 20_000), false) {
		t.Error("matched")
	}
}

// FuzzMatches compares with the obvious recursion.
func FuzzMatches(f *testing.F) {
	f.Add("a*[b-d]?", "aaabcd")
	f.Add("[^a]*\\*", "b**")
	f.Fuzz(func(t *testing.T, pattern, s string) {
		if len(pattern) > 12 || len(s) > 12 {
			return
		}
		if got, want := matches(pattern, s, false), obvious(pattern, s); got != want {
			t.Errorf("%q, %q: %v", pattern, s, got)
		}
	})
}

func obvious(pattern, s string) bool {
	switch {
	case pattern == "":
		return s == ""
	case pattern[0] == '*':
		return obvious(pattern[1:], s) || (s != "" && obvious(pattern, s[1:]))
	case s == "":
		return false
	}
	next, ok := matchOne(pattern, 0, s[0], false)
	return ok && obvious(pattern[next:], s[1:])
}
