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
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Sketch:     the first of the streams is made first, with a new identity; who finds that another
//             process has just made it takes that one
//             then the others, with the same identity
//             then the first is marked as whole, and only then is anything stored
//             so of a store that is marked, all streams must be there; of one that is not, the
//             process that was making it has ended, or is on its way: another one goes on
// Invariants: M1 A stream is made only if Create is set, and never where the mark is.

const (
	identity = "freerun-id"         // of all streams, in their metadata
	division = "freerun-partitions" // how many
	pairing  = "freerun-pairs"      // how many pairs of streams
	whole    = "freerun-whole"      // of the first stream: all were made
	copying  = "freerun-copying"    // of the first stream: a copy is made (make.go)
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

// configs returns how the streams are made, in the order of their names.
func (e *Engine) configs(id string, replicas int) (all []jetstream.StreamConfig) {
	both := jetstream.StreamConfig{
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew, Storage: jetstream.FileStorage,
		Replicas: replicas, MaxMsgs: -1, MaxBytes: -1, MaxMsgsPerSubject: -1, MaxConsumers: -1,
	}
	for pair := range e.pairs {
		logs, entries := both, both
		logs.Metadata = map[string]string{identity: id, division: strconv.Itoa(e.partitions), pairing: strconv.Itoa(e.pairs)}
		entries.Metadata = maps.Clone(logs.Metadata)
		logs.Name, logs.Subjects = e.logs(pair), []string{e.pattern("in", pair, 1)}
		logs.RePublish = &jetstream.RePublish{Source: logs.Subjects[0], Destination: e.program + ".log.{{wildcard(1)}}"}
		logs.AllowDirect = true
		entries.Name, entries.Subjects = e.entries(pair), []string{e.pattern("st", pair, 3), e.pattern("trim", pair, 1)}
		entries.MaxMsgsPerSubject, entries.Discard = 1, jetstream.DiscardOld
		entries.AllowAtomicPublish, entries.AllowMsgTTL = true, true
		all = append(all, logs, entries)
	}
	return all
}

// listed names all streams, for people.
func (e *Engine) listed() string { return strings.Join(e.streams(), ", ") }

// openStreams finds the streams, or makes them.
func (e *Engine) openStreams(ctx context.Context, js jetstream.JetStream, o Options) error {
	first, err := e.first(ctx, js, o)
	if err != nil {
		return err
	}
	if err := e.identify(first, o); err != nil {
		return err
	}
	isWhole := first.Config.Metadata[whole] != ""
	if !isWhole && !o.Create {
		return fmt.Errorf("%w: the streams %s were not made to their end; a start that asks for them goes on with that", engine.ErrStateLost, e.listed())
	}
	e.replicated = first.Config.Replicas > 1
	for _, config := range e.configs(first.Config.Metadata[identity], first.Config.Replicas)[1:] {
		other := (*jetstream.StreamInfo)(nil)
		if isWhole {
			other, err = e.find(ctx, js, config.Name)
		} else {
			other, err = e.make(ctx, js, config)
		}
		if err == nil {
			err = e.belongs(first, other, config.Name)
		}
		if err != nil {
			return err
		}
		e.replicated = e.replicated || other.Config.Replicas > 1
	}
	if !isWhole {
		return e.marks(ctx, js, first)
	}
	return nil
}

// first returns the first of the streams. It makes it if there are none, and if it may.
func (e *Engine) first(ctx context.Context, js jetstream.JetStream, o Options) (*jetstream.StreamInfo, error) {
	names := e.streams()
	first, err := e.find(ctx, js, names[0])
	if first != nil || err != nil {
		return first, err
	}
	for _, name := range names[1:] {
		other, err := e.find(ctx, js, name)
		if err != nil {
			return nil, err
		}
		if other != nil { // the first one was made before it, maybe since
			if first, err = e.find(ctx, js, names[0]); first == nil && err == nil {
				err = e.isPart(names[0])
			}
			return first, err
		}
	}
	if !o.Create {
		return nil, fmt.Errorf("%w: the servers have no streams %s, as those of a program with this name; the first start asks for them, with the option Create", engine.ErrStateLost, e.listed())
	}
	var id [16]byte
	_, _ = rand.Read(id[:]) // it never fails
	return e.make(ctx, js, e.configs(hex.EncodeToString(id[:]), o.Replicas)[0])
}

// isPart returns the error of streams of which one is not there.
func (e *Engine) isPart(missing string) error {
	return fmt.Errorf("%w: of the streams %s the servers have a part, and not %s; restore all of them from a backup, or delete them to begin anew", engine.ErrStateLost, e.listed(), missing)
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

// marks marks the first stream: all of them are there.
func (e *Engine) marks(ctx context.Context, js jetstream.JetStream, first *jetstream.StreamInfo) error {
	config := e.configs(first.Config.Metadata[identity], first.Config.Replicas)[0]
	config.Metadata[whole] = "yes"
	err := e.insist(ctx, func(ctx context.Context) error {
		_, err := js.UpdateStream(ctx, config) // the same again is no error
		return err
	})
	if err != nil {
		return fmt.Errorf("nats: stream %s cannot be marked: %w", config.Name, err)
	}
	return nil
}

// make makes a stream, or returns the one of its name that is there. A server whose last stream was
// deleted a moment ago removes the folder of streams while it answers others, and has none for this
// one then: it is asked again a few times.
func (e *Engine) make(ctx context.Context, js jetstream.JetStream, config jetstream.StreamConfig) (info *jetstream.StreamInfo, err error) {
	folderless := 0
	err = e.insist(ctx, func(ctx context.Context) error {
		s, err := js.CreateStream(ctx, config) // the same one again is no error
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			if s, err = js.Stream(ctx, config.Name); errors.Is(err, jetstream.ErrStreamNotFound) {
				return errBetween
			}
		}
		if hasNoFolder(err) && folderless < mostFolderless {
			folderless++
			return errBetween
		}
		if err == nil {
			info = s.CachedInfo()
		}
		return err
	})
	if err != nil {
		if config.Replicas > 1 {
			return nil, fmt.Errorf("nats: stream %s cannot be made on %d servers: that takes as many with JetStream in one cluster, and one server takes the option Create with 1: %w", config.Name, config.Replicas, err)
		}
		return nil, fmt.Errorf("nats: stream %s cannot be made: %w", config.Name, err)
	}
	return info, nil
}

// identify holds that the first stream is as the program asks.
func (e *Engine) identify(first *jetstream.StreamInfo, o Options) error {
	name, metadata := first.Config.Name, first.Config.Metadata
	id, err := hex.DecodeString(metadata[identity])
	if err != nil || len(id) != len(e.id) {
		return fmt.Errorf("%w: stream %s was not made by freerun; give the program another name", ErrMismatch, name)
	}
	if err := isFixed(name, metadata[division], "partitions", "Partitions", o.Partitions, &e.partitions); err != nil {
		return err
	}
	if err := isFixed(name, metadata[pairing], "pairs of streams", "Pairs", o.Pairs, &e.pairs); err != nil {
		return err
	}
	if metadata[copying] != "" {
		return fmt.Errorf("%w: the streams %s have a part of a copy, which has not ended; delete them, and copy again", engine.ErrStateLost, e.listed())
	}
	if n := first.Config.Replicas; n < o.Replicas {
		return fmt.Errorf("%w: stream %s is on %d servers, and this program asks for %d: give the option Create no more than there are, or have nats stream edit change that", ErrMismatch, name, n, o.Replicas)
	}
	copy(e.id[:], id)
	return nil
}

// isFixed holds that a number that is fixed with the store is the one that is asked for; 0 asks for
// the one that there is.
func isFixed(stream, there, what, option string, asked int, into *int) error {
	n, err := strconv.Atoi(there)
	switch {
	case err != nil || n < 1:
		return fmt.Errorf("%w: stream %s does not say how many %s there are, but %q; give the program another name", ErrMismatch, stream, what, there)
	case asked != 0 && asked != n:
		return fmt.Errorf("%w: stream %s has %d %s, and this program is to have %d: give it the option %s; the number is fixed for the life of the data", ErrMismatch, stream, n, what, asked, option)
	}
	*into = n
	return nil
}

// belongs holds that a stream is there, and of the same store as the first one.
func (e *Engine) belongs(first, other *jetstream.StreamInfo, name string) error {
	if other == nil {
		return e.isPart(name)
	}
	ids := [2]string{first.Config.Metadata[identity], other.Config.Metadata[identity]}
	if ids[0] != ids[1] {
		return fmt.Errorf("%w: the streams %s and %s are not of one store: their identities are %q and %q", engine.ErrStateLost, first.Config.Name, name, ids[0], ids[1])
	}
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
			return fmt.Errorf("%w: no server with JetStream has answered for certain; a majority of them must be up, and all that are to have the streams when these are made: %w", ErrNoServer, errors.Join(context.Cause(ctx), err))
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

// mostFolderless is how often a stream is asked for again for which a server has no folder: it may
// have no room as well, which it says in the same words.
const mostFolderless = 3

// hasNoFolder reports whether a server could not make the files of a stream.
func hasNoFolder(err error) bool {
	var said *jetstream.APIError
	return errors.As(err, &said) && said.ErrorCode == 10049
}

// errBetween says that a stream is not there yet: another process is making it, or its folder was
// just removed.
var errBetween = errors.New("the stream is about to be made")

// mayPass reports whether a server may answer otherwise later.
func mayPass(err error) bool {
	var said *jetstream.APIError
	if errors.As(err, &said) {
		return slices.Contains(passing, said.ErrorCode)
	}
	return slices.ContainsFunc(unanswered, func(may error) bool { return errors.Is(err, may) })
}

// unanswered are the errors of what no server has answered: the last one is that of a connection
// that has lost its server, and keeps nothing for the next one.
var unanswered = []error{context.DeadlineExceeded, nats.ErrNoResponders, nats.ErrTimeout, errBetween, nats.ErrReconnectBufExceeded}
