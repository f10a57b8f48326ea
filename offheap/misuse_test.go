//go:build !explore

package offheap_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/runtimetest/misuse"
	"github.com/freerun-go/freerun/offheap"
)

// TestMisuseIsTold calls methods of zero values, and with arguments that do not exist. It holds
// that each panic or error says what would be right.
func TestMisuseIsTold(t *testing.T) {
	misuse.Check(t, misuse.Calls{
		"Alloc": {
			"offheap: a nil or zero Arena; make arenas with New",
			func() { _, _ = new(offheap.Arena).Alloc(1) },
		},
		"Alloc of more": {
			"offheap: a nil or zero Arena; make arenas with New",
			func() { _, _ = new(offheap.Arena).Alloc(100) },
		},
		"AllocZero": {
			"offheap: a nil or zero Arena; make arenas with New",
			func() { _, _ = new(offheap.Arena).AllocZero(0) },
		},
		"Free": {
			"offheap: a nil or zero Arena; make arenas with New",
			func() { new(offheap.Arena).Free(1) },
		},
		"Bytes": {
			"offheap: a nil or zero Arena; make arenas with New",
			func() { new(offheap.Arena).Bytes(1) },
		},
		"Resize": {
			"offheap: a nil or zero Arena; make arenas with New",
			func() { _, _ = new(offheap.Arena).Resize(1, 1) },
		},
		"Close": {
			"offheap: a nil or zero Arena; make arenas with New",
			func() { _ = new(offheap.Arena).Close() },
		},
		"Usage": {
			"offheap: a nil or zero Arena; make arenas with New",
			func() { new(offheap.Arena).Usage() },
		},
		"Stats": {
			"offheap: a nil or zero Arena; make arenas with New",
			func() { new(offheap.Arena).Stats() },
		},
		"Leaks": {
			"offheap: a nil or zero Arena; make arenas with New",
			func() { new(offheap.Arena).Leaks() },
		},
		"Trim": {
			"offheap: a nil or zero Arena; make arenas with New",
			func() { new(offheap.Arena).Trim() },
		},
		"Usage of nil": {
			"offheap: a nil or zero Arena; make arenas with New",
			func() { (*offheap.Arena)(nil).Usage() },
		},
		"New with a zero Option": {
			"offheap: a zero Option, the one with index 0",
			func() { _, err := offheap.New(1<<20, offheap.Option{}); panic(err) },
		},
		"ViewOf nil": {
			"offheap: ViewOf a nil or zero Arena; make arenas with New",
			func() { _, err := offheap.ViewOf[int](nil); panic(err) },
		},
		"ViewOf the zero Arena": {
			"offheap: ViewOf a nil or zero Arena; make arenas with New",
			func() { _, err := offheap.ViewOf[int](new(offheap.Arena)); panic(err) },
		},
	})
}
