package freerun_test

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/verify/conformance"
)

// stackOfWaiting is the environment variable that makes this test binary print how many bytes of
// stack a waiting activity has.
const stackOfWaiting = "FREERUN_STACK_OF_WAITING"

// TestWaitingActivityStack holds that an activity which waits has the stack that Go begins a
// goroutine with: nothing that it has called on its way has made Go double it. A process of its own
// measures that, since Go begins with larger stacks once those of other tests were large.
func TestWaitingActivityStack(t *testing.T) {
	if os.Getenv(stackOfWaiting) != "" {
		os.Stdout.WriteString("stack " + strconv.FormatUint(waitingStack(), 10) + "\n")
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := exec.Command(self, "-test.run=^"+t.Name()+"$", "-test.count=1", "-test.v=false")
	run.Env = append(os.Environ(), stackOfWaiting+"=1", "GODEBUG=adaptivestackstart=0")
	text, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	_, rest, _ := strings.Cut(string(text), "stack ")
	digits, _, _ := strings.Cut(rest, "\n")
	bytes, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	most := 2200 // 2 KiB, and what the process needs besides
	if conformance.RaceDetector || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		most = 8400 // larger frames, or larger stacks to begin with
	}
	if bytes < 1000 || bytes > most {
		t.Errorf("a waiting activity has %d bytes of stack, more than %d", bytes, most)
	}
}

// waitingStack returns how many bytes of stack each of many activities has that wait: some for an
// event, some for a lock.
func waitingStack() uint64 {
	const many = 10_000
	rt := freerun.New(freerun.Processors(1))
	var e activity.Event
	var l activity.FairMutex
	begun := make(chan struct{}, many)
	l.TryLock()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range many {
		activity.Go(rt, func(a *activity.Activity) {
			begun <- struct{}{}
			if i%2 == 0 {
				_ = e.Wait(a)
			} else if l.Lock(a) == nil {
				l.Unlock()
			}
		})
	}
	for range many {
		<-begun
	}
	time.Sleep(10 * time.Millisecond)
	runtime.GC()
	runtime.ReadMemStats(&after)
	e.Set()
	l.Unlock()
	_ = rt.Close()
	return (after.StackInuse - before.StackInuse) / many
}

// BenchmarkWaiting has b.N tasks wait for the same thing. It reports the memory of each: its stack,
// and all that the process has obtained from the system. Give it a number, and run one at a time:
//
//	go test -run '^$' -bench 'Waiting/activities' -benchtime 1000000x .
func BenchmarkWaiting(b *testing.B) {
	measure := func(b *testing.B, start func(begun chan<- struct{}), end func()) {
		var before, after runtime.MemStats
		begun := make(chan struct{}, b.N)
		runtime.ReadMemStats(&before)
		start(begun)
		for range b.N {
			<-begun
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		end()
		n := float64(b.N)
		b.ReportMetric(float64(after.StackInuse-before.StackInuse)/n, "stack_B/op")
		b.ReportMetric(float64(after.Sys-after.HeapReleased-(before.Sys-before.HeapReleased))/n, "process_B/op")
	}
	b.Run("activities", func(b *testing.B) {
		rt := freerun.New()
		var e activity.Event
		measure(b, func(begun chan<- struct{}) {
			for range b.N {
				activity.Go(rt, func(a *activity.Activity) {
					begun <- struct{}{}
					_ = e.Wait(a)
				})
			}
		}, func() {
			e.Set()
			_ = rt.Close()
		})
	})
	b.Run("goroutines", func(b *testing.B) {
		end := make(chan struct{})
		var ended sync.WaitGroup
		measure(b, func(begun chan<- struct{}) {
			for range b.N {
				ended.Go(func() {
					begun <- struct{}{}
					<-end
				})
			}
		}, func() {
			close(end)
			ended.Wait()
		})
	})
}
