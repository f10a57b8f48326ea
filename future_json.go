package freerun

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"

	"github.com/freerun-go/freerun/internal/errorcode"
)

// outcomeJSON is a future with an outcome, as JSON: one of the two is there.
type outcomeJSON struct {
	Value json.RawMessage `json:"value,omitempty"`
	Error *errorcode.Data `json:"error,omitempty"`
}

// MarshalJSON encodes the outcome of f: {"value":…} for a result, and {"error":{"text":…}} for an
// error, of which the text survives, and which of the named errors of this package and of the
// standard library it is. The zero Future is null. Any goroutine may call it, and it does not wait:
// the error for a future that has no outcome yet is an [ErrWouldBlock].
func (f Future[R]) MarshalJSON() ([]byte, error) {
	if f.cell == nil {
		return []byte("null"), nil
	}
	closed, err := f.cell.promised.outcomeNow()
	if !closed {
		return nil, openJSON(reflect.TypeFor[R]())
	}
	if err != nil {
		return failureJSON(err)
	}
	if f.isKnown() {
		return resultJSON(&f.value)
	}
	return resultJSON(&f.cell.value)
}

// UnmarshalJSON makes f a future that has the outcome already, as those of [Resolved] and [Failed],
// from what MarshalJSON has written. What f was before is forgotten. It does not wait. The error of
// a failed future has the text that it had, and [errors.Is] finds the named errors that it was.
func (f *Future[R]) UnmarshalJSON(text []byte) error {
	var v R
	there, err := readOutcome(text, &v)
	switch {
	case err != nil:
		return err
	case there.Error != nil:
		*f = Failed[R](there.Error.Error())
	case there.Value != nil:
		*f = Resolved(v)
	default:
		*f = Future[R]{}
	}
	return nil
}

// openJSON is the error for a future that has no outcome yet.
func openJSON(result reflect.Type) error {
	return fmt.Errorf("freerun: a future of %v has no outcome yet, and only futures with an outcome can be encoded (%w)", result, ErrWouldBlock)
}

func failureJSON(err error) ([]byte, error) {
	data := errorcode.Encode(err)
	return json.Marshal(outcomeJSON{Error: &data})
}

// deepest is how many calls may be open where a result is encoded. Each future in the result of
// another is some ten of them.
const deepest = 4000

// errDeep is the error for futures that lie in the results of each other without an end.
var errDeep = errors.New("freerun: a future cannot be encoded whose result leads back to itself, or where 4000 calls are open; " +
	"results in each other may have 200 futures")

// resultJSON encodes the result to which v points. encoding/json finds a value that leads back to
// itself, but not through a future, as each future begins anew: then the depth of the stack tells.
func resultJSON(v any) ([]byte, error) {
	if runtime.Callers(deepest, make([]uintptr, 1)) > 0 {
		return nil, errDeep
	}
	value, err := json.Marshal(v)
	switch {
	case errors.Is(err, errDeep):
		return nil, errDeep // said once, not at each level
	case err != nil:
		return nil, err
	}
	return json.Marshal(outcomeJSON{Value: value})
}

// readOutcome reads the outcome of a future, and a result to where v points. It reads null as
// neither.
func readOutcome(text []byte, v any) (there outcomeJSON, err error) {
	if string(text) == "null" {
		return there, nil
	}
	if err := json.Unmarshal(text, &there); err != nil {
		return there, err
	}
	switch {
	case (there.Value == nil) == (there.Error == nil):
		return there, errors.New("freerun: a future as JSON has either a value or an error, or is null")
	case there.Error == nil:
		return there, json.Unmarshal(there.Value, v)
	case there.Error.IsZero():
		return there, errors.New("freerun: a failed future as JSON has an error with a text")
	}
	return there, nil
}
