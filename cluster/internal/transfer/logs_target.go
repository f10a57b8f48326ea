//go:build !wasm

package transfer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// Sketch:     the records are written as those of units that are at the beginning of their logs
//             what is under way is sent in its order: what a process has sent in a session, and all
//             else as what operations have sent, with numbers before all others (partition.Carrier)
//             then all entries are read again
// Invariants: T1 No command of the copy has the number of a failure, which has that of a command
//             on several machines: the failures have numbers below, and the log begins above.

// LogsTarget is a store that machines share, as a target. It is new, and empty.
type LogsTarget struct {
	Logs

	room     layout.Room
	writer   *writer
	sender   *sender
	failures []uint64 // by partition: the number of the last one
	sums     []sum    // of the entries, by partition
}

// sum tells the entries of a partition, in any order.
type sum struct {
	entries int
	sum     uint64
}

func (s *sum) add(key, value []byte) {
	s.entries++
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(key)))
	s.sum += uint64(crc32.ChecksumIEEE(bytes.Join([][]byte{length, key, value}, nil)))
}

// Takes implements [Target].
func (l *LogsTarget) Takes(i Item) error {
	if l.room == (layout.Room{}) {
		l.room = layout.RoomOf(l.Largest())
	}
	switch {
	case l.Largest() < layout.LeastLargest:
		return fmt.Errorf("%w: the store takes %d bytes in one piece, and durable units need %d", engine.ErrTooLarge, l.Largest(), layout.LeastLargest)
	case i.Unit != nil:
		for _, t := range i.Unit.timers {
			if err := mayHave("the argument of timer "+t.Name, len(t.Arg), l.room.Told); err != nil {
				return err
			}
		}
		return mayHave("the state", len(i.Unit.Record), l.room.State)
	case i.Outcome != nil:
		return mayHave("the result", len(i.Outcome.Result)+len(i.Outcome.Err), l.room.Added)
	case i.Failure != nil:
		return errors.Join(
			mayHave("the argument", len(i.Failure.Arg), l.room.Argument),
			mayHave("the failure", len(i.Failure.encode()), l.Largest()))
	case i.Sent.Reply.Operation != "":
		return mayHave("the argument", len(i.Sent.Arg), l.room.Told)
	}
	return mayHave("the argument", len(i.Sent.Arg), l.room.Argument)
}

func mayHave(what string, n, most int) error {
	if n <= most {
		return nil
	}
	return fmt.Errorf("%w: %s takes %d bytes, and may take %d there", engine.ErrTooLarge, what, n, most)
}

// Fill implements [Target].
func (l *LogsTarget) Fill(names map[string]string, each func(put func(Item) error) error, whole func() error) error {
	n := l.Partitions()
	l.failures, l.sums = make([]uint64, n), make([]sum, n)
	l.writer, l.sender = newWriter(l), newSender(l)
	defer l.sender.close()
	err := error(nil)
	if len(names) > 0 {
		err = l.stores(0, engine.Write{Key: []byte(layout.Names), Value: layout.EncodeNames(names)})
	}
	if err == nil {
		err = each(l.put)
	}
	for _, last := range []func() error{l.writer.wait, l.begins, l.sender.wait, l.check} {
		if err == nil {
			err = last()
		}
	}
	if err == nil {
		return whole()
	}
	return errors.Join(err, l.writer.wait())
}

// of returns the partition of a unit.
func (l *LogsTarget) of(kind, key string) int {
	return partition.Of(string(name(kind, key)), l.Partitions())
}

// put puts an item in.
func (l *LogsTarget) put(i Item) error {
	switch {
	case i.Unit != nil:
		return l.stores(l.of(i.Unit.Kind, i.Unit.Key), i.Unit.writes(i.Unit.atBeginning())...)
	case i.Outcome != nil:
		return l.stores(l.of(i.Outcome.Kind, i.Outcome.Key), i.Outcome.writes()...)
	case i.Failure != nil:
		p := l.of(i.Failure.Kind, i.Failure.Key)
		l.failures[p]++
		return l.stores(p, engine.Write{Key: layout.Numbered(layout.Failure, l.failures[p]), Value: i.Failure.encode()})
	}
	if err := l.begins(); err != nil {
		return err
	}
	s := i.Sent
	c := layout.Command{Operation: s.Operation, Arg: s.Arg, Reply: s.Reply, Once: s.Once, Units: s.Units, Deadline: s.Deadline, Values: s.Values}
	return l.sender.send(way{l.of(s.Kind, s.Key), s.Outside}, string(name(s.Kind, s.Key)), c.Encode(), !s.Awaited)
}

// atBeginning returns the record of a unit that has had no command of its log.
func (u *Unit) atBeginning() []byte {
	record := (&partition.Record{}).Append(nil)
	return append(append(record, layout.EncodeWake(u.wake())...), u.Record...)
}

// stores stores entries.
func (l *LogsTarget) stores(p int, writes ...engine.Write) error {
	for _, w := range writes {
		l.sums[p].add(w.Key, w.Value)
		if err := l.writer.put(p, w); err != nil {
			return err
		}
	}
	return nil
}

// begins has the numbers of each log begin above those of its failures (T1), once. What it needs
// for that says nothing.
func (l *LogsTarget) begins() error {
	failures := l.failures
	l.failures = nil
	for p, number := range failures {
		for seq := uint64(0); number/layout.MostFailures > seq; {
			nothing := partition.Entry{Closing: &partition.Closing{}} // of no session
			var err error
			seq, err = insist(func(done func(uint64, error)) { l.Append(p, nothing.Encode(), done) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// check holds that the store has what was put in.
func (l *LogsTarget) check() error {
	for p, want := range l.sums {
		entries, err := scan(l, p, "")
		if err != nil {
			return err
		}
		have := sum{}
		for _, e := range entries {
			have.add(e.Key, e.Value)
		}
		if have != want {
			return fmt.Errorf("%w: partition %d has %d entries, and should have %d that were stored, or others", engine.ErrStateLost, p, have.entries, want.entries)
		}
	}
	return nil
}

// writer stores entries, several at once.
type writer struct {
	*calls
	logs Logs
}

func newWriter(l Logs) *writer { return &writer{newCalls(), l} }

// put stores an entry that is not there. It may return the error of one before.
func (w *writer) put(p int, e engine.Write) error {
	if err := w.begin(); err != nil {
		return err
	}
	w.try(p, e, time.Now().Add(mostWait))
	return w.err()
}

// try writes, and again until end while it is not known what has become of it.
func (w *writer) try(p int, e engine.Write, end time.Time) {
	w.logs.Swap(p, []engine.Write{e}, 0, func(_ uint64, err error) {
		switch {
		case errors.Is(err, engine.ErrUncertain) && time.Now().Before(end):
			time.AfterFunc(pause, func() { w.try(p, e, end) })
			return
		case errors.Is(err, engine.ErrConflict): // it was made before; the check looks at it
			err = nil
		}
		if err != nil {
			err = fmt.Errorf("the entry %q of partition %d: %w", e.Key, p, err)
		}
		w.end(err)
	})
}
