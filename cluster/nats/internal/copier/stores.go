//go:build !wasm

package copier

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/partition"
	"github.com/freerun-go/freerun/cluster/internal/transfer"
	"github.com/freerun-go/freerun/cluster/nats/internal/jet"
)

// Sketch:     a machine that shares units tells all others five times a second that it lives. So
//             who listens for a while has heard of all that the servers reach
//             of servers that are read, a machine that comes and goes has written something: so the
//             streams must have come no further when the copy is done
//             a folder is locked

// source is a store that is read.
type source struct {
	transfer.Source
	still func() error // returns why it was not left alone
	close func() error
}

// target is a store that is made.
type target struct {
	transfer.Target
	still func() error
	close func() error // removes what was made, unless it is whole
}

func (o *options) openSource(at *place) (*source, error) {
	if !areServers(o.from) {
		f, err := transfer.OpenFolder(o.from)
		if err != nil {
			return nil, err
		}
		*at = place{Store: "folder", Place: o.from, ID: idOf(f.ID())}
		return &source{f, func() error { return nil }, f.Close}, nil
	}
	s, err := o.connect(o.from, o.creds, func(ctx context.Context, nc *nats.Conn) (*jet.Engine, error) {
		return jet.Open(ctx, nc, jet.Options{Program: o.program})
	})
	if err != nil {
		return nil, err
	}
	*at = s.place(o.from, o.program)
	end := func() error { s.end(); return nil }
	before, err := o.moment(s)
	if err == nil {
		err = s.listens()
	}
	logs := (*transfer.LogsSource)(nil)
	if err == nil {
		logs, err = transfer.OpenLogs(s)
	}
	if err == nil {
		// On several servers, who reads a log writes anew up to where it is trimmed.
		var read jet.Moment
		read, err = o.moment(s)
		before.Entries = read.Entries
	}
	if err != nil {
		return nil, errors.Join(err, end())
	}
	return &source{logs, func() error {
		now, err := o.moment(s)
		if err == nil && now != before {
			err = fmt.Errorf("%s: %w; stop it, and copy again", o.from, transfer.ErrChanged)
		}
		return errors.Join(err, s.heard())
	}, end}, nil
}

// moment returns how far the streams of servers have come.
func (o *options) moment(s *servers) (jet.Moment, error) {
	ctx, cancel := o.waits()
	defer cancel()
	return s.Moment(ctx)
}

// openTarget makes a store for a copy of another one.
func (o *options) openTarget(at *place, from place) (*target, error) {
	if !areServers(o.to) {
		f := &transfer.FolderTarget{Dir: o.to, Create: o.create}
		return &target{f, func() error { return nil }, func() error {
			*at = place{Store: "folder", Place: o.to, ID: idOf(f.ID)}
			return nil
		}}, nil
	}
	partitions, pairs := cmp.Or(o.partitions, from.Partitions, usual), cmp.Or(o.pairs, from.Pairs, 1)
	program, creds := o.nameIn(), o.creds
	if o.toCreds != "" {
		creds = o.toCreds
	}
	s, err := o.connect(o.to, creds, func(ctx context.Context, nc *nats.Conn) (*jet.Engine, error) {
		return jet.Make(ctx, nc, jet.Options{Program: program, Partitions: partitions, Pairs: pairs, Replicas: o.replicas})
	})
	if err != nil {
		return nil, err
	}
	*at = s.place(o.to, program)
	finished := false
	t := &target{nil, s.heard, func() error {
		defer s.end()
		if finished {
			return nil
		}
		ctx, cancel := o.waits()
		defer cancel()
		return s.Remove(ctx)
	}}
	t.Target = &madeLogs{&transfer.LogsTarget{Logs: s}, func() error {
		ctx, cancel := o.waits()
		defer cancel()
		err := s.Finish(ctx)
		finished = err == nil
		return err
	}}
	if err := s.listens(); err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

// usual is how many partitions there are without an option.
const usual = 64

// madeLogs are streams that a copy makes: it marks them as whole when all is in them.
type madeLogs struct {
	*transfer.LogsTarget
	finish func() error
}

// Fill implements [transfer.Target].
func (m *madeLogs) Fill(names map[string]string, each func(put func(transfer.Item) error) error, whole func() error) error {
	return m.LogsTarget.Fill(names, each, func() error {
		if err := whole(); err != nil {
			return err
		}
		return m.finish()
	})
}

// servers are a store over servers of NATS.
type servers struct {
	*jet.Engine
	nc    *nats.Conn
	beat  atomic.Pointer[string] // the machine that was heard of
	hears func()                 // ends to listen
}

// connect connects to servers, and opens a store there, or makes it.
func (o *options) connect(urls, creds string, open func(ctx context.Context, nc *nats.Conn) (*jet.Engine, error)) (*servers, error) {
	ctx, cancel := o.waits()
	defer cancel()
	nc, err := jet.Connect(urls, o.connection(creds)...)
	if err != nil {
		return nil, err
	}
	s := &servers{nc: nc, hears: func() {}}
	if s.Engine, err = open(ctx, nc); err != nil {
		nc.Close()
		return nil, err
	}
	return s, nil
}

// listens listens for machines, until the end, and returns an error if there is one. It waits until
// each would have been heard.
func (s *servers) listens() (err error) {
	s.hears, err = s.Listen("copy-"+rand.Text(), func(message []byte) {
		if node, beats := partition.BeatOf(message); beats {
			s.beat.Store(&node)
		}
	})
	if err != nil {
		return err
	}
	if err := s.nc.FlushTimeout(mostFlush); err != nil {
		return fmt.Errorf("%w: %w", jet.ErrNoServer, err)
	}
	for end := time.Now().Add(partition.Absent * 3 / 2); s.beat.Load() == nil && time.Now().Before(end); {
		time.Sleep(partition.BeatEvery / 4)
	}
	return s.heard()
}

// mostFlush is how long a server takes to know that one listens.
const mostFlush = 10 * time.Second

// heard returns an error if a machine was heard of.
func (s *servers) heard() error {
	node := s.beat.Load()
	if node == nil {
		return nil
	}
	return fmt.Errorf("%w: process %s of the program runs; close the nodes of all of them first", engine.ErrInUse, *node)
}

func (s *servers) place(urls, program string) place {
	return place{"nats", redacted(urls), idOf(s.ID()), program, s.Partitions(), s.Pairs()}
}

// redacted returns URLs without passwords.
func redacted(urls string) string {
	all := strings.Split(urls, ",")
	for i, text := range all {
		if u, err := url.Parse(strings.TrimSpace(text)); err == nil {
			all[i] = u.Redacted()
		}
	}
	return strings.Join(all, ",")
}

func (s *servers) end() {
	s.hears()
	s.Close()
	s.nc.Close()
}
