package cluster

import (
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// Sketch:     the owner of a partition has the wakes of its units. One that rings sends the unit a
//             command, which has the unit tell itself what is due: so that has a number of the log
// Invariants: W7 A command that wakes a unit for nothing changes nothing. So it may come late, from
//             an owner of before, or twice.

// readOf sets the wakes of a partition that this machine owns now.
func (w *wakes) readOf(pt *part, o *partition.Owner) {
	pt.of.engine.Scan(pt.p, []byte(layout.Wake), func(key, value []byte, _ uint64) {
		pt.turn.Run(func() {
			if pt.owner.Load() != o {
				return
			}
			if err := w.found(key, value); err != nil {
				pt.of.fails(o, err)
			}
		})
	}, func(err error) {
		if err != nil {
			pt.turn.After(leastPause, func() {
				if pt.owner.Load() == o {
					w.readOf(pt, o)
				}
			})
		}
	})
}

// dropsOf drops the wakes of a partition that another machine owns now.
func (w *wakes) dropsOf(pt *part) {
	for record, e := range w.units.Range {
		if pt.of.partOf(record.(string)) == pt && w.units.CompareAndDelete(record, e) {
			e.(*wake).stop()
		}
	}
}

// ringShared sends the unit of a wake a command, and rings again later if the wake is the same.
func (w *wakes) ringShared(e *wake) {
	if w.node.shared.partOf(e.record).owner.Load() == nil {
		w.units.CompareAndDelete(e.record, e) // the owner has it
		return
	}
	w.node.shared.machine.Send(e.record, layout.Command{}.Encode(), func(err error) {
		if err == nil {
			w.start(e, mostPause)
		} else {
			w.again(e)
		}
	}, nil)
}
