package cluster

import (
	"fmt"
	"strings"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/route"
)

// seam has the services of package freerun for modules that route messages and store states.
var seam = route.For[freerun.UnitOption, freerun.KindOption, *freerun.Context, *freerun.Invocation]()

// Durable makes the units of a kind durable: a unit keeps its state, and what it has told other
// durable units, when it is passive, when the process is killed, and when the power fails. It is an
// option of [freerun.NewKind]:
//
//	var accounts = freerun.NewKind("account", fresh, cluster.Durable())
//
// The units take the operations that all units with that state take. An operation on a durable unit
// has its outcome once what it has changed is stored: so who has the outcome knows that. An
// operation whose outcome did not come, since the process ended, has had its whole effect, or
// none. Operations of a unit that come together are stored together, with one write.
//
//   - The function of the kind makes the state of a key that has none stored. What it makes is
//     stored with the first operation.
//   - A Tell from an operation of a durable unit to a durable unit is stored with what the
//     operation has changed. It takes effect once, after any crash, if and only if the operation
//     does; what one unit tells another comes in that order. A Shutdown delivers what follows from
//     each other up to 100 messages in a row, and leaves the rest to the next process.
//   - What an operation sends to units that are not durable leaves when its effect is stored, in
//     the order of sending, right before its outcome is known: at most once. If the operation is
//     undone, it is withdrawn: a future of it fails with [freerun.ErrCanceled]. So it is with all
//     that it begins: free operations, timers, activities, jobs. What it sends through
//     [freerun.Runtime.Context], and what a goroutine sends, leaves at once. Branches of joins run
//     one after another.
//   - A panic undoes what the operation has changed. It is tried again, three times in all, and
//     then fails with the [freerun.PanicError]. Operations that came between the last write and
//     the panic run again, too, in their order: their outcomes are not known yet. An error undoes
//     nothing.
//   - A read ([freerun.ReadOp]) sees what is stored: it waits for the write of what it has seen,
//     and what it sends leaves then.
//   - If a state cannot be stored, the operations fail whose changes it holds, and the unit has the
//     last stored state again.
//
// An operation on several units ([freerun.Op2], [freerun.OpAll]) needs a tag that they have in
// common: see [Tagged].
//
// Refused are: functions without a name ([freerun.Do], [freerun.Read], [freerun.When2]) with
// [ErrNotDurable]; a Send from an operation of a durable unit to a durable unit, with
// [ErrWithin]; and a result that is, or holds, an open future, or the argument of what it tells a
// durable unit, with [ErrForwarded]. In a runtime
// that has not joined a store ([Join]) a message to a durable unit fails with [ErrNoStore].
//
// A state, and each argument of what an operation tells, is stored as its method AppendBinary of
// [encoding.BinaryAppender] says, or else as JSON. It may take 16 MiB. A field with the tags
// durable:"-" json:"-" is left out; one that would be lost without them is an error of Join. A
// method of such types that panics, or calls [runtime.Goexit], fails what needs it.
//
// A key is stored as its text, of at most 512 bytes, if it is a string or an integer, and otherwise
// as a state is. It has to be the same key when it is read again: so it has no pointers, and no
// fields that are left out.
//
// Durable takes no options of the kind that say what a panic does ([freerun.Restarts],
// [freerun.StopOnPanic]): that is said above.
//
// What durable units tell those of a kind with [freerun.MaxActive] waits until there is room; what
// comes from outside fails with [freerun.ErrFull] then, as for other kinds.
//
// A unit costs nothing while it is passive, but its place in the store.
//
// The options say what earlier versions of the program have stored. Durable panics if one is zero.
func Durable(options ...StoredOption) freerun.KindOption {
	return seam.Stored(durable{inherit("Durable", options)})
}

// durable is the route and the store of durable units. What it needs beside a unit is in the node
// of the unit's runtime.
type durable struct{ of *heritage }

// Stays implements [route.Quick].
func (durable) Stays(op *route.Operation, sender route.Held) bool {
	switch {
	case op.Form == route.Control:
		return true
	case op.Form == route.Several || op.Name == "" || sharers.Load() > 0:
		return false
	}
	return !isWithin(sender)
}

// isWithin reports whether the sender is an operation of a durable unit that may change its state.
func isWithin(sender route.Held) bool {
	if sender == nil {
		return false
	}
	r, _ := sender.Get().(*run)
	return r != nil && !r.reads
}

// Decide implements [route.Route].
func (d durable) Decide(m route.Message) (route.Verdict, error) {
	op, s := m.Operation(), m.Sender()
	n := nodeOf(m.Runtime().(*freerun.Runtime))
	switch {
	case op.Form == route.Control:
		return route.Here, nil
	case op.Form == route.Several && op.Name == "":
		return 0, fmt.Errorf("%w: a function has no name; declare an operation with freerun.Op2 or freerun.OpAll", ErrNotDurable)
	case op.Name == "":
		return 0, fmt.Errorf("%w: a function has no name; declare an operation with freerun.Op or freerun.ReadOp", ErrNotDurable)
	case n != nil && n.shared != nil && !isWithin(s) && m.Ahead(): // it leaves later
		return route.Here, nil
	case n != nil && n.shared != nil && !isWithin(s):
		return route.Elsewhere, n.shared.send(m, op)
	case op.Form != route.Several && !isWithin(s):
		return route.Here, nil
	case op.Form == route.Several && isWithin(s):
		return 0, fmt.Errorf("%w: it has sent %s to several durable units; Tell or Ask each one", ErrWithin, op.Name)
	case op.Form == route.Several:
		return route.Here, ofOneTag(op.Name, m.Units())
	case !m.Told():
		return 0, fmt.Errorf("%w: it has sent %s to unit %v of kind %s; Tell it", ErrWithin, op.Name, m.Key(), m.Kind())
	case m.Ahead():
		return 0, fmt.Errorf("%w: the argument of %s, which it has told unit %v of kind %s, holds an open one; no record can hold that", ErrForwarded, op.Name, m.Key(), m.Kind())
	}
	if err := s.Get().(*run).tell(m, op); err != nil {
		return 0, err
	}
	m.Resolve(nil, nil) // the record has it
	return route.Elsewhere, nil
}

// Load implements [route.Store].
func (durable) Load(u route.Unit[*freerun.Context], into any, done func(found bool, err error)) {
	c, err := cellOf(u)
	if err != nil {
		done(false, notLoaded{err})
		return
	}
	c.load(into, done)
}

// Leave implements [route.Store].
func (durable) Leave(u route.Unit[*freerun.Context], state any, stopped bool) bool {
	c := u.Local().(*cell)
	leaves := false
	if stopped {
		leaves = c.leave(state)
	} else {
		leaves = c.idle()
	}
	if leaves && c.logged != nil {
		c.logged.part.cells.Delete(c)
	}
	return leaves
}

// Around implements [route.Store].
func (durable) Around(ctx *freerun.Context, i *freerun.Invocation) error {
	if seam.Form(i) == route.Several {
		return takeSeveral(ctx, i)
	}
	c := seam.Unit(i).Local().(*cell)
	if seam.Form(i) == route.Read {
		return c.read(ctx, i)
	}
	return c.invoke(ctx, i)
}

// shorten cuts the path of a full name, for errors.
func shorten(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
