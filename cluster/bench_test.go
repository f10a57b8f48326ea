//go:build !wasm

package cluster_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// block is a state of 112 bytes.
type block struct{ words [14]int64 }

func (b *block) AppendBinary(dst []byte) ([]byte, error) {
	for _, w := range b.words {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(w))
	}
	return dst, nil
}

func (b *block) UnmarshalBinary(src []byte) error {
	if len(src) != len(b.words)*8 {
		return fmt.Errorf("%d bytes", len(src))
	}
	for i := range b.words {
		b.words[i] = int64(binary.LittleEndian.Uint64(src[i*8:]))
	}
	return nil
}

var (
	blocks = freerun.NewKind("block", func(*freerun.Context, uint64) (block, error) { return block{}, nil }, cluster.Durable())
	raise  = freerun.Op("raise", func(_ *freerun.Context, b *block, n int) (int64, error) {
		b.words[0] += int64(n)
		return b.words[0], nil
	})
	height = freerun.ReadOp("height", func(_ *freerun.Context, b *block, _ struct{}) (int64, error) { return b.words[0], nil })
)

// BenchmarkSend has commands to random keys answered, each once it is stored: with some in flight,
// beside a program that is written by hand for this.
func BenchmarkSend(b *testing.B) {
	for _, keys := range []int{1000, 100_000} {
		for _, flight := range []int{1, 4096} {
			name := fmt.Sprintf("keys=%d/flight=%d", keys, flight)
			b.Run(name+"/freerun", func(b *testing.B) {
				rt, n, stop := start(b, b.TempDir())
				c := rt.Context()
				pipeline(b, keys, flight, func(key uint64, done func(error)) {
					freerun.Handle(c, raise.Send(c, blocks.At(c, key), 1), func(_ *freerun.Context, _ int64, err error) (struct{}, error) {
						done(err)
						return struct{}{}, nil
					})
				})
				b.StopTimer()
				stats := n.Stats()
				b.ReportMetric(float64(b.N)/float64(stats.Commits), "commands/commit")
				b.ReportMetric(float64(stats.Writes)/float64(stats.Commits), "writes/commit")
				stop()
			})
			b.Run(name+"/by-hand", func(b *testing.B) {
				h := newByHand(b)
				pipeline(b, keys, flight, h.send)
				b.StopTimer()
				h.close(b)
				b.ReportMetric(float64(b.N)/float64(h.commits), "commands/commit")
				b.ReportMetric(float64(h.writes)/float64(h.commits), "writes/commit")
			})
		}
	}
}

// pipeline keeps flight commands under way.
func pipeline(b *testing.B, keys, flight int, send func(key uint64, done func(error))) {
	places := make(chan struct{}, flight)
	var latencies []time.Duration
	fail := func(err error) {
		if err != nil {
			b.Error(err)
		}
		<-places
	}
	b.ResetTimer()
	for range b.N {
		places <- struct{}{}
		began := time.Now()
		send(rand.Uint64N(uint64(keys)), fail)
		if flight == 1 {
			places <- struct{}{}
			latencies = append(latencies, time.Since(began))
			<-places
		}
	}
	for range flight {
		places <- struct{}{}
	}
	if flight == 1 {
		slices.Sort(latencies)
		b.ReportMetric(float64(latencies[len(latencies)/2].Nanoseconds()), "p50-ns")
	}
}

// byHand is a program for commands of this sort alone: a goroutine has all states, takes what
// waits, and commits that.
type byHand struct {
	db       *bolt.DB
	commands chan command
	ended    sync.WaitGroup
	commits  int // the goroutine's
	writes   int
}

type command struct {
	key  uint64
	done func(error)
}

func newByHand(b *testing.B) *byHand {
	db, err := bolt.Open(filepath.Join(b.TempDir(), "db"), 0o600, nil)
	if err != nil {
		b.Fatal(err)
	}
	h := &byHand{db: db, commands: make(chan command, 4096)}
	h.ended.Go(h.run)
	return h
}

