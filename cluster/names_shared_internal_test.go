package cluster

import (
	"maps"
	"strings"
	"testing"
)

// TestSettleNames has programs join a store one after another, each with some kinds: the first name
// of each, and behind it those that it had.
func TestSettleNames(t *testing.T) {
	table := map[string]string{}
	for _, c := range []struct{ kinds, stored, err string }{
		{kinds: "a", stored: "a"},
		{kinds: "b a, m l", stored: "a m"}, // l never was
		{kinds: "a, l", stored: "a m"},     // which an older program has all the same
		{kinds: "c b", stored: "a"},
		{kinds: "c", stored: "a"},
		{kinds: "b", stored: "a"},
		{kinds: "a c", stored: "a"},
		{kinds: "x", stored: "x"},
		{kinds: "c, a", err: "kinds a and c have one name in the store, a"},
		{kinds: "x b", err: `under the names ["x" "a"]`},
		{kinds: "y x", stored: "x"},
	} {
		n := &Node{kinds: map[string]*kind{}}
		for of := range strings.SplitSeq(c.kinds, ", ") {
			names := strings.Fields(of)
			n.kinds[string(rune('0'+len(n.kinds)))] = &kind{keying: keying{given: names[0]}, was: names[1:]}
		}
		next := maps.Clone(table)
		err := n.settleNames(next)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", c.kinds, err, c.err)
			}
			continue
		}
		if table = next; err != nil {
			t.Errorf("%s: %v", c.kinds, err)
		}
		for i, want := range strings.Fields(c.stored) {
			if k := n.kinds[string(rune('0'+i))]; k.stored != want || n.stored[want] != k {
				t.Errorf("%s: %s is stored as %s, want %s", c.kinds, k.given, k.stored, want)
			}
		}
	}
}
