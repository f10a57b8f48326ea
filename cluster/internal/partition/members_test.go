package partition

import (
	"slices"
	"testing"
	"time"
)

// TestOwners holds that partitions are spread, and that those of a machine that leaves move alone.
func TestOwners(t *testing.T) {
	all := []string{"a", "b", "c", "d"}
	const n = 4096
	count := map[string]int{}
	for p := range n {
		owner := OwnerOf(p, all)
		count[owner]++
		reversed := slices.Clone(all)
		slices.Reverse(reversed)
		if other := OwnerOf(p, reversed); other != owner {
			t.Fatalf("the owner of %d depends on the order: %s, %s", p, owner, other)
		}
		if left := OwnerOf(p, all[:3]); owner != "d" && left != owner {
			t.Errorf("%d moves from %s to %s, as d leaves", p, owner, left)
		}
	}
	for _, node := range all {
		if count[node] < n/4*8/10 || count[node] > n/4*12/10 {
			t.Errorf("%s owns %d of %d", node, count[node], n)
		}
	}
	if OwnerOf(1, nil) != "" {
		t.Error("a partition has an owner, and there are no machines")
	}
}

func TestMembers(t *testing.T) {
	var m Members
	start := time.Unix(1000, 0)
	m.Beat("b", nil, start)
	m.Beat("a", nil, start.Add(Absent))
	if all := m.View(1, start.Add(Absent), nil).Members; !slices.Equal(all, []string{"a", "b"}) {
		t.Errorf("members are %v", all)
	}
	if all := m.View(1, start.Add(Absent+1), nil).Members; !slices.Equal(all, []string{"a"}) {
		t.Errorf("members are %v after the last beat of b is too old", all)
	}
	m.Gone("a", start)
	m.Beat("a", nil, start.Add(time.Millisecond)) // sent before the goodbye
	if all := m.View(1, start, nil).Members; len(all) > 0 {
		t.Errorf("members are %v after all have left", all)
	}
}