func (h *byHand) send(key uint64, done func(error)) { h.commands <- command{key, done} }

func (h *byHand) run() {
	states := map[uint64]*block{}
	for first := range h.commands {
		batch := []command{first}
		for more := true; more && len(batch) < 4096; {
			select {
			case c, open := <-h.commands:
				if more = open; open {
					batch = append(batch, c)
				}
			default:
				more = false
			}
		}
		changed := map[uint64]bool{}
		err := h.db.Update(func(tx *bolt.Tx) error {
			bucket, err := tx.CreateBucketIfNotExists([]byte("states"))
			if err != nil {
				return err
			}
			for _, c := range batch {
				if states[c.key] == nil {
					states[c.key] = &block{}
				}
				states[c.key].words[0]++
				changed[c.key] = true
			}
			all := make([]uint64, 0, len(changed))
			for key := range changed {
				all = append(all, key)
			}
			slices.Sort(all)
			h.commits++
			h.writes += len(all)
			for _, key := range all {
				value, _ := states[key].AppendBinary(nil)
				if err := bucket.Put(binary.BigEndian.AppendUint64(nil, key), value); err != nil {
					return err
				}
			}
			return nil
		})
		for _, c := range batch {
			c.done(err)
		}
	}
}

func (h *byHand) close(b *testing.B) {
	close(h.commands)
	h.ended.Wait()
	if err := h.db.Close(); err != nil {
		b.Error(err)
	}
}

// BenchmarkRead asks for committed state.
func BenchmarkRead(b *testing.B) {
	rt, _, _ := start(b, b.TempDir())
	c := rt.Context()
	const keys = 1000
	for key := range uint64(keys) {
		must(b, raise.Send(c, blocks.At(c, key), 1))
	}
	pipeline(b, keys, 4096, func(key uint64, done func(error)) {
		freerun.Handle(c, height.Send(c, blocks.At(c, key), struct{}{}), func(_ *freerun.Context, _ int64, err error) (struct{}, error) {
			done(err)
			return struct{}{}, nil
		})
	})
}

// BenchmarkMillion stores a million units, starts again, and asks one of them, then all: the memory
// of an active unit beside key and state, and how long the first answer takes.
func BenchmarkMillion(b *testing.B) {
	const units = 1_000_000
	for b.Loop() {
		dir := b.TempDir()
		rt, _, stop := start(b, dir)
		before := heap()
		each(b, rt, units, func(key uint64) error { return raise.Tell(rt.Context(), blocks.At(rt.Context(), key), 1) })
		b.ReportMetric(float64(heap()-before)/units-8-112, "bytes/active-unit")
		stop()

		rt = freerun.New()
		began := time.Now()
		node, err := cluster.Join(rt, cluster.Local(dir))
		if err != nil {
			b.Fatal(err)
		}
		must(b, height.Send(rt.Context(), blocks.At(rt.Context(), units/3), struct{}{}))
		b.ReportMetric(time.Since(began).Seconds()*1e3, "ms/first-answer")
		began = time.Now()
		each(b, rt, units, func(key uint64) error {
			height.Send(rt.Context(), blocks.At(rt.Context(), key), struct{}{})
			return nil
		})
		b.ReportMetric(float64(time.Since(began).Nanoseconds())/units, "ns/unit-loaded")
		if err := errors.Join(rt.Shutdown(within(b)), node.Close()); err != nil {
			b.Fatal(err)
		}
	}
}

// each sends something to each of n units, and does not let it pile up.
func each(b *testing.B, rt *freerun.Runtime, n uint64, send func(key uint64) error) {
	for key := range n {
		if err := send(key); err != nil {
			b.Fatal(err)
		}
		if key%10_000 == 0 {
			settle(b, rt)
		}
	}
	settle(b, rt)
}

// heap returns how much of the heap is in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
