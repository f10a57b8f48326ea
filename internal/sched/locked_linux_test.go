package sched

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/freerun-go/freerun/internal/sys/threadlock"
)

// TestLockedThreadEnds holds that the thread ends of a task or coroutine that has ended locked to
// it: no other goroutine gets it.
func TestLockedThreadEnds(t *testing.T) {
	if way, why := threadlock.Status(); way != "word" {
		t.Skip(why)
	}
	var told atomic.Int64
	s := New(Config{Processors: 1, Locked: func(*Host) { told.Add(1) }})
	s.Start()
	defer stop(t, s)
	runs := map[string]func(p *Processor, spoil func()){
		"host": func(_ *Processor, spoil func()) { spoil() },
		"coroutine": func(p *Processor, spoil func()) {
			co := NewCoroutine(func(co *Coroutine) {
				spoil()
				co.Unlock()
			})
			if _, _, alive := co.Enter(p); alive {
				t.Error("the coroutine has not ended")
			}
		},
	}
	for name, run := range runs {
		const rounds = 10
		ended := 0
		for range rounds {
			before := told.Load()
			thread := make(chan int, 1)
			j := newJob(func(p *Processor) {
				run(p, func() {
					runtime.LockOSThread()
					thread <- syscall.Gettid()
				})
			})
			s.Inject(&j.Task)
			of := <-thread
			until(t, "the report of the lock", func() bool { return told.Load() > before })
			if of == os.Getpid() { // the main thread does not end: Go keeps it unused
				ended++
				continue
			}
			gone := func() bool {
				_, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", of))
				return os.IsNotExist(err)
			}
			if name == "host" {
				until(t, "the end of the thread", gone)
			}
			next := newJob(func(*Processor) {
				if syscall.Gettid() == of {
					t.Error(name, ": the thread is used again")
				}
			})
			s.Inject(&next.Task)
			until(t, "the next task", func() bool { return next.ran.Load() == 1 })
			ended++
		}
		if ended != rounds {
			t.Errorf("%s: %d of %d threads ended", name, ended, rounds)
		}
	}
	if n := told.Load(); n != 2*10 {
		t.Errorf("Locked was called %d times, want 20", n)
	}
}
