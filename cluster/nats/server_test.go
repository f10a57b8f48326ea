package nats_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// serve runs a server in this process, and returns its URL. It ends with the test.
func serve(t testing.TB, change func(o *server.Options)) string {
	t.Helper()
	url, stop, err := start(t.TempDir(), change)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return url
}

// startServer is serve for an example.
func startServer() (url string, stop func()) {
	dir, err := os.MkdirTemp("", "nats")
	if err != nil {
		panic(err)
	}
	url, end, err := start(dir, nil)
	if err != nil {
		panic(err)
	}
	return url, func() {
		end()
		os.RemoveAll(dir)
	}
}

func start(dir string, change func(o *server.Options)) (url string, stop func(), err error) {
	o := &server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true}
	if change != nil {
		change(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		return "", nil, err
	}
	s.Start()
	stop = func() {
		s.Shutdown()
		s.WaitForShutdown()
	}
	if !s.ReadyForConnections(30 * time.Second) {
		stop()
		return "", nil, errors.New("the server does not start")
	}
	return s.ClientURL(), stop, nil
}
