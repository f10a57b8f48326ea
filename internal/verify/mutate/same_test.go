package main

import (
	"slices"
	"strings"
	"testing"
)

// TestSameIsNotMade holds, for each class of changes that no caller can see, that the operators do
// not make it, and that they make the change beside it that looks alike and is one.
func TestSameIsNotMade(t *testing.T) {
	_, mutations := loaded(t, "same")
	for _, c := range []struct {
		class, function, operator string
		made                      []string // the source before, of all such mutations
	}{
		{"words before publication", "list.unpublished", "swap", []string{"n.b.Store(2); l.head.Store(n)", "l.head.Store(n); n.a.Store(3)", "n.a.Store(3); n.b.Store(4)"}},
		{"words before publication", "captured", "swap", []string{"n.a.Store(1); n.b.Store(2)"}},
		{"words before publication", "given", "swap", []string{"n.a.Store(1); n.b.Store(2)"}},
		{"statistics", "list.count", "drop-write", []string{"l.size.Add(1)", "l.word.Store(1)"}},
		{"statistics", "list.count", "add-amount", []string{"l.size.Add(1)"}},
		{"statistics", "list.count", "add-sign", []string{"l.size.Add(1)"}},
		{"statistics", "list.count", "swap", []string{"l.size.Add(1); l.word.Store(1)"}},
		{"looks before an attempt", "list.attempt", "drop-term", []string{"l.word.Load() == 0 && l.word.CompareAndSwap(0, 1)"}},
		{"looks before an attempt", "list.exchange", "drop-term", []string{"l.word.Load() == 0 && l.word.Swap(1) == 0"}},
		{"looks before an attempt", "list.either", "drop-term", []string{"l.size.Load() == 0 && l.word.CompareAndSwap(0, 1)", "l.size.Load() == 0 && l.word.CompareAndSwap(0, 1)"}},
		{"tuned times", "late", "boundary", []string{"took > limit"}},
		{"other builds", "list.build", "drop-write", []string{"l.word.Store(2)"}},
		{"other builds", "list.build", "drop-branch", nil},
		{"other builds", "list.build", "negate", nil},
	} {
		var made []string
		for _, m := range mutations {
			if m.Func == c.function && m.Operator == c.operator {
				made = append(made, m.Before)
			}
		}
		if !slices.Equal(made, c.made) {
			t.Errorf("%s: %s of %s changes\n%s\nnot\n%s", c.class, c.operator, c.function, strings.Join(made, "\n"), strings.Join(c.made, "\n"))
		}
	}
}
