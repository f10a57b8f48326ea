package main

import (
	"errors"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// startServer starts a server of NATS with JetStream, at a free port of this machine.
// What it stores is in a folder for a while.
func startServer() (url string, stop func(), err error) {
	dir, err := os.MkdirTemp("", "machines")
	if err != nil {
		return "", nil, err
	}
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true,
	})
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	s.Start()
	stop = func() {
		s.Shutdown()
		s.WaitForShutdown()
		_ = os.RemoveAll(dir)
	}
	if !s.ReadyForConnections(20 * time.Second) {
		stop()
		return "", nil, errors.New("the server of NATS does not start")
	}
	return s.ClientURL(), stop, nil
}
