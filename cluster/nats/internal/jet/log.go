package jet

import (
	"encoding/binary"
	"encoding/json"
	"strconv"

	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Append implements [engine.Log].
func (e *Engine) Append(p int, entry []byte, done func(seq uint64, err error)) {
	e.write(e.logsOf(p), p, []*nats.Msg{{Subject: e.in(p), Data: entry}}, done)
}

// Trim implements [engine.Log]. That it is trimmed is stored first: who follows looks there.
func (e *Engine) Trim(p int, through uint64) {
	e.read(p, e.trimmed(p), func(value []byte, revision uint64, err error) {
		have, err2 := decodeTrimmed(value)
		if err != nil || err2 != nil {
			return // the next time
		}
		if have >= through {
			e.purge(p, through)
			return
		}
		e.mark(p, through, revision, func(err error) {
			if err == nil {
				e.purge(p, through)
			}
		})
	})
}

// mark stores up to where a log is trimmed, if that has a revision.
func (e *Engine) mark(p int, through, revision uint64, done func(err error)) {
	m := &nats.Msg{Subject: e.trimmed(p), Data: binary.BigEndian.AppendUint64(nil, through), Header: nats.Header{}}
	m.Header.Set(expected, strconv.FormatUint(revision, 10))
	e.store(e.entriesOf(p), []*nats.Msg{m}, func(_ uint64, err error) { done(err) })
}

func decodeTrimmed(b []byte) (uint64, error) {
	switch len(b) {
	case 0:
		return 0, nil
	case 8:
		return binary.BigEndian.Uint64(b), nil
	}
	return 0, engine.ErrStateLost
}

func (e *Engine) purge(p int, through uint64) {
	ask, err := json.Marshal(map[string]any{"filter": e.in(p), "seq": through + 1})
	if err != nil {
		panic(err)
	}
	e.call(func(*nats.Msg, error) {}, &nats.Msg{Subject: "$JS.API.STREAM.PURGE." + e.logsOf(p), Data: ask})
}
