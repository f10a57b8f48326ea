//go:build !wasm

package transfer

import (
	"errors"
	"testing"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// full is a store without room: its writes fail, once they are released.
type full struct {
	Logs
	release chan struct{}
}

var errFull = errors.New("no space")

func (f full) Swap(_ int, _ []engine.Write, _ uint64, done func(uint64, error)) {
	go func() {
		<-f.release
		done(0, errFull)
	}()
}

// TestManyFail has many writes fail while their writer asks for the first error: all of them end,
// and no more are made.
func TestManyFail(t *testing.T) {
	for range 200 {
		store := full{release: make(chan struct{})}
		w := newWriter(store)
		for range mostUnder {
			if err := w.put(0, engine.Write{Key: []byte("k")}); err != nil {
				t.Fatal(err)
			}
		}
		close(store.release)
		for range mostUnder {
			w.err()
		}
		if err := w.wait(); !errors.Is(err, errFull) {
			t.Fatalf("the writes have failed, and their writer says %v", err)
		}
		if err := w.put(0, engine.Write{Key: []byte("k")}); !errors.Is(err, errFull) || len(w.slots) > 0 {
			t.Fatalf("a write behind one that has failed: %v, and %d are under way", err, len(w.slots))
		}
	}
}
