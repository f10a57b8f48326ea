//go:build gc && (amd64 || arm64) && !freerun_portable && !go1.27

package goid

import (
	"fmt"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"
)

// TestLayoutKeepsItsTurn holds that the search of the offsets does not give way to goroutines that
// are ready: beside one that computes, each of its turns takes 10 ms. With one P, another goroutine
// counts its turns. It may have one because Go looks at the queue of all Ps now and then, and more
// where the machine is slow. So the best of several searches counts.
func TestLayoutKeepsItsTurn(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var turns atomic.Int64
	var over atomic.Bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for !over.Load() {
			turns.Add(1)
			runtime.Gosched()
		}
	}()
	for turns.Load() == 0 {
		runtime.Gosched()
	}
	const few = 2
	var all []int64
	for range 50 {
		before := turns.Load()
		if l := findLayout(); l != layout() || l == (offsets{}) {
			t.Errorf("found %+v, and %+v before", l, layout())
		}
		all = append(all, turns.Load()-before)
		if all[len(all)-1] <= few {
			break
		}
	}
	over.Store(true)
	<-ended
	if all[len(all)-1] > few {
		t.Errorf("another goroutine had %d turns in the searches, want %d at most in one", all, few)
	}
}

// TestNumberIsInTheTrace holds the word that was found against what Go prints.
func TestNumberIsInTheTrace(t *testing.T) {
	for range 10 {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			var trace [64]byte
			var printed uint64
			runtime.Stack(trace[:], false)
			if _, err := fmt.Sscanf(string(trace[:]), "goroutine %d ", &printed); err != nil || printed != Number() {
				t.Errorf("the number is %d, in the trace %d (%v)", Number(), printed, err)
			}
		}()
		<-ended
	}
}

func TestIsFunction(t *testing.T) {
	begin := uint64(reflect.ValueOf(isFunction).Pointer())
	var local int
	data := uint64(reflect.ValueOf(&local).Pointer())
	for address, want := range map[uint64]bool{begin: true, begin + 1: false, data: false, 0: false, ^uint64(0): false} {
		if got := isFunction(address); got != want {
			t.Errorf("a function begins at %#x: %v, want %v", address, got, want)
		}
	}
}

// BenchmarkLayout measures what the first question costs in a process.
func BenchmarkLayout(b *testing.B) {
	for b.Loop() {
		findLayout()
	}
}
