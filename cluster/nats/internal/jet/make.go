package jet

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Sketch:     streams that are to have a copy are made with a mark, with which nobody opens them
//             the mark goes in the call that marks them as whole, once all is stored
// Invariants: M2 Who opens a store finds no part of a copy.

// Make makes the store of a program for a copy: it is not opened before [Engine.Finish]. It fails
// with [ErrMismatch] if there is one, or the half of one, and as [Open] does.
func Make(ctx context.Context, nc *nats.Conn, o Options) (*Engine, error) {
	o.Create = true
	return openWith(ctx, nc, o, (*Engine).makeStreams)
}

// makeStreams makes the streams, all or none.
func (e *Engine) makeStreams(ctx context.Context, js jetstream.JetStream, o Options) error {
	for _, name := range e.streams() {
		switch there, err := e.find(ctx, js, name); {
		case err != nil:
			return err
		case there != nil && there.Config.Metadata[copying] != "":
			return fmt.Errorf("%w: the streams %s have a part of a copy, which has not ended; unless one is under way, delete them, and copy again", ErrMismatch, e.listed())
		case there != nil:
			return fmt.Errorf("%w: the server has a stream %s already, and a copy makes its streams: give the program another name there (-as), or delete %s", ErrMismatch, name, e.listed())
		}
	}
	_, _ = rand.Read(e.id[:]) // it never fails
	e.replicated = o.Replicas > 1
	configs := e.configs(hex.EncodeToString(e.id[:]), o.Replicas)
	configs[0].Metadata[copying] = "yes"
	for _, config := range configs {
		info, err := e.make(ctx, js, config)
		if err == nil && !maps.Equal(marksIn(info.Config.Metadata), marksIn(config.Metadata)) {
			return fmt.Errorf("%w: another program has made the stream %s meanwhile", ErrMismatch, config.Name)
		}
		if err != nil {
			return errors.Join(err, e.Remove(ctx))
		}
	}
	return nil
}

// marksIn returns what is in the metadata of a stream beside what the server adds.
func marksIn(metadata map[string]string) map[string]string {
	ours := map[string]string{}
	for _, key := range []string{identity, division, pairing, whole, copying} {
		ours[key] = metadata[key]
	}
	return ours
}

// Finish marks the store that [Make] has made as whole.
func (e *Engine) Finish(ctx context.Context) error {
	js, err := jetstream.New(e.nc)
	if err != nil {
		return err
	}
	first, err := e.find(ctx, js, e.logs(0))
	if err != nil {
		return err
	}
	if first == nil || first.Config.Metadata[identity] != hex.EncodeToString(e.id[:]) {
		return fmt.Errorf("%w: another program has removed the stream %s meanwhile", ErrMismatch, e.logs(0))
	}
	return e.marks(ctx, js, first)
}

// Remove removes the streams that [Make] has made.
func (e *Engine) Remove(ctx context.Context) error {
	js, err := jetstream.New(e.nc)
	if err != nil {
		return err
	}
	for _, name := range slices.Backward(e.streams()) { // the mark last
		there, err := e.find(ctx, js, name)
		if err == nil && there != nil && there.Config.Metadata[identity] == hex.EncodeToString(e.id[:]) {
			err = e.insist(ctx, func(ctx context.Context) error {
				if err := js.DeleteStream(ctx, name); !errors.Is(err, jetstream.ErrStreamNotFound) {
					return err
				}
				return nil
			})
		}
		if err != nil {
			return fmt.Errorf("nats: stream %s, which has a part of a copy, was not deleted: %w", name, err)
		}
	}
	return nil
}

// Moment is how far the streams have come, those of logs and those of entries: each message that is
// stored moves it.
type Moment struct{ Logs, Entries uint64 }

// Moment returns how far the streams have come. It waits.
func (e *Engine) Moment(ctx context.Context) (m Moment, err error) {
	js, err := jetstream.New(e.nc)
	if err != nil {
		return m, err
	}
	for pair := range e.pairs {
		for name, at := range map[string]*uint64{e.logs(pair): &m.Logs, e.entries(pair): &m.Entries} {
			info, err := e.find(ctx, js, name)
			if err != nil {
				return m, err
			}
			if info != nil {
				*at += info.State.LastSeq
			}
		}
	}
	return m, nil
}
