package cas

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/sync/backoff"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/programs"
)

const paramContenders = "contenders"

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "cas",
	Doc:       "contenders count up one word by compare-and-swap",
	Source:    "Lock Free Runtime System, the graphs of the performance of CAS without and with back-off",
	Operation: "successful compare-and-swap",
	Params: []programs.Param{
		{Name: programs.Size, Doc: "operations of all contenders together", Default: 20_000_000, Quick: 1_000_000, Min: 10, Max: 1_000_000_000},
		{Name: paramContenders, Doc: "goroutines that contend, 0 for one on each processor", Default: 0, Quick: 0, Min: 0, Max: 100_000},
	},
	Variants: []programs.Variant{
		{Name: "backoff", Kind: programs.Freerun, Doc: "a failed compare-and-swap is followed by a pause that grows", Run: variant(countBackingOff)},
		{Name: "plain", Kind: programs.PlainGo, Doc: "a failed compare-and-swap is tried again at once", Run: variant(countPlainly)},
		{Name: "add", Kind: programs.PlainGo, Doc: "fetch-and-add, which cannot fail", Run: variant(countByAdding)},
		{Name: "mutex", Kind: programs.PlainGo, Doc: "a plain word under a lock", Run: variant(countLocked)},
	},
	Expected: func(v programs.Values) string { return strconv.Itoa(v.Get(programs.Size)) },
}

// word is the contended word, on a cache line of its own.
type word struct {
	_ pad.Line
	n atomic.Uint64
	_ pad.Line
	// For the variant mutex, in place of n.
	mu     sync.Mutex
	locked uint64
	_      pad.Line
}

// tally is the work of one contender.
type tally struct{ succeeded, failed uint64 }

// A contender counts w up, one at a time, until it reaches size.
type contender func(w *word, size uint64) tally

func countBackingOff(w *word, size uint64) (t tally) {
	for {
		for b := (backoff.Backoff{}); ; b.Retry() {
			n := w.n.Load()
			if n == size {
				return t
			}
			if w.n.CompareAndSwap(n, n+1) {
				break
			}
			t.failed++
		}
		t.succeeded++
	}
}

func countPlainly(w *word, size uint64) (t tally) {
	for {
		n := w.n.Load()
		if n == size {
			return t
		}
		if w.n.CompareAndSwap(n, n+1) {
			t.succeeded++
		} else {
			t.failed++
		}
	}
}

// countByAdding takes an addition back that went beyond the size.
func countByAdding(w *word, size uint64) (t tally) {
	for w.n.Add(1) <= size {
		t.succeeded++
	}
	w.n.Add(^uint64(0))
	return t
}

func countLocked(w *word, size uint64) (t tally) {
	for {
		w.mu.Lock()
		if w.locked == size {
			w.mu.Unlock()
			return t
		}
		w.locked++
		w.mu.Unlock()
		t.succeeded++
	}
}

// variant returns the Run function for a kind of contender.
func variant(count contender) func(programs.Config) (programs.Result, error) {
	return func(cfg programs.Config) (programs.Result, error) {
		contenders := cfg.Values.Get(paramContenders)
		if contenders == 0 {
			contenders = cfg.Processors
		}
		return run(contenders, uint64(cfg.Values.Get(programs.Size)), count)
	}
}

// run starts the contenders together, and measures until the last one has ended.
func run(contenders int, size uint64, count contender) (programs.Result, error) {
	w := &word{}
	tallies := make([]tally, contenders)
	finish := programs.NewFinish(contenders)
	gate := make(chan struct{})
	var group sync.WaitGroup
	for i := range tallies {
		group.Go(func() {
			<-gate
			tallies[i] = count(w, size)
			finish.Reached()
		})
	}
	meter := programs.StartMeter()
	close(gate)
	end, err := finish.Wait()
	result := meter.StopAt(end, size)
	group.Wait()
	if err != nil {
		return result, err
	}
	result.Checksum = strconv.FormatUint(w.n.Load()+w.locked, 10)
	result.Figures, err = figures(result, tallies, size)
	return result, err
}

// figures makes the further figures from the tallies, whose sum must be the operations.
func figures(r programs.Result, tallies []tally, size uint64) ([]programs.Figure, error) {
	var succeeded, failed uint64
	least, most := size, uint64(0)
	for _, t := range tallies {
		succeeded += t.succeeded
		failed += t.failed
		least, most = min(least, t.succeeded), max(most, t.succeeded)
	}
	if succeeded != size {
		return nil, fmt.Errorf("the contenders counted %d operations, and the word %d", succeeded, size)
	}
	return []programs.Figure{
		{Name: "ops_per_sec", Doc: "successful operations per second", Value: r.OpsPerSecond()},
		{Name: "goroutines", Doc: "goroutines that contended", Value: uint64(len(tallies))},
		{Name: "failed_per_1000", Doc: "failed operations for each 1000 that succeeded", Value: 1000 * failed / size},
		{
			Name: "share_per_1000", Doc: "successes of a contender among 1000", Value: []uint64{1000 * least / size, 1000 * most / size},
			Labels: []string{"successes among 1000 of the least successful contender", "of the most successful"},
		},
	}, nil
}
