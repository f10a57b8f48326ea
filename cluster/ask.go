package cluster

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/codec"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// Answer is the outcome of a question ([Ask]): the argument of the operation that is told it.
type Answer[A, R any] struct {
	Key    string // of the unit that was asked, as it is stored
	Arg    A      // of the question; zero if the asked unit could not read it
	Result R      // zero with an error
	Err    error  // as it was stored: the text survives, and what errors.Is finds
}

// Ask has the durable unit u be told op, with arg, and the unit of the running operation be told
// then, with the outcome. The question is asked if and only if the running operation has its
// effect; the answer comes once, after any crash. So a message that changes several units is a
// chain of such steps, and then undoes what was done before if a later one has failed:
//
//	var deposited = freerun.Op("deposited", paid)
//	…
//	cluster.Ask(c, deposit, accounts.At(c, to), amount, deposited) // in an operation
//	…
//	func paid(c *freerun.Context, a *Account, r cluster.Answer[int, int]) (struct{}, error) {
//		if r.Err != nil {
//			a.Balance += r.Arg // it comes back
//		}
//		return struct{}{}, nil
//	}
//
// An operation that returns an error answers with that, and one that fails for good, after three
// panics for example, with the error that would be recorded otherwise ([Node.Failures]); no failure
// is recorded then. The answer of the other unit is stored with its effect. Between question and
// answer both units go on: what then finds may have changed.
//
// Call it in an operation of a durable unit, on its goroutine; otherwise it returns [ErrOutside].
// It does not wait. It returns [ErrNotDurable] if u is not durable, then is not for states of the
// unit, or an argument or a result cannot be stored.
func Ask[S, A, R, T, X any](c *freerun.Context, op *freerun.Operation[S, A, R], u *freerun.Unit[S], arg A, then *freerun.Operation[T, Answer[A, R], X]) error {
	refused := func(err error) error { return fmt.Errorf("cluster: Ask: %w", err) }
	r, err := runIn(c)
	if err != nil {
		return refused(err)
	}
	n := r.cell.kind.node
	asked := seam.Of(u)
	switch {
	case asked == nil:
		return refused(fmt.Errorf("%w: the unit that is asked is not durable; Tell it", ErrNotDurable))
	case asked.Runtime() != any(n.rt):
		return refused(freerun.ErrOtherRuntime)
	}
	t, err := n.tellOf(asked.Kind(), asked.Key(), freerun.NameOf(op), &arg)
	if err == nil {
		err = t.op.keepsResult()
	}
	if err != nil {
		return refused(err)
	}
	o, err := r.cell.kind.operationOf(freerun.NameOf(then))
	if err != nil {
		return refused(err)
	}
	t.Reply = layout.Reply{Kind: r.cell.kind.stored, Key: r.cell.keyText(), Operation: o.given}
	t.Values = n.carriedBy(c, seam.Senders(c), true)
	r.tells = append(r.tells, t)
	return nil
}

// isQuestion reports whether the outcome of a tell goes to a unit.
func (t *tell) isQuestion() bool { return t.Reply.Operation != "" }

// answer returns what tells the outcome of a question: a result as package codec has it, or err.
func (t *tell) answer(result []byte, err error) *tell {
	a := answer{key: t.Key, arg: t.currentArg(), result: result, err: err}
	to := t.to.node.stored[t.Reply.Kind]
	return &tell{
		Tell: layout.Tell{Kind: t.Reply.Kind, Key: t.Reply.Key, Operation: t.Reply.Operation, Arg: a.encode(to.ops[t.Reply.Operation]), Values: t.Values},
		to:   to, op: to.ops[t.Reply.Operation],
	}
}

// currentArg returns the argument as package codec has it for the type that it has now; nothing if
// it cannot be read.
func (t *tell) currentArg() []byte {
	version, encoded, err := layout.CutVersion(t.Arg)
	if err == nil && version == len(t.op.arg.steps) {
		return encoded
	}
	arg := reflect.New(t.op.arg.codec.Type()).Interface()
	if t.op.arg.decode(t.Arg, arg) != nil {
		return nil
	}
	encoded, _ = t.op.arg.codec.Append(nil, arg)
	return encoded
}

// answer is an Answer in bytes.
type answer struct {
	key         string
	arg, result []byte // as package codec has them; empty for a zero one
	err         error
}

// encode returns the answer as a value, the argument of o.
func (a *answer) encode(o *operation) []byte {
	return a.append(append(layout.AppendVersion(nil, len(o.arg.steps)), codec.FormBinary))
}

func (a *answer) append(b []byte) []byte {
	return layout.AppendParts(b, a.key, string(a.arg), string(a.result), string(encodeError(a.err)))
}

// AppendBinary implements encoding.BinaryAppender.
func (a Answer[A, R]) AppendBinary(b []byte) ([]byte, error) {
	e := answer{key: a.Key, err: a.Err}
	arg, err := codec.Of(reflect.TypeFor[A]())
	if err == nil {
		e.arg, err = arg.Append(nil, &a.Arg)
	}
	if err != nil {
		return nil, err
	}
	result, err := codec.Of(reflect.TypeFor[R]())
	if err == nil {
		e.result, err = result.Append(nil, &a.Result)
	}
	if err != nil {
		return nil, err
	}
	return e.append(b), nil
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (a *Answer[A, R]) UnmarshalBinary(b []byte) error {
	var parts [4]string
	rest, err := layout.CutParts(b, parts[:])
	if err == nil && len(rest) > 0 {
		err = errors.New("there is more behind the answer")
	}
	if err != nil {
		return err
	}
	a.Key = parts[0]
	if err := decodeInto(&a.Arg, parts[1]); err != nil {
		return fmt.Errorf("the argument of the question: %w", err)
	}
	if err := decodeInto(&a.Result, parts[2]); err != nil {
		return fmt.Errorf("the result: %w", err)
	}
	if a.Err, err = decodeError([]byte(parts[3])); err != nil {
		return fmt.Errorf("the error: %w", err)
	}
	return nil
}

// decodeInto reads a value; one that is empty is zero.
func decodeInto[T any](at *T, encoded string) error {
	*at = *new(T)
	if encoded == "" {
		return nil
	}
	c, err := codec.Of(reflect.TypeFor[T]())
	if err != nil {
		return err
	}
	return c.Decode([]byte(encoded), at)
}
