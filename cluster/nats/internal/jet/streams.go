package jet

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Sketch:     the stream of the logs is made first, with a new identity; who finds that another
//             process has just made it takes that one
//             then that of the entries, with the same identity
//             then the first is marked as whole, and only then is anything stored
//             so of a store that is marked, both streams must be there; of one that is not, the
//             process that was making it has ended, or is on its way: another one goes on
// Invariants: M1 A stream is made only if Create is set, and never where the mark is.

const (
	identity = "freerun-id"         // of both streams, in their metadata
	division = "freerun-partitions" // how many
	whole    = "freerun-whole"      // of the stream of the logs: both were made
	copying  = "freerun-copying"    // of the stream of the logs: a copy is made (make.go)
	leastNew = "2.12.0"             // of servers: atomic publishing
)

func (e *Engine) checkServer() error {
	var have, want [3]int
	version := e.nc.ConnectedServerVersion()
	for text, into := range map[string]*[3]int{version: &have, leastNew: &want} {
		if _, err := fmt.Sscanf(text, "%d.%d.%d", &into[0], &into[1], &into[2]); err != nil {
			return fmt.Errorf("%w: it has version %q; it needs %s or later", ErrTooOld, version, leastNew)
		}
	}
	if slices.Compare(have[:], want[:]) < 0 {
		return fmt.Errorf("%w: it has version %s; it needs %s or later", ErrTooOld, version, leastNew)
	}
	return nil
}

// configs returns how the streams are made.
func (e *Engine) configs(id string, replicas int) (logs, entries jetstream.StreamConfig) {
	both := jetstream.StreamConfig{
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew, Storage: jetstream.FileStorage,
		Replicas: replicas, MaxMsgs: -1, MaxBytes: -1, MaxMsgsPerSubject: -1, MaxConsumers: -1,
	}
	logs, entries = both, both
	logs.Metadata = map[string]string{identity: id, division: strconv.Itoa(e.partitions)}
	entries.Metadata = maps.Clone(logs.Metadata)
	logs.Name, logs.Subjects = e.logs(), []string{e.program + ".in.*"}
	logs.RePublish = &jetstream.RePublish{Source: e.program + ".in.*", Destination: e.program + ".log.{{wildcard(1)}}"}
	logs.AllowDirect = true
	entries.Name, entries.Subjects = e.entries(), []string{e.program + ".st.*.*.*", e.program + ".trim.*"}
	entries.MaxMsgsPerSubject, entries.Discard = 1, jetstream.DiscardOld
	entries.AllowAtomicPublish, entries.AllowMsgTTL = true, true
	return logs, entries
}

// openStreams finds the streams, or makes them.
func (e *Engine) openStreams(ctx context.Context, js jetstream.JetStream, o Options) error {
	// In this order: with entries, there are logs, or were.
	entries, err := e.find(ctx, js, e.entries())
	if err != nil {
		return err
	}
	logs, err := e.find(ctx, js, e.logs())
	if err != nil {
		return err
	}
	half := fmt.Errorf("%w: of the streams %s and %s the server has one; restore both from a backup, or delete it to begin anew", engine.ErrStateLost, e.logs(), e.entries())
	switch {
	case logs == nil && entries != nil:
		return half
	case logs == nil && !o.Create:
		return fmt.Errorf("%w: the servers have no streams %s and %s, as those of a program with this name; the first start asks for them, with Create", engine.ErrStateLost, e.logs(), e.entries())
	case logs == nil:
		if logs, err = e.makeLogs(ctx, js, o); err != nil {
			return err
		}
	}
	if err := e.identify(logs, o); err != nil {
		return err
	}
	switch isWhole := logs.Config.Metadata[whole] != ""; {
	case isWhole && entries == nil: // it may have been made since
		if entries, err = e.find(ctx, js, e.entries()); err == nil && entries == nil {
			err = half
		}
	case !isWhole && !o.Create:
		return fmt.Errorf("%w: the streams %s and %s were not made to their end; a start that asks for them goes on with that", engine.ErrStateLost, e.logs(), e.entries())
	case !isWhole:
		entries, err = e.makeWhole(ctx, js, logs)
	}
	if err != nil {
		return err
	}
	return e.pair(logs, entries)
}

// find returns a stream; nil if there is none of its name.
func (e *Engine) find(ctx context.Context, js jetstream.JetStream, name string) (info *jetstream.StreamInfo, err error) {
	err = e.insist(ctx, func(ctx context.Context) error {
		s, err := js.Stream(ctx, name)
		if err == nil {
			info = s.CachedInfo()
		}
		return err
	})
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("nats: stream %s: %w", name, err)
	}
	return info, nil
}

// makeLogs makes the stream of the logs, or returns that of another process that has just made it.
func (e *Engine) makeLogs(ctx context.Context, js jetstream.JetStream, o Options) (*jetstream.StreamInfo, error) {
	var id [16]byte
	_, _ = rand.Read(id[:]) // it never fails
	logs, _ := e.configs(hex.EncodeToString(id[:]), o.Replicas)
	return e.make(ctx, js, logs)
}

