package records

import (
	"encoding/binary"
	"math/bits"

	"github.com/freerun-go/freerun/programs"
)

// The bytes of a value.
const (
	leastValue = 64
	mostValue  = 256
)

// mostLanes is the number of lanes of the traffic, if there are enough records. It does not depend
// on the number of tasks, so neither does the traffic.
const mostLanes = 64

// traffic is the sequence of acts on a store. There are twice as many keys as records: half of the
// keys are present at first, and about half of them later.
type traffic struct {
	lanes []*lane
	// Of each key, how often it was inserted and deleted. It is present if that is odd.
	versions []uint8
	records  int
	rounds   int
}

// lane is the part of the traffic on some of the keys. It belongs to one task.
type lane struct {
	first    uint64  // the number of its first key
	versions []uint8 // of its keys
	filled   int     // keys that the filling has passed
	steps    int     // steps left after the filling
	lookups  uint64  // of 100 steps
	random   uint64
	found    uint64 // look-ups that found a record
}

func newTraffic(v programs.Values) *traffic {
	n, rounds := v.Get(programs.Size), v.Get(paramRounds)
	t := &traffic{lanes: make([]*lane, min(n, mostLanes)), versions: make([]uint8, 2*n), records: n, rounds: rounds}
	clear(t.versions) // makes the memory resident
	from := 0
	for i := range t.lanes {
		to := (i + 1) * n / len(t.lanes)
		t.lanes[i] = &lane{
			first: uint64(2 * from), versions: t.versions[2*from : 2*to], steps: (to - from) * rounds,
			lookups: uint64(v.Get(paramLookups)), random: uint64(i),
		}
		from = to
	}
	return t
}

// operations returns how many acts there are, including the filling.
func (t *traffic) operations() uint64 { return uint64(t.records) * uint64(1+t.rounds) }

// present returns how many keys are present.
func (t *traffic) present() (n int) {
	for _, version := range t.versions {
		n += int(version & 1)
	}
	return n
}

// held returns the bytes of all present values, and the bytes if each were rounded to a power of
// two.
func (t *traffic) held() (bytes, rounded uint64) {
	for number, version := range t.versions {
		if version&1 == 1 {
			n := uint64(length(seed(uint64(number), version)))
			bytes += n
			rounded += 1 << bits.Len64(n-1)
		}
	}
	return bytes, rounded
}

// act is the kind of a step on a key.
type act int

const (
	lookUp act = iota
	insert
	remove
)

// step is one act on one key.
type step struct {
	act   act
	key   uint64
	seed  uint64 // the seed of the value to insert or to find
	there bool   // whether a look-up must find one
}

func (l *lane) filling() bool { return l.filled < len(l.versions) }
func (l *lane) running() bool { return l.steps > 0 }

// fill returns the next insertion of the filling: every other key.
func (l *lane) fill() step {
	i := l.filled
	l.filled += 2
	return l.change(i)
}

// step returns the next step on the full store, and counts it as done.
func (l *lane) step() step {
	l.steps--
	l.random += 0x9e3779b97f4a7c15
	r := mixed(l.random)
	i, _ := bits.Mul64(r, uint64(len(l.versions)))
	if r%100 >= l.lookups {
		return l.change(int(i))
	}
	number, version := l.first+i, l.versions[i]
	s := step{act: lookUp, key: mixed(number), seed: seed(number, version), there: version&1 == 1}
	if s.there {
		l.found++
	}
	return s
}

// change inserts a key that is absent, or deletes one that is present.
func (l *lane) change(i int) step {
	l.versions[i]++
	number, version := l.first+uint64(i), l.versions[i]
	s := step{act: remove, key: mixed(number)}
	if version&1 == 1 {
		s.act, s.seed = insert, seed(number, version)
	}
	return s
}

// seed returns the seed of a key's value: another one each time that the key is inserted.
func seed(number uint64, version uint8) uint64 { return mixed(^(number<<8 | uint64(version))) }

// length returns the bytes of the value with this seed.
func length(seed uint64) int { return leastValue + int(seed>>32*(mostValue-leastValue+1)>>32) }

// word returns the n-th word of the value.
func word(seed uint64, n int) uint64 { return seed + uint64(n)*0x9e3779b97f4a7c15 }

// made returns the value of a seed, in memory that has room for every value.
func made(seed uint64, memory []byte) []byte {
	value := memory[:length(seed)]
	n := 0
	for rest := value; len(rest) > 0; n++ {
		if len(rest) < 8 {
			for i := range rest {
				rest[i] = byte(word(seed, n) >> (8 * i))
			}
			break
		}
		binary.LittleEndian.PutUint64(rest, word(seed, n))
		rest = rest[8:]
	}
	return value
}

// matches reports whether a value is that of the seed.
func matches(value []byte, seed uint64) bool {
	if len(value) != length(seed) {
		return false
	}
	n := 0
	for ; len(value) >= 8; n++ {
		if binary.LittleEndian.Uint64(value) != word(seed, n) {
			return false
		}
		value = value[8:]
	}
	for i, b := range value {
		if b != byte(word(seed, n)>>(8*i)) {
			return false
		}
	}
	return true
}
