package cluster

import (
	"fmt"
	"strings"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/route"
)

// Volatile has several machines share the units of a kind that is not durable: each unit is on one
// of them, in memory, and what is sent to it goes there. It is an option of [freerun.NewKind]:
//
//	var rooms = freerun.NewKind("room", fresh, cluster.Volatile())
//	…
//	join.Send(c, rooms.At(c, "lobby"), name) // wherever the lobby is
//
// A runtime that has joined a store that machines share ([Join]) has the units of some keys, as it
// has those of durable units: see [OwnerOf]. In others all units are in the runtime itself, and
// the option makes no difference but for what is refused.
//
//   - An operation has its effect at most once. What one machine sends to one unit comes in the
//     order of sending. If the machine that has the unit ends, or is not heard of for 1.2 seconds,
//     what is under way there fails with [ErrUncertain]: it may have run. What was not taken there
//     goes to the next machine. A call whose outcome is lost with a connection fails with
//     ErrUncertain, too, some three seconds later; and so does any after 30 seconds, or at the
//     deadline of the scope or the Call, or with [ErrNotRun] if it was never sent.
//   - The state is lost with the machine, and when another machine gets the unit: the function of
//     the kind makes a new one there. A machine that leaves in order ([Node.Close]), or that gives
//     units to a machine that has come, runs what it has taken, and then stops the units: the
//     function of [freerun.OnStop] may save them. The other machine waits for that, 2 seconds at
//     most. When a machine is cut off there may be two units of one key for some seconds.
//   - A Tell counts as done when its operation is, and is a lost message of the sender's runtime
//     otherwise. Errors keep their text, and their identity if they have a name ([StoredError]); of
//     a panic of an operation elsewhere there is the text.
//   - An argument that holds futures is sent when they have outcomes. A result that is, or holds,
//     an open future comes when that has one.
//   - When the scope of a message is canceled, or its Call gives up, it fails at once; where the
//     unit is it does not begin any more, a quarter of a second later at most.
//   - What is sent is a value: an argument, a result and a key as a state of a durable unit is
//     ([Durable]), whether the unit is here or not. They are not copied if it is here.
//   - With a message go its deadline, the identity of [Once], [Direct], and the values that
//     [Travels] names; not its scope and its priority.
//   - 65,536 messages may be under way from a machine, with 256 MiB; more fail with
//     [freerun.ErrFull].
//
// Refused with [ErrNotSent] are functions without a name ([freerun.Do], [freerun.Read],
// [freerun.When2]), operations on several units, [freerun.Suspend] and [freerun.Retire], and in
// joined runtimes operations whose arguments or results cannot be encoded. [freerun.Kind.Stop],
// Len and All are about the units of the own runtime.
//
// The name of the kind consists of a-z, 0-9, _ and -: it and the names of operations are those in
// the declarations, on all machines. Machines with an older program that does not have one of them
// refuse it with [ErrNotSent].
func Volatile() freerun.KindOption { return seam.Routed(volatile{}) }

// volatile is the route of units that machines share, and that are not durable.
type volatile struct{}

var _ route.Behind = volatile{}

// LeavesBehind implements [route.Behind].
func (volatile) LeavesBehind() {}

// Decide implements [route.Route].
func (volatile) Decide(m route.Message) (route.Verdict, error) {
	op := m.Operation()
	switch {
	case op.Form == route.Control:
		return route.Here, nil
	case op.Name == "":
		return 0, fmt.Errorf("%w: a function has no name; declare an operation with freerun.Op or freerun.ReadOp", ErrNotSent)
	case op.Form == route.Several:
		return 0, fmt.Errorf("%w: %s is on several units, and each may be on another machine; send to each unit", ErrNotSent, shorten(op.Name))
	case strings.HasPrefix(shorten(op.Name), "freerun."):
		return 0, fmt.Errorf("%w: %s is for units of one process", ErrNotSent, shorten(op.Name))
	case m.Ahead():
		return route.Here, nil
	}
	rt := m.Runtime().(*freerun.Runtime)
	n := nodeOf(rt)
	switch {
	case n == nil && hasLeft(rt):
		return 0, fmt.Errorf("cluster: units of kind %s are on other machines: %w", shorten(m.Kind()), ErrClosed)
	case n == nil || n.shared == nil:
		return route.Here, nil
	}
	return n.shared.calls.decide(m, op)
}
