//go:build linux

package main

import "testing"

// inCalls is a program with one processor whose activities are in system calls of the kind that the
// first argument names. All but the last two kinds wait there for what another activity of the
// processor does, and would never end under go build.
const inCalls = `package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// pipe returns the ends of a pipe whose calls block.
func pipe() (r, w int) {
	var ends [2]int
	check(syscall.Pipe(ends[:]))
	return ends[0], ends[1]
}

func read(r int) byte {
	b := make([]byte, 1)
	for {
		n, err := syscall.Read(r, b)
		if err == syscall.EINTR {
			continue
		}
		check(err)
		if n != 1 {
			panic(n)
		}
		return b[0]
	}
}

func write(w int, b byte) {
	for {
		_, err := syscall.Write(w, []byte{b})
		if err == syscall.EINTR {
			continue
		}
		check(err)
		return
	}
}

var kinds = map[string]func(a *activity.Activity){
	// Two activities take turns.
	"pipe": func(a *activity.Activity) {
		r, w := pipe()
		back, forth := pipe()
		other := activity.Go(a, func(*activity.Activity) {
			for range 20 {
				write(forth, read(r)+1)
			}
		})
		for n := range 20 {
			write(w, byte(n))
			if got := read(back); got != byte(n)+1 {
				panic(got)
			}
		}
		check(other.Wait(a))
	},
	// Each has the lock of a file while others run.
	"lock": func(a *activity.Activity) {
		name, held := filepath.Join(os.TempDir(), fmt.Sprint("freerun-lock-", os.Getpid())), 0
		defer os.Remove(name)
		var all []*activity.Activity
		for range 4 {
			all = append(all, activity.Go(a, func(a *activity.Activity) {
				fd, err := syscall.Open(name, syscall.O_CREAT|syscall.O_RDWR, 0o600)
				check(err)
				for range 10 {
					for err = syscall.EINTR; err == syscall.EINTR; {
						err = syscall.Flock(fd, syscall.LOCK_EX)
					}
					check(err)
					held++
					for range 100 {
						a.Yield()
					}
					if held != 1 {
						panic(held)
					}
					held--
					check(syscall.Flock(fd, syscall.LOCK_UN))
				}
				check(syscall.Close(fd))
			}))
		}
		for _, one := range all {
			check(one.Wait(a))
		}
	},
	// A child process waits for what another activity writes.
	"child": func(a *activity.Activity) {
		r, w, err := os.Pipe()
		check(err)
		child := exec.Command("cat")
		child.Stdin = r
		check(child.Start())
		activity.Go(a, func(*activity.Activity) {
			r.Close()
			w.Close()
		})
		check(child.Wait())
	},
	// Many calls about as long as sysmon's patience, with collections.
	"short": func(a *activity.Activity) {
		var all []*activity.Activity
		var done atomic.Int64
		for n := range 16 {
			all = append(all, activity.Go(a, func(*activity.Activity) {
				for turn := range 60 {
					for left := time.Duration(n*turn%7) * 500 * time.Microsecond; left > 0; {
						pause, rest := syscall.NsecToTimespec(int64(left)), syscall.Timespec{}
						if syscall.Nanosleep(&pause, &rest) == nil {
							break
						}
						left = time.Duration(rest.Nano())
					}
					if turn%20 == 0 {
						runtime.GC()
					}
					done.Add(1)
				}
			}))
		}
		for _, one := range all {
			check(one.Wait(a))
		}
		if done.Load() != 16*60 {
			panic(done.Load())
		}
	},
	// The runtime ends while one is in a call.
	"end": func(a *activity.Activity) {
		r, w := pipe()
		rt := freerun.New(freerun.Processors(1))
		var ended atomic.Bool
		one := activity.Go(rt, func(a *activity.Activity) {
			defer ended.Store(true)
			if read(r) != 7 {
				panic("another byte")
			}
			a.Yield()
		})
		time.Sleep(20 * time.Millisecond)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		if err := rt.Shutdown(ctx); err == nil {
			panic("nothing was left")
		}
		write(w, 7)
		one.Wait(a)
		for !ended.Load() {
			a.Yield()
		}
	},
}

func main() {
	rt := freerun.New(freerun.Processors(1))
	defer rt.Close()
	for range 3 {
		check(activity.Go(rt, kinds[os.Args[1]]).Wait(context.Background()))
	}
	fmt.Print("ended")
}
`

// TestSystemCalls: an activity that waits in a system call for what another one does gets it, also
// on one processor.
func TestSystemCalls(t *testing.T) {
	dir := newModule(t, map[string]string{"main.go": inCalls})
	must(t, dir, binary, "build", "-o", "with", ".")
	must(t, dir, binary, "build", "-race", "-o", "race", ".")
	for _, program := range []string{"./with", "./race"} {
		for _, kind := range []string{"pipe", "lock", "child", "short", "end"} {
			if got := must(t, dir, program, kind); got != "ended" {
				t.Errorf("%s %s: %s", program, kind, got)
			}
		}
	}
}

// inBubble is a test whose activities are in system calls in a bubble of testing/synctest.
const inBubble = `package user

import (
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

func TestCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := freerun.New(freerun.Processors(1))
		var all []*activity.Activity
		for range 4 {
			all = append(all, activity.Go(rt, func(a *activity.Activity) {
				for range 5 {
					pause := syscall.NsecToTimespec(int64(3 * time.Millisecond))
					syscall.Nanosleep(&pause, nil)
					a.Yield()
				}
			}))
		}
		for _, a := range all {
			if err := a.Wait(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
}
`

// TestCallsInBubble: in a bubble, where nothing outside may act for an activity, it keeps its
// processor in calls.
func TestCallsInBubble(t *testing.T) {
	dir := newModule(t, map[string]string{"calls_test.go": inBubble})
	must(t, dir, binary, "test", ".")
}
