package records

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"time"

	"github.com/freerun-go/freerun/programs"
)

// run fills a store and uses it, and measures both together.
func run(open opener, cfg programs.Config) (result programs.Result, err error) {
	t := newTraffic(cfg.Values)
	tasks := cfg.Values.Get(paramTasks)
	if tasks == 0 {
		tasks = cfg.Processors
	}
	// Memory of an earlier run must neither count for this run nor be free for it.
	debug.FreeOSMemory()
	before, known := programs.Resident()
	s, err := open(t.records)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	meter, collections := programs.MeterCollections()
	began := time.Now()
	if err := t.all(tasks, func(l []*lane) error { return fill(s, l) }); err != nil {
		return result, err
	}
	full := time.Now()
	if err := t.all(tasks, func(l []*lane) error { return use(s, l) }); err != nil {
		return result, err
	}
	ended := time.Now()
	result = meter.StopAt(ended, t.operations())
	result.Figures = collections.Figures(result)
	if after, _ := programs.Resident(); known {
		result.Figures = append(result.Figures, t.memory(after, before)...)
	}
	result.Figures = append(result.Figures, programs.Figure{
		Name: "phases_ns", Doc: "ns for an operation", Value: []uint64{each(full.Sub(began), t.records), each(ended.Sub(full), t.records*t.rounds)},
		Labels: []string{"ns for an insertion while the store is filled", "for an operation afterwards"},
	})
	result.Checksum = t.checksum(s.count())
	return result, nil
}

// each returns the nanoseconds of one of n operations.
func each(d time.Duration, n int) uint64 {
	return uint64(math.Round(float64(d.Nanoseconds()) / float64(max(n, 1))))
}

// memory returns the figures about the store's memory.
func (t *traffic) memory(after, before uint64) []programs.Figure {
	bytes, rounded := t.held()
	resident := max(after, before) - before
	return []programs.Figure{
		{Name: "resident_bytes", Doc: "bytes in memory that the process did not have before", Value: resident},
		{Name: "value_bytes", Doc: "bytes that the values have", Value: bytes},
		{Name: "rounded_bytes", Doc: "bytes that they have if each is rounded to a power of two", Value: rounded},
		{Name: "resident_percent_of_rounded", Doc: "bytes in memory, in % of that", Value: 100 * resident / max(rounded, 1)},
	}
}

// all divides the lanes among the tasks and waits until each task has done the work of its own.
func (t *traffic) all(tasks int, do func([]*lane) error) error {
	failures := make([]error, tasks)
	var group sync.WaitGroup
	for i := range tasks {
		own := t.lanes[i*len(t.lanes)/tasks : (i+1)*len(t.lanes)/tasks]
		group.Go(func() { failures[i] = do(own) })
	}
	group.Wait()
	return errors.Join(failures...)
}

// fill inserts the first records of the lanes, in turns, so that work at no time concentrates on a
// few keys.
func fill(s compared, lanes []*lane) error {
	memory := make([]byte, mostValue)
	for left := len(lanes); left > 0; {
		left = len(lanes)
		for _, l := range lanes {
			if !l.filling() {
				left--
				continue
			}
			if err := l.fill().do(s, memory); err != nil {
				return err
			}
		}
	}
	return nil
}

// use does the acts on the full store, in turns likewise.
func use(s compared, lanes []*lane) error {
	memory := make([]byte, mostValue)
	for left := len(lanes); left > 0; {
		left = len(lanes)
		for _, l := range lanes {
			if !l.running() {
				left--
				continue
			}
			if err := l.step().do(s, memory); err != nil {
				return err
			}
		}
	}
	return nil
}

// do does a step and checks its result.
func (s step) do(to compared, memory []byte) error {
	switch s.act {
	case insert:
		return to.put(s.key, made(s.seed, memory))
	case remove:
		if !to.remove(s.key) {
			return fmt.Errorf("key %#x was to be deleted, and is not there", s.key)
		}
	case lookUp:
		value, found := to.get(s.key, memory)
		if found != s.there {
			return fmt.Errorf("key %#x: found is %v, and should be %v", s.key, found, s.there)
		}
		if found && !matches(value, s.seed) {
			return fmt.Errorf("key %#x has another value than it was given last", s.key)
		}
	}
	return nil
}
