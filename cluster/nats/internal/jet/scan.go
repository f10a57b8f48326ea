package jet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Sketch:     the leader of the stream tells the subjects that it has, in pages; then each entry is
//             read as any other one. A consumer, or a direct get, would be quicker, and may read
//             what another server has, which may be older
//             pages are counted off, and subjects come and go meanwhile: so each page begins a
//             little before the end of the one before, and again earlier if it does not reach that
// Invariants: S1 A subject that is there for the whole time is read once.

// mostReads is how many entries a Scan reads at once.
const mostReads = 256

// scan is a Scan under way. Its calls come one after another, but for the reads of one part.
type scan struct {
	engine *Engine
	p      int
	prefix []byte
	each   func(key, value []byte, revision uint64)
	done   func(err error)
	told   pages
	keys   [][]byte
}

// pages are the subjects that a server has told so far, in order.
type pages struct{ subjects []string }

// overlap is how many subjects of a page are told again with the next one, at most.
const overlap = 1000

// add adds a page: the subjects behind the first ones of a total that the server has by then, in
// order. It returns behind how many the next one is to begin; more is false after the last one.
func (p *pages) add(offset, total int, page []string) (next int, more bool) {
	last := ""
	if n := len(p.subjects); n > 0 {
		last = p.subjects[n-1]
	}
	if offset > 0 && (len(page) == 0 || page[0] > last) { // others before it have gone
		return max(0, offset-overlap), true
	}
	for _, subject := range page {
		if subject > last {
			p.subjects = append(p.subjects, subject)
		}
	}
	end := offset + len(page)
	return end - min(overlap, len(page)/2), len(page) > 0 && end < total
}

// Scan implements [engine.Log].
func (e *Engine) Scan(p int, prefix []byte, each func(key, value []byte, revision uint64), done func(err error)) {
	s := &scan{engine: e, p: p, prefix: prefix, each: each, done: done}
	s.page(0)
}

// info is a part of what the server says about a stream.
type info struct {
	Error  *answerError `json:"error"`
	Total  int          `json:"total"`
	Offset int          `json:"offset"`
	State  struct {
		Subjects map[string]uint64 `json:"subjects"`
	} `json:"state"`
}

// page asks for the subjects behind the first ones.
func (s *scan) page(offset int) {
	ask, err := json.Marshal(map[string]any{"subjects_filter": s.engine.entriesWith(s.p, s.prefix), "offset": offset})
	if err != nil {
		panic(err)
	}
	s.engine.call(func(m *nats.Msg, err error) {
		var got info
		if err == nil {
			err = json.Unmarshal(m.Data, &got)
		}
		switch {
		case err != nil:
			s.done(fmt.Errorf("%w: the subjects of the stream: %w", engine.ErrUncertain, err))
			return
		case got.Error != nil:
			s.done(fmt.Errorf("%w: the server says: %s (%d)", engine.ErrUncertain, got.Error.Description, got.Error.Code))
			return
		}
		if next, more := s.told.add(offset, got.Total, slices.Sorted(maps.Keys(got.State.Subjects))); more {
			s.page(next)
			return
		}
		for _, subject := range s.told.subjects {
			key, err := s.engine.keyOf(subject)
			if err != nil {
				s.done(fmt.Errorf("%w: %w", engine.ErrStateLost, err))
				return
			}
			if bytes.HasPrefix(key, s.prefix) {
				s.keys = append(s.keys, key)
			}
		}
		s.told = pages{}
		s.read()
	}, &nats.Msg{Subject: "$JS.API.STREAM.INFO." + s.engine.entriesOf(s.p), Data: ask})
}

// found is an entry that was read.
type found struct {
	value    []byte
	revision uint64
	err      error
}

// read reads the next entries.
func (s *scan) read() {
	n := min(len(s.keys), mostReads)
	keys := s.keys[:n]
	s.keys = s.keys[n:]
	if n == 0 {
		s.done(nil)
		return
	}
	var left atomic.Int32
	left.Store(int32(n))
	all := make([]found, n)
	for i, key := range keys {
		s.engine.Read(s.p, key, func(value []byte, revision uint64, err error) {
			all[i] = found{value, revision, err}
			if left.Add(-1) == 0 {
				s.took(keys, all)
			}
		})
	}
}

// took hands on what was read.
func (s *scan) took(keys [][]byte, all []found) {
	for i, f := range all {
		if f.err != nil {
			s.done(f.err)
			return
		}
		if f.value != nil {
			s.each(keys[i], f.value, f.revision)
		}
	}
	s.read()
}
