package jet

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

const (
	identity = "freerun-id"         // of both streams, in their metadata
	division = "freerun-partitions" // how many
	leastNew = "2.12.0"             // of servers: atomic publishing
)

func (e *Engine) checkServer() error {
	var have, want [3]int
	version := e.nc.ConnectedServerVersion()
	for text, into := range map[string]*[3]int{version: &have, leastNew: &want} {
		if _, err := fmt.Sscanf(text, "%d.%d.%d", &into[0], &into[1], &into[2]); err != nil {
			return fmt.Errorf("nats: the server has version %q; it needs %s or later", version, leastNew)
		}
	}
	for i := range have {
		if have[i] != want[i] {
			if have[i] < want[i] {
				return fmt.Errorf("nats: the server has version %s; it needs %s or later", version, leastNew)
			}
			break
		}
	}
	return nil
}

// configs returns how the streams are made.
func (e *Engine) configs(o Options, id string) [2]jetstream.StreamConfig {
	meta := map[string]string{identity: id, division: strconv.Itoa(o.Partitions)}
	both := jetstream.StreamConfig{
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew, Storage: jetstream.FileStorage,
		Replicas: o.Replicas, MaxMsgs: -1, MaxBytes: -1, MaxMsgsPerSubject: -1, MaxConsumers: -1, Metadata: meta,
	}
	logs, entries := both, both
	logs.Name, logs.Subjects = e.logs(), []string{e.program + ".in.*"}
	logs.RePublish = &jetstream.RePublish{Source: e.program + ".in.*", Destination: e.program + ".log.{{wildcard(1)}}"}
	logs.AllowDirect = true
	entries.Name, entries.Subjects = e.entries(), []string{e.program + ".st.*.*.*", e.program + ".trim.*"}
	entries.MaxMsgsPerSubject, entries.Discard = 1, jetstream.DiscardOld
	entries.AllowAtomicPublish, entries.AllowMsgTTL = true, true
	return [2]jetstream.StreamConfig{logs, entries}
}

// openStreams finds the streams, or makes them.
func (e *Engine) openStreams(ctx context.Context, js jetstream.JetStream, o Options) error {
	var found [2]*jetstream.StreamInfo
	for i, name := range [2]string{e.logs(), e.entries()} {
		err := insist(ctx, func(ctx context.Context) error {
			s, err := js.Stream(ctx, name)
			if err == nil {
				found[i] = s.CachedInfo()
			}
			return err
		})
		if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("nats: stream %s: %w", name, err)
		}
	}
	switch {
	case found[0] == nil && found[1] == nil && !o.Create:
		return fmt.Errorf("%w: the server has no streams %s and %s; the first start asks for them", engine.ErrStateLost, e.logs(), e.entries())
	case found[0] == nil && found[1] == nil:
		return e.create(ctx, js, o)
	case found[0] == nil, found[1] == nil:
		return fmt.Errorf("%w: of the streams %s and %s the server has one; restore both from a backup, or delete it to begin anew", engine.ErrStateLost, e.logs(), e.entries())
	}
	return e.identify(found, o)
}

// create makes the streams. If another process makes them at this time, one of the two fails.
func (e *Engine) create(ctx context.Context, js jetstream.JetStream, o Options) error {
	if _, err := rand.Read(e.id[:]); err != nil {
		return err
	}
	e.replicated = o.Replicas > 1
	for _, config := range e.configs(o, hex.EncodeToString(e.id[:])) {
		err := insist(ctx, func(ctx context.Context) error {
			_, err := js.CreateStream(ctx, config) // the same one again is no error
			return err
		})
		if err != nil {
			return fmt.Errorf("nats: stream %s cannot be made: %w", config.Name, err)
		}
	}
	return nil
}

// identify holds that the two streams belong together.
func (e *Engine) identify(found [2]*jetstream.StreamInfo, o Options) error {
	var ids [2]string
	for i, info := range found {
		ids[i] = info.Config.Metadata[identity]
		if n := info.Config.Metadata[division]; n != strconv.Itoa(e.partitions) {
			return fmt.Errorf("nats: stream %s has %s partitions, and this program is to have %d; the number is fixed for the life of the data", info.Config.Name, n, e.partitions)
		}
		e.replicated = e.replicated || info.Config.Replicas > 1
		if n := info.Config.Replicas; n < o.Replicas {
			return fmt.Errorf("nats: stream %s is on %d servers, and this program asks for %d; nats stream edit changes it", info.Config.Name, n, o.Replicas)
		}
	}
	id, err := hex.DecodeString(ids[0])
	if err != nil || len(id) != len(e.id) || ids[0] != ids[1] {
		return fmt.Errorf("%w: the streams %s and %s are not of one store: their identities are %q and %q", engine.ErrStateLost, e.logs(), e.entries(), ids[0], ids[1])
	}
	copy(e.id[:], id)
	return nil
}

// insist asks servers until one answers for certain, or ctx ends: one that has no leader yet says
// that it cannot now, or nothing at all. What is asked may be done twice.
func insist(ctx context.Context, ask func(ctx context.Context) error) error {
	for {
		try, cancel := context.WithTimeout(ctx, mostCall)
		err := ask(try)
		cancel()
		if err == nil || !mayPass(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no server with JetStream has answered for certain; a majority of them must be up: %w", errors.Join(context.Cause(ctx), err))
		case <-time.After(mostCall / 10):
		}
	}
}

// What servers say that cannot answer now.
var passing = []jetstream.ErrorCode{
	10004, // incomplete results
	10005, // no peers: not enough servers have come yet
	10008, // JetStream is not available
	10009, // there is no leader
	10023, // insufficient resources
	10118, // the stream is offline
}

// mayPass reports whether a server may answer otherwise later.
func mayPass(err error) bool {
	var said *jetstream.APIError
	if errors.As(err, &said) {
		return slices.Contains(passing, said.ErrorCode)
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrNoResponders) || errors.Is(err, nats.ErrTimeout)
}
