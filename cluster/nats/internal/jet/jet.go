package jet

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Options are the settings of [Open].
type Options struct {
	// Program names the program.
	Program string
	// Partitions is the number of partitions, fixed for the life of the data.
	Partitions int
	// Replicas is how many servers have what is stored: 1, 3 or 5.
	Replicas int
	// Create makes the streams if there are none.
	Create bool
}

// Engine is an [engine.Log] over JetStream.
type Engine struct {
	names
	nc         *nats.Conn
	id         [16]byte
	partitions int
	calls      *calls
	followers  followers
}

var _ engine.Log = (*Engine)(nil)

const (
	mostOpen = 10 * time.Second     // Open waits for the server
	mostCall = 2 * time.Second      // an answer takes
	identity = "freerun-id"         // of both streams, in their metadata
	division = "freerun-partitions" // how many
	leastNew = "2.12.0"             // of servers: atomic publishing
	markers  = 24 * 4 * 3600        // seconds for which a removed entry keeps its revision
	ttl      = "Nats-TTL"
)

// Open opens the store of a program in the servers to which nc is connected. It fails with
// [engine.ErrStateLost] if there is none and Create is not set, or if a half of it is missing. It
// waits.
func Open(nc *nats.Conn, o Options) (*Engine, error) {
	names, err := newNames(o.Program)
	if err != nil {
		return nil, err
	}
	if o.Partitions < 1 {
		return nil, fmt.Errorf("nats: %d partitions; it needs at least 1", o.Partitions)
	}
	e := &Engine{names: names, nc: nc, partitions: o.Partitions}
	if err := e.checkServer(); err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), mostOpen)
	defer cancel()
	if err := e.openStreams(ctx, js, o); err != nil {
		return nil, err
	}
	if e.calls, err = newCalls(nc, mostCall); err != nil {
		return nil, err
	}
	return e, nil
}

// ID returns the identity of the store.
func (e *Engine) ID() [16]byte { return e.id }

// Close ends the engine: calls that have no answer fail with [engine.ErrClosed]. It does not close
// the connection. It waits for callbacks that are under way.
func (e *Engine) Close() {
	e.followers.close()
	e.calls.close()
}

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
		Replicas: max(o.Replicas, 1), MaxMsgs: -1, MaxBytes: -1, MaxMsgsPerSubject: -1, MaxConsumers: -1, Metadata: meta,
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
		s, err := js.Stream(ctx, name)
		switch {
		case errors.Is(err, jetstream.ErrStreamNotFound):
		case err != nil:
			return fmt.Errorf("nats: stream %s: %w", name, err)
		default:
			found[i] = s.CachedInfo()
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
	return e.identify(found)
}

// create makes the streams. If another process makes them at this time, one of the two fails.
func (e *Engine) create(ctx context.Context, js jetstream.JetStream, o Options) error {
	if _, err := rand.Read(e.id[:]); err != nil {
		return err
	}
	for _, config := range e.configs(o, hex.EncodeToString(e.id[:])) {
		if _, err := js.CreateStream(ctx, config); err != nil {
			return fmt.Errorf("nats: stream %s cannot be made: %w", config.Name, err)
		}
	}
	return nil
}

// identify holds that the two streams belong together.
func (e *Engine) identify(found [2]*jetstream.StreamInfo) error {
	var ids [2]string
	for i, info := range found {
		ids[i] = info.Config.Metadata[identity]
		if n := info.Config.Metadata[division]; n != strconv.Itoa(e.partitions) {
			return fmt.Errorf("nats: stream %s has %s partitions, and this program is to have %d; the number is fixed for the life of the data", info.Config.Name, n, e.partitions)
		}
	}
	id, err := hex.DecodeString(ids[0])
	if err != nil || len(id) != len(e.id) || ids[0] != ids[1] {
		return fmt.Errorf("%w: the streams %s and %s are not of one store: their identities are %q and %q", engine.ErrStateLost, e.logs(), e.entries(), ids[0], ids[1])
	}
	copy(e.id[:], id)
	return nil
}
