package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// rawPairs is the limit of what is logged: for each call an entry of a log, and then a record by
// compare-and-set, and nothing else. One process writes them, and none has units.
var rawPairs = variant{
	name: "nats-pairs", server: true,
	promises: "the writes that a logged call has, and no call",
	caller:   newPairs,
}

// pairs writes pairs.
type pairs struct {
	nc        *nats.Conn
	logs      jetstream.Stream
	inbox     string
	revisions [units]uint64

	mu   sync.Mutex
	last uint64
	open map[string]func(m *nats.Msg)
}

func newPairs(p place) (*caller, error) {
	nc, err := nats.Connect(p.URL)
	if err != nil {
		return nil, err
	}
	w := &pairs{nc: nc, inbox: nc.NewInbox() + ".", open: map[string]func(*nats.Msg){}}
	if err := w.begin(); err != nil {
		nc.Close()
		return nil, err
	}
	return &caller{
		call:  func(unit int) (int64, error) { return w.send(unit)() },
		send:  w.send,
		total: w.total,
		stop:  nc.Close,
	}, nil
}

// begin makes the streams, as freerun has them.
func (w *pairs) begin() error {
	js, err := jetstream.New(w.nc)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), mostCall)
	defer cancel()
	w.logs, err = js.CreateStream(ctx, jetstream.StreamConfig{
		Name: "pairs-in", Subjects: []string{"pairs.in.*"}, Storage: jetstream.FileStorage, Discard: jetstream.DiscardNew,
		RePublish: &jetstream.RePublish{Source: "pairs.in.*", Destination: "pairs.log.{{wildcard(1)}}"},
	})
	if err != nil {
		return err
	}
	_, err = js.CreateStream(ctx, jetstream.StreamConfig{
		Name: "pairs-st", Subjects: []string{"pairs.st.>"}, Storage: jetstream.FileStorage, MaxMsgsPerSubject: 1, AllowAtomicPublish: true, AllowMsgTTL: true,
	})
	if err != nil {
		return err
	}
	s, err := w.nc.Subscribe(w.inbox+"*", w.answered)
	if err != nil {
		return err
	}
	return s.SetPendingLimits(-1, -1)
}

// ask publishes a message, and has done called with the answer.
func (w *pairs) ask(m *nats.Msg, done func(m *nats.Msg)) {
	w.mu.Lock()
	w.last++
	number := strconv.FormatUint(w.last, 36)
	w.open[number] = done
	m.Reply = w.inbox + number
	err := w.nc.PublishMsg(m)
	w.mu.Unlock()
	if err != nil {
		panic(fmt.Sprintf("machines: %v", err)) // the connection has ended
	}
}

func (w *pairs) answered(m *nats.Msg) {
	number := strings.TrimPrefix(m.Subject, w.inbox)
	w.mu.Lock()
	done := w.open[number]
	delete(w.open, number)
	w.mu.Unlock()
	if done != nil {
		done(m)
	}
}

// outcome is that of a pair.
type outcome struct {
	revision uint64
	err      error
}

// send writes a pair. One pair of a unit is under way at a time.
func (w *pairs) send(unit int) (wait func() (int64, error)) {
	ended := make(chan outcome, 1)
	entry := &nats.Msg{Subject: "pairs.in." + strconv.Itoa(unit%64), Data: []byte(pad)}
	w.ask(entry, func(m *nats.Msg) {
		if _, err := sequence(m); err != nil {
			ended <- outcome{err: err}
			return
		}
		record := &nats.Msg{Subject: fmt.Sprint("pairs.st.", unit%64, ".unit.", unit), Data: []byte(pad), Header: nats.Header{}}
		record.Header.Set("Nats-Expected-Last-Subject-Sequence", strconv.FormatUint(w.revisions[unit], 10))
		w.ask(record, func(m *nats.Msg) {
			revision, err := sequence(m)
			if err == nil {
				w.revisions[unit] = revision
			}
			ended <- outcome{revision, err}
		})
	})
	return func() (int64, error) {
		select {
		case o := <-ended:
			return int64(o.revision), o.err
		case <-time.After(mostCall):
			return 0, errors.New("a pair has no answer")
		}
	}
}

// sequence returns what a write was given.
func sequence(m *nats.Msg) (uint64, error) {
	var ack struct {
		Seq   uint64
		Error *jetstream.APIError
	}
	if err := json.Unmarshal(m.Data, &ack); err != nil {
		return 0, err
	}
	if ack.Error != nil {
		return 0, ack.Error
	}
	return ack.Seq, nil
}

// total returns how many entries the log has: each has a record, or its call has failed.
func (w *pairs) total() (int64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), mostCall)
	defer cancel()
	info, err := w.logs.Info(ctx)
	if err != nil {
		return 0, err
	}
	return int64(info.State.Msgs), nil
}
