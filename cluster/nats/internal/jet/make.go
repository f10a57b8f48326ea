package jet

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"

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

// makeStreams makes the streams, both or none.
func (e *Engine) makeStreams(ctx context.Context, js jetstream.JetStream, o Options) error {
	for _, name := range []string{e.logs(), e.entries()} {
		switch there, err := e.find(ctx, js, name); {
		case err != nil:
			return err
		case there != nil && there.Config.Metadata[copying] != "":
			return fmt.Errorf("%w: the streams %s and %s have a part of a copy, which has not ended; unless one is under way, delete both, and copy again", ErrMismatch, e.logs(), e.entries())
		case there != nil:
			return fmt.Errorf("%w: the server has a stream %s; a copy makes it: give the program another name, or delete both %s and %s", ErrMismatch, name, e.logs(), e.entries())
		}
	}
	_, _ = rand.Read(e.id[:]) // it never fails
	e.replicated = o.Replicas > 1
	logs, entries := e.configs(hex.EncodeToString(e.id[:]), o.Replicas)
	logs.Metadata[copying] = "yes"
	for _, config := range []jetstream.StreamConfig{logs, entries} {
		info, err := e.make(ctx, js, config)
		if err == nil && !maps.Equal(marks(info.Config.Metadata), marks(config.Metadata)) {
			return fmt.Errorf("%w: another program has made the stream %s meanwhile", ErrMismatch, config.Name)
		}
		if err != nil {
			return errors.Join(err, e.Remove(ctx))
		}
	}
	return nil
}

// marks returns what is in the metadata of a stream beside what the server adds.
func marks(metadata map[string]string) map[string]string {
	ours := map[string]string{}
	for _, key := range []string{identity, division, whole, copying} {
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
	logs, err := e.find(ctx, js, e.logs())
	if err != nil {
		return err
	}
	if logs == nil || logs.Config.Metadata[identity] != hex.EncodeToString(e.id[:]) {
		return fmt.Errorf("%w: another program has removed the stream %s meanwhile", ErrMismatch, e.logs())
	}
	config, _ := e.configs(logs.Config.Metadata[identity], logs.Config.Replicas)
	config.Metadata[whole] = "yes"
	return e.insist(ctx, func(ctx context.Context) error {
		_, err := js.UpdateStream(ctx, config)
		return err
	})
}

// Remove removes the streams that [Make] has made.
func (e *Engine) Remove(ctx context.Context) error {
	js, err := jetstream.New(e.nc)
	if err != nil {
		return err
	}
	for _, name := range []string{e.entries(), e.logs()} { // the mark last
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

// Moment is how far both streams have come: each message that is stored moves it.
type Moment struct{ Logs, Entries uint64 }

// Moment returns how far the streams have come. It waits.
func (e *Engine) Moment(ctx context.Context) (m Moment, err error) {
	js, err := jetstream.New(e.nc)
	if err != nil {
		return m, err
	}
	for name, at := range map[string]*uint64{e.logs(): &m.Logs, e.entries(): &m.Entries} {
		info, err := e.find(ctx, js, name)
		if err != nil {
			return m, err
		}
		if info != nil {
			*at = info.State.LastSeq
		}
	}
	return m, nil
}
