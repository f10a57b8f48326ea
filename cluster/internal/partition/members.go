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
//             one whose program does not know what the log of a partition has declines it for a
//             while, as its beats say: another one owns that then, unless all do so
// Not invariant: that two machines agree. What depends on it is fenced.

// Members are the machines of which one has heard.
type Members struct {
	heard map[string]lastBeat
	gone  map[string]time.Time // said goodbye then: a beat that comes later was sent before
}

// lastBeat is the last beat of a machine.
type lastBeat struct {
	at       time.Time
	declined []int // partitions whose logs have what its program does not know, in order
}

// The times of beats.
const (
	BeatEvery = 200 * time.Millisecond
	Absent    = 1200 * time.Millisecond // without a beat a machine is not a member
	// FirstLook is how long a machine that begins waits for the beats of others, which answer its
	// first one at once.
	FirstLook = 40 * time.Millisecond
)

// Beat notes a beat of a machine, and reports whether that was no member before.
func (m *Members) Beat(node string, declined []int, now time.Time) (comes bool) {
	if m.heard == nil {
		m.heard = map[string]lastBeat{}
	}
	if at, left := m.gone[node]; left {
		if now.Sub(at) < Absent {
			return false
		}
		delete(m.gone, node)
	}
	last, known := m.heard[node]
	m.heard[node] = lastBeat{now, declined}
	return !known || now.Sub(last.at) > Absent
}

// Gone notes that a machine has said goodbye.
func (m *Members) Gone(node string, now time.Time) {
	if m.gone == nil {
		m.gone = map[string]time.Time{}
	}
	m.gone[node] = now
	delete(m.heard, node)
}

// View returns the members, and the owners of all partitions; before if they are the same.
func (m *Members) View(partitions int, now time.Time, before *View) *View {
	maps.DeleteFunc(m.heard, func(_ string, last lastBeat) bool { return now.Sub(last.at) > Absent })
	maps.DeleteFunc(m.gone, func(_ string, at time.Time) bool { return now.Sub(at) > Absent })
	v := &View{Members: slices.Sorted(maps.Keys(m.heard)), Left: slices.Sorted(maps.Keys(m.gone))}
	for _, node := range v.Members {
		v.declined = append(v.declined, m.heard[node].declined)
	}
	if before != nil && slices.Equal(v.Members, before.Members) && slices.Equal(v.Left, before.Left) && slices.EqualFunc(v.declined, before.declined, slices.Equal) {
		return before
	}
	v.findOwners(partitions)
	return v
}

// View is what a machine knows of the machines. It does not change.
type View struct {
	Members  []string // in order
	Left     []string // said goodbye a little ago: their last answers may be on their way
	Owners   []string // of the partitions; empty if there are no members
	declined [][]int  // by each of the members
}

// MayAnswer returns the machines from which answers may come.
func (v *View) MayAnswer() []string { return slices.Concat(v.Members, v.Left) }

// Without returns the view in which a machine is no member.
func (v *View) Without(node string) *View {
	at := slices.Index(v.Members, node)
	if at < 0 {
		return v
	}
	w := &View{Left: v.Left, Members: slices.Delete(slices.Clone(v.Members), at, at+1), declined: slices.Delete(slices.Clone(v.declined), at, at+1)}
	w.findOwners(len(v.Owners))
	return w
}

// findOwners finds the owners of all partitions: of the members that do not decline one, or of all
// if all do, the one with the highest weight.
func (v *View) findOwners(partitions int) {
	hashes := make([]uint64, len(v.Members))
	for i, node := range v.Members {
		h := fnv.New64a()
		h.Write([]byte(node))
		hashes[i] = h.Sum64()
	}
	v.Owners = make([]string, partitions)
	for p := range v.Owners {
		best, willing, found := uint64(0), false, -1
		for i, hash := range hashes {
			_, declines := slices.BinarySearch(v.declined[i], p)
			w := mix(hash ^ uint64(p)*0x9e3779b97f4a7c15)
			if found < 0 || !declines && !willing || declines != willing && w > best {
				best, willing, found = w, !declines, i
			}
		}
		if found >= 0 {
			v.Owners[p] = v.Members[found]
		}
	}
}

// OwnerOf returns the owner of a partition among members of which none declines it; empty if there
// are none.
func OwnerOf(p int, members []string) string {
	v := &View{Members: members, declined: make([][]int, len(members))}
	v.findOwners(p + 1)
	return v.Owners[p]
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
