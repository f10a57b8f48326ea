package explore

import (
	"fmt"
	"iter"
	"runtime/debug"

	"github.com/freerun-go/freerun/internal/verify/memory"
)

// worker is a coroutine that runs one function after another and pauses before each access. It
// serves many executions, since making a coroutine costs as much as a dozen steps.
type worker struct {
	thread  *memory.Thread
	pending memory.Access // the function's next access
	running bool          // the function has not returned
	outcome error         // the error that ended the function, or nil

	job  func()
	next func() (struct{}, bool)
	stop func()
}

// unwound is the value with which a paused function is made to panic when the execution ends before
// the function does.
type unwound struct{}

// crash is a panic of the program that is explored.
type crash struct {
	value any
	stack []byte
}

func (c crash) Error() string { return fmt.Sprintf("panic: %v\n%s", c.value, c.stack) }

func newWorker() *worker {
	w := &worker{}
	w.next, w.stop = iter.Pull(func(yield func(struct{}) bool) {
		pause := func(a memory.Access) {
			w.pending = a
			if !yield(struct{}{}) || w.thread.Freed {
				panic(unwound{})
			}
		}
		for w.job != nil {
			w.thread.Pause = pause
			w.run()
			if !yield(struct{}{}) {
				return
			}
		}
	})
	return w
}

// run calls the job and keeps the error of its panic.
func (w *worker) run() {
	w.outcome = protect(w.job)
	w.running = false
}

// protect calls f and returns its panic as an error.
func protect(f func()) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil, unwound:
		case memory.Race:
			err = v
		case failed:
			err = v
		default:
			err = crash{v, debug.Stack()}
		}
	}()
	f()
	return nil
}

// begin lets the worker run f, up to its first access.
func (w *worker) begin(id int, name string, f func()) {
	w.thread = memory.NewThread(id, name)
	w.job, w.running, w.outcome = f, true, nil
	w.resume()
}

// resume lets the thread make its pending access and run up to the next one.
func (w *worker) resume() {
	memory.Current = w.thread
	w.next()
	memory.Current = nil
}

// unwind ends the function if it has not returned.
func (w *worker) unwind() {
	if w.running {
		w.thread.Freed = true
		w.resume()
	}
}
