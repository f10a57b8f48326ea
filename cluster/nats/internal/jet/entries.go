package jet

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

const (
	expected = "Nats-Expected-Last-Subject-Sequence"
	removed  = "Freerun-Removed" // marks an entry that is not there any more
	batchID  = "Nats-Batch-Id"
	batchSeq = "Nats-Batch-Sequence"
	commit   = "Nats-Batch-Commit"
	ttl      = "Nats-TTL"
	markers  = 24 * 4 * 3600 // seconds for which a removed entry keeps its revision
)

// Codes of errors of the server.
const (
	wrongSequence = 10071
	notSettled    = 10164 // a write of the entry is on its way to the other servers
	noMessage     = 10037
	noStream      = 10059
	noResources   = 10023 // the room of all streams is used up
	noStorage     = 10047 // resources exceeded
	noStorageLeft = 10077 // the stream's maximum of bytes
)

// answer is the answer of the server to a message that was stored, or a question.
type answer struct {
	Error   *answerError `json:"error"`
	Seq     uint64       `json:"seq"`
	Message *struct {
		Seq     uint64 `json:"seq"`
		Data    []byte `json:"data"`
		Headers []byte `json:"hdrs"`
	} `json:"message"`
}

type answerError struct {
	Code        int    `json:"err_code"`
	Description string `json:"description"`
}

// decode reads an answer. What the server does not say for certain is uncertain.
func decode(m *nats.Msg, err error) (a answer, _ error) {
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(m.Data, &a); err != nil {
		return a, fmt.Errorf("%w: the server's answer: %w", engine.ErrUncertain, err)
	}
	if a.Error == nil {
		return a, nil
	}
	switch a.Error.Code {
	case wrongSequence, notSettled:
		return a, engine.ErrConflict
	case noResources, noStorage, noStorageLeft:
		return a, fmt.Errorf("%w: %s", engine.ErrNoSpace, a.Error.Description)
	}
	return a, fmt.Errorf("%w: the server says: %s (%d)", engine.ErrUncertain, a.Error.Description, a.Error.Code)
}

// Swap implements [engine.Log].
func (e *Engine) Swap(p int, writes []engine.Write, revision uint64, done func(revision uint64, err error)) {
	messages := e.messages(p, writes)
	messages[0].Header.Set(expected, strconv.FormatUint(revision, 10))
	e.store(e.entriesOf(p), messages, done)
}

// SwapAll implements [engine.Log].
func (e *Engine) SwapAll(p int, writes []engine.Write, revisions []uint64, done func(first uint64, err error)) {
	messages := e.messages(p, writes)
	for i, revision := range revisions {
		messages[i].Header.Set(expected, strconv.FormatUint(revision, 10))
	}
	e.store(e.entriesOf(p), messages, done)
}

// messages returns writes as they are stored.
func (e *Engine) messages(p int, writes []engine.Write) []*nats.Msg {
	messages := make([]*nats.Msg, len(writes))
	for i, w := range writes {
		m := &nats.Msg{Subject: e.entry(p, w.Key), Data: w.Value, Header: nats.Header{}}
		if w.Value == nil {
			// A removed entry keeps a revision for a while, so that no write of before takes it
			// for one that never was.
			m.Header.Set(removed, "1")
			m.Header.Set(ttl, strconv.Itoa(markers)+"s")
		}
		messages[i] = m
	}
	return messages
}

// store stores messages in a stream, all or none, and tells the revision of the first.
func (e *Engine) store(stream string, messages []*nats.Msg, done func(revision uint64, err error)) {
	if len(messages) == 1 {
		e.write(stream, noLog, messages, done)
		return
	}
	id := nats.NewInbox()[len(nats.InboxPrefix):]
	for i, m := range messages {
		m.Header.Set(batchID, id)
		m.Header.Set(batchSeq, strconv.Itoa(i+1))
	}
	messages[len(messages)-1].Header.Set(commit, "1")
	e.write(stream, noLog, messages, func(first uint64, err error) {
		if e.mayBeHalf(err) {
			(&half{engine: e, id: id, stream: stream, messages: messages, why: err, done: done}).look()
			return
		}
		done(first, err)
	})
}

// Read implements [engine.Log].
func (e *Engine) Read(p int, key []byte, done func(value []byte, revision uint64, err error)) {
	e.read(p, e.entry(p, key), done)
}

// Last tells the sequence number of the last entry of a log; 0 if it has none.
func (e *Engine) Last(p int, done func(seq uint64, err error)) {
	e.last(e.logsOf(p), e.in(p), func(_ []byte, seq uint64, err error) { done(seq, err) })
}

// read reads the last message of a subject beside the entries of a partition, or of one of them.
func (e *Engine) read(p int, subject string, done func(value []byte, revision uint64, err error)) {
	e.last(e.entriesOf(p), subject, done)
}

// last reads the last message of a subject, from the leader of the stream.
func (e *Engine) last(stream, subject string, done func(value []byte, revision uint64, err error)) {
	e.lastOf(stream, subject, func(_ nats.Header, value []byte, revision uint64, err error) { done(value, revision, err) })
}

// lastWith reads the headers of the last message of a subject; none without one.
func (e *Engine) lastWith(stream, subject string, done func(header nats.Header, revision uint64, err error)) {
	e.lastOf(stream, subject, func(header nats.Header, _ []byte, revision uint64, err error) { done(header, revision, err) })
}

func (e *Engine) lastOf(stream, subject string, done func(header nats.Header, value []byte, revision uint64, err error)) {
	ask := &nats.Msg{Subject: "$JS.API.STREAM.MSG.GET." + stream, Data: fmt.Appendf(nil, `{"last_by_subj":%q}`, subject)}
	e.call(func(m *nats.Msg, err error) {
		a, err := decode(m, err)
		if a.Error != nil && a.Error.Code == noStream {
			e.look()
		}
		switch {
		case a.Error != nil && a.Error.Code == noMessage:
			done(nil, nil, 0, nil)
		case err != nil:
			done(nil, nil, 0, err)
		case a.Message == nil:
			done(nil, nil, 0, fmt.Errorf("%w: the server's answer has no message", engine.ErrUncertain))
		default:
			e.losses.streams[stream].hear(a.Message.Seq)
			header, err := nats.DecodeHeadersMsg(a.Message.Headers)
			if len(a.Message.Headers) > 0 && err != nil {
				done(nil, nil, 0, fmt.Errorf("%w: the headers of %s: %w", engine.ErrStateLost, subject, err))
				return
			}
			value := a.Message.Data
			if header.Get(removed) != "" {
				value = nil
			} else if value == nil {
				value = []byte{}
			}
			done(header, value, a.Message.Seq, nil)
		}
	}, ask)
}
