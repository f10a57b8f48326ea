package create

import (
	"strconv"
	"sync"

	"github.com/freerun-go/freerun/programs"
)

// runGoroutines counts the tasks itself: sync.WaitGroup.Go would also allocate a closure for each.
func runGoroutines(cfg programs.Config) (programs.Result, error) {
	w := newWork(cfg.Values)
	done := make(chan struct{}, 1)
	task := func() {
		if w.last() {
			done <- struct{}{}
		}
	}
	meter := programs.StartMeter()
	for range w.batches {
		w.begin()
		for range w.batch {
			go task()
		}
		<-done
		w.end()
	}
	result := meter.Stop(w.operations())
	result.Checksum = strconv.Itoa(w.ended)
	var err error
	result.Figures, err = w.memory(holdGoroutines)
	return result, err
}

// holdGoroutines makes the tasks wait for a channel. Before they run they take little less: they
// have a stack from the start.
func holdGoroutines(tasks int) (bytes uint64, err error) {
	gate := make(chan struct{})
	var all sync.WaitGroup
	all.Add(tasks)
	task := func() {
		<-gate
		all.Done()
	}
	before := live()
	for range tasks {
		go task()
	}
	bytes = grown(before)
	close(gate)
	all.Wait()
	return bytes, nil
}
