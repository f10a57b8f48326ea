package sched

// Tasks that were woken one after another run before those that have not begun, the newest first
// (ADR 93): they are in the deque. There they may come to lie below what others push all the time,
// and then the oldest of the deque have turns.

// lifoTurn is for how many steps tasks that are woken come before older ones in the deque, and for
// how many more these may lie there then before the oldest have turns. It keeps them from waiting
// as long as others come.
const lifoTurn = 1024

// buried knows of the woken tasks in the deque of a processor's level of Normal. Owner only.
type buried struct {
	since uint32 // the step in which there were none, last seen
	some  bool   // there may be some since then
	lift  int    // how many of the oldest of the deque are still to have turns
}

// comes notes that one more comes into the deque, which may be empty now.
func (b *buried) comes(step uint32, empty bool) {
	if !b.some || empty {
		*b = buried{since: step, some: true}
	}
}

// areOverdue reports whether there may be some for lifoTurn steps already.
func (b *buried) areOverdue(step uint32) bool { return b.some && step-b.since >= lifoTurn }

// areStuck reports whether they are overdue for lifoTurn steps more: where only woken tasks come,
// the deque has run empty before.
func (b *buried) areStuck(step uint32) bool { return b.some && step-b.since >= 2*lifoTurn }

// lifts notes that the oldest has its turn, of that many: until as many have run as there were.
func (b *buried) lifts(tasks int) {
	if b.lift == 0 {
		b.lift = tasks
	}
	if b.lift--; b.lift <= 0 {
		*b = buried{}
	}
}
