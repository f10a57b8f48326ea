//go:build !wasm

package filestore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// TestEachCallIsToldOnceThoughCloseRaces has goroutines that put, get, scan and back up while the
// store is closed. Each callback is called once; what was done is there afterwards, in the order of
// each goroutine; no Get goes back.
func TestEachCallIsToldOnceThoughCloseRaces(t *testing.T) {
	const writers, calls = 6, 300
	for round := range 6 {
		dir := t.TempDir()
		s := mustOpen(t, dir, Options{Create: true, Sync: []time.Duration{0, time.Millisecond, -1}[round%3]})
		var goroutines sync.WaitGroup
		var told [writers][2 * calls]atomic.Int32
		var last [writers]atomic.Int64 // the largest number that was done
		var puts sync.WaitGroup
		for w := range writers {
			key := fmt.Appendf(nil, "writer%d", w)
			goroutines.Go(func() {
				for n := range calls {
					puts.Add(2)
					s.Put([]engine.Write{{Key: key, Value: binary.BigEndian.AppendUint64(nil, uint64(n+1))}}, func(err error) {
						defer puts.Done()
						told[w][n].Add(1)
						if err == nil {
							last[w].Store(int64(n + 1))
						} else if !errors.Is(err, engine.ErrClosed) {
							t.Error(err)
						}
					})
					least := last[w].Load()
					s.Get(key, func(v []byte, err error) {
						defer puts.Done()
						told[w][calls+n].Add(1)
						switch {
						case errors.Is(err, engine.ErrClosed):
						case err != nil:
							t.Error(err)
						case least > 0 && int64(binary.BigEndian.Uint64(v)) < least:
							t.Errorf("Get: %x after %d was done", v, least)
						}
					})
					if n%50 == w {
						err := s.Scan([]byte("writer"), nil, func(_, _ []byte) error { return nil })
						if err != nil && !errors.Is(err, engine.ErrClosed) {
							t.Error(err)
						}
					}
					if n == round*calls/6 && w == rand.IntN(writers) {
						goroutines.Go(func() {
							if err := s.Close(); err != nil && !errors.Is(err, engine.ErrClosed) {
								t.Error(err)
							}
						})
					}
				}
			})
		}
		goroutines.Wait()
		s.Close()
		puts.Wait()
		for w := range told {
			for n := range told[w] {
				if got := told[w][n].Load(); got != 1 {
					t.Fatalf("call %d of writer %d was told %d times", n, w, got)
				}
			}
		}
		s = mustOpen(t, dir, Options{})
		for w := range writers {
			v, err := read(s, fmt.Appendf(nil, "writer%d", w))
			var got int64
			if v != nil {
				got = int64(binary.BigEndian.Uint64(v))
			}
			if err != nil || got != last[w].Load() {
				t.Errorf("writer %d: %d, %v, want %d", w, got, err, last[w].Load())
			}
		}
		mustClose(t, s)
	}
}

// TestAScanIsOneInstant changes two entries together while Scans and Backups go on: none sees one
// without the other.
func TestAScanIsOneInstant(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{Create: true, Sync: -1})
	var goroutines sync.WaitGroup
	for range 3 {
		goroutines.Go(func() {
			for range 200 {
				var seen []string
				err := s.Scan(nil, nil, func(_, value []byte) error { seen = append(seen, string(value)); return nil })
				if err != nil || len(seen) == 2 && seen[0] != seen[1] {
					t.Errorf("%q, %v", seen, err)
				}
			}
		})
	}
	for i := range 500 {
		mustPut(t, s, set("a", fmt.Sprint(i)), set("z", fmt.Sprint(i)))
	}
	goroutines.Wait()
}

// TestACallbackMayCall has callbacks that put and get, as those of units do.
func TestACallbackMayCall(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{Create: true, Sync: -1})
	ended := make(chan struct{})
	var step func(n int)
	step = func(n int) {
		if n == 100 {
			close(ended)
			return
		}
		s.Put([]engine.Write{set("n", fmt.Sprint(n))}, func(err error) {
			s.Get([]byte("n"), func(v []byte, err2 error) {
				if string(v) != fmt.Sprint(n) {
					t.Errorf("%q after %d: %v %v", v, n, err, err2)
				}
				step(n + 1)
			})
		})
	}
	step(0)
	<-ended
}
