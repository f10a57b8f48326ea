//go:build unix

package freerun_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/recording"
)

// TestDumpOn sends the process a signal.
func TestDumpOn(t *testing.T) {
	told := make(chan string, 4)
	rt := freerun.New(freerun.FlightRecorder(1<<16), freerun.Logger(slog.New(slog.NewTextHandler(lines(told), nil))))
	defer rt.Close()
	runtimetest.Must(t, freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { return 0, nil }))
	path := filepath.Join(t.TempDir(), "flight.trace")
	stop, err := freerun.DumpOn(rt, path, syscall.SIGUSR1)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	t.Log(<-told)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tr, err := recording.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := audit(tr).ran; n != 1 {
		t.Errorf("one message was run, and %d recorded", n)
	}
}

// lines passes on each line that is written.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}
