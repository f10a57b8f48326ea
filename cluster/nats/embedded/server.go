//go:build !wasm

package embedded

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster/internal/filestore"
	"github.com/freerun-go/freerun/cluster/nats/internal/jet"
	"github.com/freerun-go/freerun/cluster/nats/internal/member"
)

// start starts the server. It has its folder alone: a store of one process in there is its lock and
// its name, since servers do not look whether another one uses their files, and a server that comes
// with an empty folder and the name of one that has answered could lose what that has promised.
func (s *settings) start(ctx context.Context, m *member.Settings) (at member.Place, err error) {
	if s.dir == "" {
		return at, errors.New("embedded: Server has no folder: its name is empty")
	}
	lock, err := filestore.Open(filepath.Join(s.dir, "freerun"), filestore.Options{Create: m.Streams.Create})
	if err != nil {
		return at, err
	}
	id := lock.ID()
	o, err := s.options(hex.EncodeToString(id[:]))
	if err != nil {
		return at, errors.Join(err, lock.Close())
	}
	connection := []nats.Option(nil)
	if s.routes != nil && s.listen == "" {
		connection = alone(o)
	}
	log := &logger{}
	srv, err := run(ctx, o, m, log)
	if err != nil {
		return at, errors.Join(err, lock.Close())
	}
	return member.Place{
		Options: append(connection, nats.InProcessServer(srv)),
		Says:    log.last,
		End: func() {
			srv.Shutdown()
			srv.WaitForShutdown()
			_ = lock.Close() // it has written nothing
		},
	}, nil
}

// alone has nobody but this process be a client of the server, unless the program says who may. A
// server begins with its routes only when it listens for clients, too.
func alone(o *server.Options) []nats.Option {
	o.DontListen, o.Host, o.Port = false, "127.0.0.1", server.RANDOM_PORT
	if o.Username != "" || o.Authorization != "" || len(o.Users)+len(o.Nkeys)+len(o.TrustedOperators)+len(o.Accounts) > 0 {
		return nil
	}
	o.Authorization = rand.Text()
	return []nats.Option{nats.Token(o.Authorization)}
}

// options returns the options of the server.
func (s *settings) options(name string) (*server.Options, error) {
	o := &server.Options{
		ServerName: name, JetStream: true, StoreDir: s.dir, NoSigs: true, NoLog: true,
		SyncAlways: s.sync == 0, SyncInterval: s.sync, DontListen: s.listen == "",
		// It tries each second, over four connections: it says so at first, and then each minute.
		ReconnectErrorReports: 60,
	}
	var err error
	if s.listen != "" {
		if o.Host, o.Port, err = address("Listen", s.listen); err != nil {
			return nil, err
		}
	}
	if r := s.routes; r != nil {
		o.Cluster = server.ClusterOpts{Name: s.program, Username: "freerun", Password: r.secret}
		if o.Cluster.Host, o.Cluster.Port, err = address("Routes", r.listen); err != nil {
			return nil, err
		}
		for _, at := range r.servers {
			if _, _, err := address("Routes", at); err != nil {
				return nil, err
			}
			o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: at, User: url.UserPassword("freerun", r.secret)})
		}
	}
	for _, change := range s.change {
		change(o)
	}
	return o, nil
}

// run runs a server.
func run(ctx context.Context, o *server.Options, m *member.Settings, log *logger) (*server.Server, error) {
	srv, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("embedded: the server cannot start: %w", err)
	}
	srv.SetLoggerV2(log, false, false, false)
	srv.Start()
	for end := time.Now().Add(m.Within); !srv.ReadyForConnections(100 * time.Millisecond); {
		if log.isFatal() || time.Now().After(end) || ctx.Err() != nil {
			srv.Shutdown()
			srv.WaitForShutdown()
			return nil, fmt.Errorf("embedded: %w: the server does not start: %s", jet.ErrNoServer, log.last())
		}
	}
	return srv, nil
}
