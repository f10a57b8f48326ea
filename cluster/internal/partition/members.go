package partition

import (
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"
)

// Source:     D. Thaler, C. Ravishankar, Using name-based mappings to increase hit rates, 1998, for
//             the choice of the owner (highest random weight)
// Sketch:     each machine beats; one is a member as long as a beat of it was heard lately
//             of the members, the one with the highest weight for a partition owns that: when one
//             leaves, its partitions alone move
// Not invariant: that two machines agree. What depends on it is fenced.

// Members are the machines of which one has heard.
type Members struct {
	heard map[string]time.Time
}

// The times of beats.
const (
	BeatEvery = 200 * time.Millisecond
	Absent    = 1200 * time.Millisecond // without a beat a machine is not a member
	// FirstLook is how long a machine that begins waits for the beats of others, which answer its
	// first one at once.
	FirstLook = 60 * time.Millisecond
)

// Beat notes a beat of a machine, and reports whether that was no member before.
func (m *Members) Beat(node string, now time.Time) (comes bool) {
	if m.heard == nil {
		m.heard = map[string]time.Time{}
	}
	at, known := m.heard[node]
	m.heard[node] = now
	return !known || now.Sub(at) > Absent
}

// Gone notes that a machine has said goodbye.
func (m *Members) Gone(node string) { delete(m.heard, node) }

// All returns the members, in order.
func (m *Members) All(now time.Time) []string {
	maps.DeleteFunc(m.heard, func(_ string, at time.Time) bool { return now.Sub(at) > Absent })
	return slices.Sorted(maps.Keys(m.heard))
}

// OwnerOf returns the owner of a partition among members; empty if there are none.
func OwnerOf(p int, members []string) string { return newContest(members).winner(p) }

// Owners returns the owners of all partitions among members.
func Owners(partitions int, members []string) []string {
	c, owners := newContest(members), make([]string, partitions)
	for p := range owners {
		owners[p] = c.winner(p)
	}
	return owners
}

// contest finds who of the members has a partition.
type contest struct {
	members []string
	hashes  []uint64
}

func newContest(members []string) contest {
	c := contest{members, make([]uint64, len(members))}
	for i, node := range members {
		h := fnv.New64a()
		h.Write([]byte(node))
		c.hashes[i] = h.Sum64()
	}
	return c
}

func (c contest) winner(p int) (owner string) {
	best := uint64(0)
	for i, node := range c.members {
		if w := mix(c.hashes[i] ^ uint64(p)*0x9e3779b97f4a7c15); owner == "" || w > best || w == best && node < owner {
			owner, best = node, w
		}
	}
	return owner
}

// mix is the finalizer of MurmurHash3: FNV alone hardly mixes the number of the partition.
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// Of returns the partition of a unit among n. The name of a unit is that of its kind, a zero byte,
// and its key, or the key alone. The key decides, or what it has in braces, as in {shop-1}/ada: so
// units that have that in common are together, and a kind that gets another name stays.
func Of(unit string, n int) int {
	_, key, named := strings.Cut(unit, "\x00")
	if !named {
		key = unit
	}
	if tag, found := TagOf(key); found {
		key = tag
	}
	h := fnv.New64a()
	h.Write([]byte(key))
	return int(h.Sum64() % uint64(n))
}

// TagOf returns what a key has between its first { and the next }.
func TagOf(key string) (tag string, found bool) {
	_, rest, _ := strings.Cut(key, "{")
	tag, _, found = strings.Cut(rest, "}")
	return tag, found && tag != ""
}
