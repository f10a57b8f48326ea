package engine

import "errors"

// Log is an engine that several processes share. It has partitions, each with a log, and with
// entries as an [Engine] has them, each with a revision. Any goroutine may call the methods; none
// waits. A callback runs on a goroutine of the engine, or on that of the call; it must not wait.
//
// A call may fail with [ErrUncertain]: then it may have had its effect, or may have it later, when
// its caller has given it up, but not an hour after the call.
type Log interface {
	// Append adds an entry to the log of a partition, and tells its sequence number: that of the
	// last entry and one, or more; the first is 1 or more. Appends of one process to one partition
	// should come in the order of the calls: those that do not are sent again.
	Append(p int, entry []byte, done func(seq uint64, err error))
	// Follow calls each with the entries of a partition behind the number after, and with those to
	// come, one at a time and in their order, until stop is called. lost is called in place of
	// the next entry, and ends it, if that is not there any more (ErrTrimmed), or the engine ends.
	Follow(p int, after uint64, each func(seq uint64, entry []byte), lost func(err error)) (stop func())
	// Trim removes the entries of a partition up to a number, at once or later.
	Trim(p int, through uint64)
	// Swap stores writes in a partition, all of them or none, if the entry of the first one's key
	// has a revision, and tells the new one. Revision 0 is that of an entry that never was. With
	// another revision it fails with ErrConflict.
	Swap(p int, writes []Write, revision uint64, done func(revision uint64, err error))
	// SwapAll is Swap if the entries of the first keys have these revisions, a key each. It tells
	// the new one of the first; of the second it is one more, and so on.
	SwapAll(p int, writes []Write, revisions []uint64, done func(first uint64, err error))
	// Read tells the value of a key in a partition, nil if there is no entry, and its revision. It
	// sees each Swap that was done before the call, in any process.
	Read(p int, key []byte, done func(value []byte, revision uint64, err error))
	// Scan calls each with the entries of a partition whose keys begin with prefix, in any order,
	// and then done. Each entry is as it was at some instant of the call, and as Read sees it.
	// An empty prefix is that of all.
	Scan(p int, prefix []byte, each func(key, value []byte, revision uint64), done func(err error))
}

// Errors of logs.
var (
	// ErrUncertain says that the outcome of a call is not known.
	ErrUncertain = errors.New("it is not known whether it was done")
	// ErrConflict says that an entry has another revision: another process has written it.
	ErrConflict = errors.New("another process has written the entry")
	// ErrTrimmed says that entries of a log are not there any more.
	ErrTrimmed = errors.New("entries of the log were removed")
)

// Shared is a [Log] with what else the processes have that share it: a way to tell each other
// something.
type Shared interface {
	Log
	// Partitions returns how many partitions there are: as many for as long as the data is there.
	Partitions() int
	// Largest returns how many bytes an entry of a log, a value, or a message may have.
	Largest() int
	// Name returns a name of this process. No other one has it, or ever had.
	Name() string
	// Send sends a message to the process of a name, or to all of them, this one too, if to is
	// empty: each gets it at most once. It does not wait.
	Send(to string, message []byte)
	// Listen calls each with the messages to a name, and with those to all, until stop is called.
	Listen(name string, each func(message []byte)) (stop func(), err error)
	// Close ends the engine: calls that come later fail with ErrClosed, or do nothing.
	Close() error
}

// Renaming is a [Shared] of a simulation, which has programs of several versions in one process. It
// tells the name that its program gives a kind, and the names that it had before, by the one of the
// declaration.
type Renaming interface {
	Named(declared string) (given string, was []string)
}
