package partition

import (
	"crypto/sha256"
	"fmt"
	"maps"
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

// TestShares holds what docs/cluster.md says of the shares of machines: the most and the fewest
// partitions that one of them has, in the mean.
func TestShares(t *testing.T) {
	const rounds = 500
	for _, c := range []struct{ partitions, machines, most, fewest int }{{64, 3, 25, 18}, {64, 10, 10, 3}, {256, 10, 34, 18}} {
		most, fewest := 0, 0
		for round := range rounds {
			v := &View{declined: make([][]int, c.machines)}
			for i := range c.machines {
				v.Members = append(v.Members, fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, round, i)))[:24])
			}
			v.findOwners(c.partitions)
			shares := map[string]int{}
			for _, owner := range v.Owners {
				shares[owner]++
			}
			all := make([]int, c.machines)
			copy(all, slices.Collect(maps.Values(shares)))
			most, fewest = most+slices.Max(all), fewest+slices.Min(all)
		}
		if got := [2]int{(most + rounds/2) / rounds, (fewest + rounds/2) / rounds}; got != [2]int{c.most, c.fewest} {
			t.Errorf("%d partitions, %d machines: %v, want %d and %d", c.partitions, c.machines, got, c.most, c.fewest)
		}
	}
}
