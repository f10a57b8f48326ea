//go:build (amd64 || arm64) && !race

package queues

import (
	"unsafe"

	"github.com/bytedance/gopkg/collection/lscq"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/queues"
)

// lscqVariants has lscq. It fits no values where lscq does not build (lscq_none.go), and under the
// race detector, which takes the accesses of its assembly for a race.
var lscqVariants = []programs.Variant{
	queues.Variant("lscq", programs.Rival, lscqDoc, queues.Always,
		queues.NonBlocking(func(int) lscqUint64 { return lscqUint64{lscq.NewUint64()} }),
		queues.NonBlocking(func(int) lscqPointer[queues.Wide] { return lscqPointer[queues.Wide]{lscq.NewPointer()} })),
}

const hasLSCQ = true

type lscqUint64 struct{ *lscq.Uint64Queue }

func (q lscqUint64) TryEnqueue(v uint64) bool   { return q.Enqueue(v) }
func (q lscqUint64) TryDequeue() (uint64, bool) { return q.Dequeue() }

// lscqPointer holds items of other types by pointers to copies of them.
type lscqPointer[T any] struct{ *lscq.PointerQueue }

func (q lscqPointer[T]) TryEnqueue(v T) bool { return q.Enqueue(unsafe.Pointer(&v)) }

func (q lscqPointer[T]) TryDequeue() (v T, ok bool) {
	p, ok := q.Dequeue()
	if !ok {
		return v, false
	}
	return *(*T)(p), true
}
