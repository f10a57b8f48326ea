//go:build !explore

package gc

import (
	"context"
	"fmt"
	"testing"

	"github.com/freerun-go/freerun/offheap"
)

// TestMisuseIsTold calls methods of zero values, and with arguments that do not exist. It holds
// that each panic or error says what would be right.
func TestMisuseIsTold(t *testing.T) {
	var noContext context.Context
	for name, misuse := range map[string]struct {
		want string
		use  func()
	}{
		"For the zero Heap": {
			"gc: a nil or zero Heap; make heaps with New",
			func() { _, _ = For[int](new(Heap)) },
		},
		"For nil": {
			"gc: a nil or zero Heap; make heaps with New",
			func() { _, _ = For[int](nil) },
		},
		"Stats": {
			"gc: a nil or zero Heap; make heaps with New",
			func() { new(Heap).Stats() },
		},
		"Collect": {
			"gc: a nil or zero Heap; make heaps with New",
			func() { _ = new(Heap).Collect(t.Context()) },
		},
		"Step": {
			"gc: a nil or zero Heap; make heaps with New",
			func() { new(Heap).Step(1) },
		},
		"Tend": {
			"gc: a nil or zero Heap; make heaps with New",
			func() { _ = new(Heap).Tend(t.Context()) },
		},
		"Close": {
			"gc: a nil or zero Heap; make heaps with New",
			func() { _ = new(Heap).Close() },
		},
		"Collect without context": {
			"gc: a nil context.Context; use context.Background() if there is none",
			func() { _ = openHeap(t, 1<<20).Collect(noContext) },
		},
		"Tend without context": {
			"gc: a nil context.Context; use context.Background() if there is none",
			func() { _ = openHeap(t, 1<<20).Tend(noContext) },
		},
		"New with a zero Option": {
			"gc: a zero Option, the one with index 0",
			func() {
				a, err := offheap.New(1 << 20)
				if err != nil {
					t.Fatal(err)
				}
				defer a.Close()
				_, err = New(a, Option{})
				panic(err)
			},
		},
		"New on a zero Arena": {
			"offheap: a nil or zero Arena; make arenas with New",
			func() { _, _ = New(new(offheap.Arena)) },
		},
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); text != misuse.want {
					t.Errorf("%s panics with %q, want %q", name, text, misuse.want)
				}
			}()
			misuse.use()
		}()
	}
}
