package cluster

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/freerun-go/freerun/cluster/internal/codec"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/partition"
	"github.com/freerun-go/freerun/internal/errorcode"
)

// Errors of stores. Test with [errors.Is].
var (
	// ErrStateLost says that what was stored is not there, or is not what was stored: a folder
	// without a store, a file of another program, a flipped bit. Nothing is repaired silently.
	ErrStateLost = engine.ErrStateLost
	// ErrNoSpace says that there is no room for a state. What failed with it had no effect; the
	// store goes on when there is room again.
	ErrNoSpace = engine.ErrNoSpace
	// ErrStopped says that the store takes no more writes, because it does not know whether the
	// last ones are durable: after a failed fsync, for example. Start the program again. Over
	// servers of NATS: they have lost what they had acknowledged, as the log of the program says.
	ErrStopped = engine.ErrStopped
	// ErrTooLarge says that a state, an argument, or a result takes more bytes than the store can
	// have in one piece; or what an operation has told, together with its result. Nothing of it has
	// an effect. Keep parts of a large state in units of their own.
	ErrTooLarge = engine.ErrTooLarge
	// ErrInUse says that another process, or another runtime of this one, has the store.
	ErrInUse = engine.ErrInUse
	// ErrClosed says that the node has left its store.
	ErrClosed = engine.ErrClosed
	// ErrUncertain says that what was sent to a unit that several machines share may have had its
	// effect, or may have it yet: no outcome has come within 30 seconds, or the machine that had
	// it has ended, or the own node has. What went through the log has its effect once if it was
	// accepted, and what is sent with [Direct] may have it once. The same with an identity
	// ([Once]), sent again, finds out. Where the deadline of what was sent has passed, it wraps
	// [context.DeadlineExceeded], too.
	ErrUncertain = engine.ErrUncertain
	// ErrNotRun says that what was sent to such a unit has had no effect, and will have none: the
	// servers, or a machine that has the unit, were not reached.
	ErrNotRun = partition.ErrNotRun
)

// Errors of what is sent to durable units, or by them.
var (
	// ErrNotDurable says that what was sent cannot be stored, since it has no name: a function
	// given to Do or Read; or since its argument cannot be; or that an operation is on durable
	// units and on others.
	ErrNotDurable = errors.New("cluster: it cannot be stored")
	// ErrNotSent says that what was sent to a unit that machines share ([Volatile]) cannot go to
	// another machine: it has no name, or is on several units; or the program there does not have
	// it.
	ErrNotSent = errors.New("cluster: it cannot be sent to another machine")
	// ErrNewer says that what is stored is of a later version of its type than this program has
	// ([Migrate]). Start a newer program.
	ErrNewer = errors.New("cluster: a later version of the program has stored it")
	// ErrOutside says that something is for operations on one durable unit that may change the
	// state, and was called elsewhere: a timer, a question.
	ErrOutside = errors.New("cluster: not in an operation of a durable unit")
	// ErrOtherOperation says that the identity of an operation ([Once]) was that of another
	// operation before.
	ErrOtherOperation = errors.New("cluster: the identity belongs to another operation")
	// ErrOtherTag says that the units of an operation on several units have no tag in common
	// ([Tagged]).
	ErrOtherTag = errors.New("cluster: no tag in common")
	// ErrNoStore says that a unit is durable, and its runtime has joined no store.
	ErrNoStore = errors.New("cluster: the runtime has no store")
	// ErrWithin says that an operation of a durable unit has sent, to a durable unit, something
	// whose outcome it would get as a future: no record can hold a future. Or that it has sent
	// something to several durable units.
	ErrWithin = errors.New("cluster: an operation of a durable unit cannot have the outcome of another one")
	// ErrForwarded says that an operation of a durable unit has returned a future that is open, or
	// a result that holds one: what it has changed is undone. Or that it has told a durable unit
	// something with an argument that holds one.
	ErrForwarded = errors.New("cluster: what an operation of a durable unit has returned or told waits for a future")
)

// StoredError gives an error that a program tests for the name under which it is stored: then
// [errors.Is] finds it in an error that was stored, in what [Ask] and [Once] bring back. It returns
// err:
//
//	var errPoor = cluster.StoredError("bank.errPoor", errors.New("insufficient funds"))
//
// Other errors keep their text alone. The errors of freerun and of the standard library that
// programs test for have names already. A name has 1 to 128 letters and digits of ASCII and any of
// _ . / -, and is for good. Call it when the program begins. It panics for other names, for one
// that is taken, for a nil error, and for one that has a name or cannot be compared.
func StoredError(name string, err error) error {
	errorcode.Register(name, err)
	return err
}

// encodeError returns an error as it is stored; nothing for nil.
func encodeError(err error) []byte {
	if err == nil {
		return nil
	}
	b, _ := json.Marshal(dataOf(err)) // strings alone
	return b
}

// dataOf returns an error as data. A method of it that panics, or calls runtime.Goexit, is what the
// data says.
func dataOf(err error) (d errorcode.Data) {
	ends := codec.Apart(func() error {
		d = errorcode.Encode(err)
		return nil
	})
	if ends != nil {
		d = errorcode.Data{Text: fmt.Sprintf("an error of type %T, of which nothing is known: %v", err, ends)}
	}
	return d
}

// decodeError reads what encodeError has written.
func decodeError(b []byte) (stored, err error) {
	if len(b) == 0 {
		return nil, nil
	}
	var data errorcode.Data
	err = json.Unmarshal(b, &data)
	return data.Error(), err
}

func init() {
	for name, err := range map[string]error{
		"ErrClosed": ErrClosed, "ErrForwarded": ErrForwarded, "ErrInUse": ErrInUse, "ErrNewer": ErrNewer, "ErrNoSpace": ErrNoSpace,
		"ErrNoStore": ErrNoStore, "ErrNotDurable": ErrNotDurable, "ErrNotRun": ErrNotRun, "ErrNotSent": ErrNotSent, "ErrOtherOperation": ErrOtherOperation, "ErrOtherTag": ErrOtherTag, "ErrOutside": ErrOutside,
		"ErrStateLost": ErrStateLost, "ErrStopped": ErrStopped, "ErrTooLarge": ErrTooLarge, "ErrUncertain": ErrUncertain, "ErrWithin": ErrWithin,
	} {
		errorcode.Register("cluster."+name, err)
	}
}
