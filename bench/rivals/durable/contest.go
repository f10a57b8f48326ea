package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun/bench/durable"
	"github.com/freerun-go/freerun/programs"
)

// contestant has a state for each key from 0 on, in a folder. Its functions done may be called from
// any goroutine, and do not wait; each is called once.
type contestant interface {
	// fill stores the state of each key below n.
	fill(n int) error
	// add adds 1 to the count in the state of a key. It is done once that is synced.
	add(key uint64, done func(error))
	// count returns the count in the committed state of a key.
	count(key uint64, done func(n int64, err error))
	// close ends it. Nothing is under way.
	close() error
}

// contest measures one contestant.
type contest struct {
	// open opens the contestant in a folder, which is empty or was closed before.
	open func(dir string, cfg programs.Config) (contestant, error)
	most int // commands at a time; 0 for any number
}

// run is the variant's.
func (c contest) run(cfg programs.Config) (result programs.Result, err error) {
	dir, err := os.MkdirTemp("", "freerun-durable-")
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	disk, err := measureDisk(dir)
	if err != nil {
		return result, err
	}
	store, keys := filepath.Join(dir, "store"), cfg.Values.Get(durable.Keys)
	if err := os.Mkdir(store, 0o700); err != nil {
		return result, err
	}
	one, err := c.open(store, cfg)
	if err != nil {
		return result, err
	}
	d := &drive{contestant: one, keys: keys, reads: cfg.Values.Get(durable.Reads) == 1, flight: cfg.Values.Get(durable.Flight)}
	if c.most > 0 {
		d.flight = min(d.flight, c.most)
	}
	err = one.fill(keys)
	if err == nil {
		result, err = d.run(time.Duration(cfg.Values.Get(programs.Size)) * time.Millisecond)
	}
	if err = errors.Join(err, one.close()); err != nil {
		return result, err
	}
	result.Figures = append(append(result.Figures, d.figures(result)...), disk...)
	result.Checksum, err = c.audit(store, cfg, d)
	return result, err
}

// audit opens the contestant again, and compares what it has with what was answered.
func (c contest) audit(dir string, cfg programs.Config, d *drive) (checksum string, err error) {
	one, err := c.open(dir, cfg)
	if err != nil {
		return "", err
	}
	var stored, failed atomic.Int64
	var all sync.WaitGroup
	for key := range d.keys {
		all.Add(1)
		one.count(uint64(key), func(n int64, err error) {
			defer all.Done()
			if stored.Add(n); err != nil {
				failed.Add(1)
			}
		})
	}
	all.Wait()
	if err := one.close(); err != nil {
		return "", err
	}
	if failed.Load() > 0 || stored.Load() != d.commands {
		return fmt.Sprintf("%d of %d commands are stored, and %d states cannot be read", stored.Load(), d.commands, failed.Load()), nil
	}
	return durable.Checksum, nil
}

// drive gives commands, or reads.
type drive struct {
	contestant
	keys, flight int
	reads        bool

	commands int64           // given, none of them reads; all were answered
	took     []time.Duration // by each, sorted, if there is one at a time
	failed   atomic.Pointer[error]
}

// run has flight commands under way for that time, and then waits for the last ones.
func (d *drive) run(length time.Duration) (programs.Result, error) {
	room := make(chan struct{}, d.flight) // has a token for each that is under way
	random := rand.New(rand.NewPCG(1, 2))
	answered := func(err error) {
		if err != nil {
			d.failed.CompareAndSwap(nil, &err)
		}
		<-room
	}
	meter, given := programs.StartMeter(), uint64(0)
	for began := time.Now(); time.Since(began) < length || given == 0; given++ {
		if d.failed.Load() != nil {
			break
		}
		room <- struct{}{}
		asked := time.Now()
		if key := random.Uint64N(uint64(d.keys)); d.reads {
			d.count(key, func(_ int64, err error) { answered(err) })
		} else {
			d.commands++
			d.add(key, answered)
		}
		if d.flight == 1 {
			room <- struct{}{} // there is room once it is answered
			d.took = append(d.took, time.Since(asked))
			<-room
		}
	}
	for range d.flight {
		room <- struct{}{}
	}
	result := meter.Stop(given)
	slices.Sort(d.took)
	if failed := d.failed.Load(); failed != nil {
		return result, *failed
	}
	return result, nil
}

// figures returns what else was measured.
func (d *drive) figures(r programs.Result) []programs.Figure {
	all := []programs.Figure{{Name: "per_second", Doc: "answered a second", Value: uint64(r.OpsPerSecond())}}
	if d.flight == 1 {
		all = append(all, programs.Figure{
			Name: "answer_ns", Doc: "until an answer, ns",
			Value:  []uint64{quantile(d.took, 500), quantile(d.took, 990), quantile(d.took, 1000)},
			Labels: []string{"until an answer, ns: p50", "p99", "max"},
		})
	}
	return all
}

// quantile returns the time that a number of thousandths of the sorted times do not exceed.
func quantile(sorted []time.Duration, thousandths int) uint64 {
	return uint64(sorted[(len(sorted)-1)*thousandths/1000])
}