// makeWhole makes the stream of the entries, unless it is there, and marks that of the logs.
func (e *Engine) makeWhole(ctx context.Context, js jetstream.JetStream, made *jetstream.StreamInfo) (*jetstream.StreamInfo, error) {
	logs, entries := e.configs(made.Config.Metadata[identity], made.Config.Replicas)
	info, err := e.make(ctx, js, entries)
	if err != nil {
		return nil, err
	}
	logs.Metadata[whole] = "yes"
	err = e.insist(ctx, func(ctx context.Context) error {
		_, err := js.UpdateStream(ctx, logs) // the same again is no error
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("nats: stream %s cannot be marked: %w", logs.Name, err)
	}
	return info, nil
}

// make makes a stream, or returns the one of its name that is there.
func (e *Engine) make(ctx context.Context, js jetstream.JetStream, config jetstream.StreamConfig) (info *jetstream.StreamInfo, err error) {
	err = e.insist(ctx, func(ctx context.Context) error {
		s, err := js.CreateStream(ctx, config) // the same one again is no error
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			if s, err = js.Stream(ctx, config.Name); errors.Is(err, jetstream.ErrStreamNotFound) {
				return errBetween
			}
		}
		if err == nil {
			info = s.CachedInfo()
		}
		return err
	})
	if err != nil {
		if config.Replicas > 1 {
			return nil, fmt.Errorf("nats: stream %s cannot be made on %d servers, which must be one cluster: %w", config.Name, config.Replicas, err)
		}
		return nil, fmt.Errorf("nats: stream %s cannot be made: %w", config.Name, err)
	}
	return info, nil
}

// identify holds that the stream of the logs is as the program asks.
func (e *Engine) identify(logs *jetstream.StreamInfo, o Options) error {
	name := logs.Config.Name
	id, err := hex.DecodeString(logs.Config.Metadata[identity])
	if err != nil || len(id) != len(e.id) {
		return fmt.Errorf("%w: stream %s was not made by freerun; give the program another name", ErrMismatch, name)
	}
	if logs.Config.Metadata[copying] != "" {
		return fmt.Errorf("%w: the streams %s and %s have a part of a copy, which has not ended; delete both, and copy again", engine.ErrStateLost, name, e.entries())
	}
	if n, err := strconv.Atoi(logs.Config.Metadata[division]); err == nil && n > 0 && o.Partitions == 0 {
		e.partitions = n
	}
	if n := logs.Config.Metadata[division]; n != strconv.Itoa(e.partitions) {
		return fmt.Errorf("%w: stream %s has %s partitions, and this program is to have %d: give it the option Partitions; the number is fixed for the life of the data", ErrMismatch, name, n, e.partitions)
	}
	if n := logs.Config.Replicas; n < o.Replicas {
		return fmt.Errorf("%w: stream %s is on %d servers, and this program asks for %d; nats stream edit changes it", ErrMismatch, name, n, o.Replicas)
	}
	copy(e.id[:], id)
	return nil
}

// pair holds that the two streams belong together.
func (e *Engine) pair(logs, entries *jetstream.StreamInfo) error {
	ids := [2]string{logs.Config.Metadata[identity], entries.Config.Metadata[identity]}
	if ids[0] != ids[1] {
		return fmt.Errorf("%w: the streams %s and %s are not of one store: their identities are %q and %q", engine.ErrStateLost, e.logs(), e.entries(), ids[0], ids[1])
	}
	e.replicated = logs.Config.Replicas > 1 || entries.Config.Replicas > 1
	return nil
}

// insist asks servers until one answers for certain, or ctx ends: one that has no leader yet says
// that it cannot now, or nothing at all. What is asked may be done twice.
func (e *Engine) insist(ctx context.Context, ask func(ctx context.Context) error) error {
	for {
		try, cancel := context.WithTimeout(ctx, mostCall)
		err := ask(try)
		cancel()
		switch {
		case err == nil:
			return nil
		case errors.Is(context.Cause(ctx), ErrPermission):
			return context.Cause(ctx)
		case e.hasNoJetStream(err):
			return fmt.Errorf("%w: %w; start it with JetStream, or use an account that has it", ErrNoJetStream, err)
		case !mayPass(err):
			return err
		}
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), ErrPermission) {
				return context.Cause(ctx)
			}
			return fmt.Errorf("%w: no server with JetStream has answered for certain; a majority of them must be up: %w", ErrNoServer, errors.Join(context.Cause(ctx), err))
		case <-time.After(mostCall / 10):
		}
	}
}

// hasNoJetStream reports whether there is no JetStream: a server that is alone and has none has
// nobody who would answer.
func (e *Engine) hasNoJetStream(err error) bool {
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		return true
	}
	has, _ := e.nc.ConnectedServerJetStream()
	return errors.Is(err, nats.ErrNoResponders) && !has && e.nc.IsConnected() && e.nc.ConnectedClusterName() == ""
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

// errBetween says that a stream that another process is making is not there yet.
var errBetween = errors.New("another process is making the stream")

// mayPass reports whether a server may answer otherwise later.
func mayPass(err error) bool {
	var said *jetstream.APIError
	if errors.As(err, &said) {
		return slices.Contains(passing, said.ErrorCode)
	}
	return slices.ContainsFunc([]error{context.DeadlineExceeded, nats.ErrNoResponders, nats.ErrTimeout, errBetween}, func(may error) bool { return errors.Is(err, may) })
}
