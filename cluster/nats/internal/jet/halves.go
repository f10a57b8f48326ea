package jet

import (
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Sketch:     a server that is alone commits a batch message by message, and stops in the middle
//             where the room of its storage ends: so a batch may be made by half (nats-server
//             2.15, processJetStreamAtomicBatchMsg; with replicas it is one proposal, and whole)
//             a batch that was refused for want of room, or has no answer, is looked for: if its
//             first message is there, those that are missing are stored, one after another, for as
//             long as it takes; until then the write is under way
// Invariants: A1 A write of which the first message is stored is stored whole, unless the process
//             ends before there is room, or another owner has written a record of it.
//             A2 What is stored later changes nothing that was written meanwhile: a record expects
//             its revision, and what is beside it that the first record is still that of the batch.
// Checked by: TestHalves, TestChaos

// expectedOf says for which subject the expected sequence is, if not that of the message.
const expectedOf = "Nats-Expected-Last-Subject-Sequence-Subject"

// mended is the batch of a message that was stored later.
const mended = "Freerun-Batch"

// half is a batch that may be made by half.
type half struct {
	engine   *Engine
	id       string
	stream   string
	messages []*nats.Msg
	first    uint64 // the sequence of its first message
	why      error  // with which the batch has failed
	done     func(revision uint64, err error)
	tries    int
}

// mayBeHalf reports whether a batch may have been made by half that has ended with an error.
func (e *Engine) mayBeHalf(err error) bool {
	return !e.replicated && (errors.Is(err, engine.ErrNoSpace) || errors.Is(err, engine.ErrUncertain))
}

const (
	pauseHalf = 250 * time.Millisecond
	mostLooks = 20 // for the first message, while nothing answers
)

// look looks whether the first message is stored.
func (h *half) look() {
	h.engine.lastWith(h.stream, h.messages[0].Subject, func(header nats.Header, seq uint64, err error) {
		switch h.tries++; {
		case errors.Is(err, engine.ErrUncertain) && h.tries < mostLooks:
			time.AfterFunc(pauseHalf, h.look)
		case err != nil && errors.Is(h.why, engine.ErrNoSpace): // it may be there all the same
			h.done(0, err)
		case err != nil, header.Get(batchID) != h.id:
			h.done(0, h.why)
		default:
			h.first = seq
			h.mend(1)
		}
	})
}

// mend stores what is missing of the messages from number n on.
func (h *half) mend(n int) {
	if n == len(h.messages) {
		h.done(0, engine.ErrUncertain) // it is there, in places of its own
		return
	}
	h.engine.lastWith(h.stream, h.messages[n].Subject, func(header nats.Header, _ uint64, err error) {
		switch {
		case errors.Is(err, engine.ErrUncertain):
			time.AfterFunc(pauseHalf, func() { h.mend(n) })
		case err != nil:
			h.done(0, err)
		case header.Get(batchID) == h.id, header.Get(mended) == h.id:
			h.mend(n + 1)
		default:
			h.store(n)
		}
	})
}

// store stores message number n, which is missing.
func (h *half) store(n int) {
	m := &nats.Msg{Subject: h.messages[n].Subject, Data: h.messages[n].Data, Header: nats.Header{}}
	for name, values := range h.messages[n].Header {
		if name != batchSeq && name != commit && name != batchID {
			m.Header[name] = values
		}
	}
	if m.Header.Get(expected) == "" {
		m.Header.Set(expected, strconv.FormatUint(h.first, 10))
		m.Header.Set(expectedOf, h.messages[0].Subject)
	}
	m.Header.Set(mended, h.id)
	h.engine.call(func(a *nats.Msg, err error) {
		switch _, err = decode(a, err); {
		case err == nil:
			h.mend(n + 1)
		case errors.Is(err, engine.ErrNoSpace), errors.Is(err, engine.ErrUncertain):
			time.AfterFunc(pauseHalf, func() { h.mend(n) })
		default:
			slog.Error("cluster: a server of NATS that had no room, or has stopped, has made a write by half, and it could not be completed", "entry", m.Subject, "error", err)
			h.done(0, engine.ErrUncertain)
		}
	}, m)
}
