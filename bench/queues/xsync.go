package queues

import (
	"github.com/puzpuzpuz/xsync/v4"

	"github.com/freerun-go/freerun/programs"
)

func xsyncSPSC[T item](programs.Values) line[T] { return totalLine[T](xsync.NewSPSCQueue[T](capacity)) }

func xsyncMPMC[T item](programs.Values) line[T] { return totalLine[T](xsync.NewMPMCQueue[T](capacity)) }

// xsyncUMPSC is told the end by items of number 0, one for its only consumer, since its Dequeue waits for ever.
func xsyncUMPSC[T item](programs.Values) line[T] {
	q := xsync.NewUMPSCQueue[T]()
	return line[T]{
		producer: func() (func(T), func()) { return q.Enqueue, nil },
		consumer: func() func() (T, bool) {
			return func() (T, bool) {
				v := q.Dequeue()
				return v, number(&v) != 0
			}
		},
		patient: true,
		end:     func() { q.Enqueue(made[T](0)) },
	}
}
