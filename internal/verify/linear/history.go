package linear

import (
	"fmt"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// A History lists the calls that ended, in the order in which they ended.
type History []Operation

// undecided is the time after which Check gives up on a history, with an error.
const undecided = time.Minute

// Sequential returns the history of one thread that makes one call after another, for the tests of
// models. Its arguments are calls and answers in turn.
func Sequential(callsAndAnswers ...any) History {
	var h History
	for i := 0; i < len(callsAndAnswers); i += 2 {
		call, answer := callsAndAnswers[i].(Call), callsAndAnswers[i+1].(Answer)
		h = append(h, Operation{Call: call, Answer: answer, Begin: int64(i), End: int64(i + 1)})
	}
	return h
}

// Check returns nil if the model allows the history: if there is an order of its calls that keeps
// the order of calls that do not overlap, and in which the model gives these answers. Otherwise the
// error prints the history.
func Check(m Model, h History) error {
	operations, inputs := make([]porcupine.Operation, len(h)), h.inputs(m)
	for i, o := range h {
		operations[i] = porcupine.Operation{ClientId: o.Client, Input: inputs[i], Call: o.Begin, Output: o.Answer, Return: o.End}
	}
	checked := porcupine.Model{
		Init: func() any { return state{} },
		Step: func(s, in, out any) (bool, any) { return m.take(s.(state), in.(input), out.(Answer)) },
		Equal: func(a, b any) bool {
			return a.(state).equal(b.(state))
		},
	}
	switch porcupine.CheckOperationsTimeout(checked, operations, undecided) {
	case porcupine.Ok:
		return nil
	case porcupine.Unknown:
		return fmt.Errorf("it could not be decided in %v whether this is a history of %s:\n%s", undecided, m.name, h)
	default:
		return fmt.Errorf("this is no history of %s:\n%s", m.name, h)
	}
}

// Overlaps returns the number of calls that overlap a call of another client that ended later.
func (h History) Overlaps() int {
	count := 0
	for i, o := range h {
		for _, later := range h[i+1:] {
			if later.Begin <= o.End && later.Client != o.Client {
				count++
				break
			}
		}
	}
	return count
}

// String prints the history: a line for each call, in the order in which the calls ended, with the
// two instants between which the call took effect.
func (h History) String() string {
	var b strings.Builder
	for _, o := range h {
		joined := ""
		if o.Joined {
			joined = ", and at the same instant"
		}
		fmt.Fprintf(&b, "  client %d  [%3d,%3d]  %s%s\n", o.Client, o.Begin, o.End, o, joined)
	}
	return b.String()
}

// String prints the call and the answer.
func (o Operation) String() string {
	added := fmt.Sprintf("%v(%d)", o.Call.Verb, o.Call.Value)
	switch {
	case o.Answer.Lost:
		return fmt.Sprintf("%v() lost a race", o.Call.Verb)
	case o.Call.Verb == Len:
		return fmt.Sprintf("Len() = %d", o.Answer.Value)
	case o.Call.Verb == Empty:
		return fmt.Sprintf("Empty() = %v", o.Answer.OK)
	case o.Call.Verb == Room:
		return fmt.Sprintf("there was room for no more than %d", o.Answer.Value)
	case o.Call.Verb == Stock:
		return fmt.Sprintf("there were no more than %d", o.Answer.Value)
	case o.Call.Verb.adds() && o.Answer.OK:
		return added + " true"
	case o.Call.Verb.adds():
		return added + " false"
	case o.Answer.OK:
		return fmt.Sprintf("%v() = %d, true", o.Call.Verb, o.Answer.Value)
	default:
		return fmt.Sprintf("%v() = %d, false", o.Call.Verb, o.Answer.Value)
	}
}
