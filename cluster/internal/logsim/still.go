package logsim

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Still is the store as somebody has it who uses it while time stands still, and no machine lives:
// each call is done when it returns, and nothing goes wrong with it.
type Still struct{ *Store }

var _ engine.Log = Still{}

// Append implements [engine.Log].
func (s Still) Append(p int, entry []byte, done func(seq uint64, err error)) {
	done(s.append(p, bytes.Clone(entry)))
}

// Follow implements [engine.Log]. It hands on what the log has now, on a goroutine of its own.
func (s Still) Follow(p int, after uint64, each func(seq uint64, entry []byte), lost func(err error)) (stop func()) {
	l := s.logs[p]
	if after+1 < l.first {
		go lost(engine.ErrTrimmed)
		return func() {}
	}
	entries := slices.Clone(l.entries[after+1-l.first:])
	go func() {
		for i, entry := range entries {
			each(after+1+uint64(i), entry)
		}
	}()
	return func() {}
}

// Last tells the number of the last entry of a log; 0 if it has none.
func (s Still) Last(p int, done func(seq uint64, err error)) {
	if len(s.logs[p].entries) == 0 {
		done(0, nil)
		return
	}
	done(s.logs[p].last(), nil)
}

// Trim implements [engine.Log].
func (s Still) Trim(int, uint64) {}

// Swap implements [engine.Log].
func (s Still) Swap(p int, writes []engine.Write, revision uint64, done func(revision uint64, err error)) {
	done(s.swap(p, writes, []uint64{revision}))
}

// SwapAll implements [engine.Log].
func (s Still) SwapAll(p int, writes []engine.Write, revisions []uint64, done func(first uint64, err error)) {
	done(s.swap(p, writes, revisions))
}

// Read implements [engine.Log].
func (s Still) Read(p int, key []byte, done func(value []byte, revision uint64, err error)) {
	if e := s.entries[p][string(key)]; e != nil {
		done(e.value, e.revision, nil)
		return
	}
	done(nil, 0, nil)
}

// Scan implements [engine.Log].
func (s Still) Scan(p int, prefix []byte, each func(key, value []byte, revision uint64), done func(err error)) {
	for _, key := range slices.Sorted(maps.Keys(s.entries[p])) {
		if e := s.entries[p][key]; strings.HasPrefix(key, string(prefix)) {
			each([]byte(key), e.value, e.revision)
		}
	}
	done(nil)
}
