//go:build !wasm

package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// Sketch:     a command that is taken (package partition) and is in no record is under way
//             what a record has sent is under way if the partition that it is for has not taken it;
//             if it has, it is in a record there, or in the log, and then it is under way as that
// Invariants: L1 What is taken has had its effect, or is under way once: never both, as a record
//             says how far it is in its log, and the marks of a partition say what it has taken.
//             L2 What is under way from one unit to another, and from one session to one unit, is
//             in the order in which it was sent: what logs have comes first, in their order, and
//             what they have not taken was sent later.

// LogsSource is the store that machines share, as a source. None of them must run.
type LogsSource struct {
	Logs
	names  map[string]string
	rests  []*partition.Rest
	taken  [][]taken // by partition: what is behind its checkpoint, in the order of the log
	unsent []unsent  // what records have sent
}

// taken is a command that a partition has taken behind its checkpoint.
type taken struct {
	seq     uint64
	command *partition.Command
}

// unsent has the messages that a partition has sent behind its checkpoint.
type unsent struct {
	from int
	n    partition.Number
	send partition.Send
}

// OpenLogs reads what is in the logs.
func OpenLogs(l Logs) (*LogsSource, error) {
	f := &LogsSource{Logs: l}
	value, err := read(l, 0, []byte(layout.Names))
	if err == nil {
		f.names, err = layout.DecodeNames(value)
	}
	if err != nil {
		return nil, err
	}
	for p := range l.Partitions() {
		if err := f.readLog(p); err != nil {
			return nil, fmt.Errorf("partition %d: %w", p, err)
		}
	}
	return f, nil
}

// readLog reads what a partition has taken.
func (f *LogsSource) readLog(p int) error {
	value, err := read(f, p, []byte(partition.CheckpointKey))
	if err != nil {
		return err
	}
	rest, err := partition.NewRest(value)
	if err != nil {
		return lost("its checkpoint", err)
	}
	all, err := follow(f, p, rest.After())
	if err != nil {
		return err
	}
	var commands []taken
	for _, e := range all {
		c, err := rest.Read(e.seq, e.bytes)
		if err != nil {
			return lost(fmt.Sprintf("entry %d of its log", e.seq), err)
		}
		if c != nil {
			commands = append(commands, taken{e.seq, c})
		}
	}
	f.rests, f.taken = append(f.rests, rest), append(f.taken, commands)
	return nil
}

// Names implements [Source].
func (f *LogsSource) Names() map[string]string { return f.names }

// Each implements [Source].
func (f *LogsSource) Each(each func(Item) error) error {
	f.unsent = nil
	var failures, left []Item
	for p := range f.Partitions() {
		entries, err := scan(f, p, "")
		if err != nil {
			return fmt.Errorf("partition %d: %w", p, err)
		}
		slices.SortFunc(entries, func(a, b engine.Write) int { return bytes.Compare(a.Key, b.Key) })
		done := map[string]uint64{} // how far units are in the log
		for _, e := range entries {
			i, err := f.item(p, e, done)
			if err != nil {
				return lost(fmt.Sprintf("the entry %q of partition %d", e.Key, p), err)
			}
			switch {
			case i.Unit != nil, i.Outcome != nil:
				if err := each(i); err != nil {
					return err
				}
			case i.Failure != nil:
				failures = append(failures, i)
			}
		}
		some, err := leftOf(f.taken[p], done)
		if err != nil {
			return fmt.Errorf("partition %d: %w", p, err)
		}
		left = append(left, some...)
	}
	unsent, err := f.notTaken()
	if err != nil {
		return err
	}
	for _, i := range slices.Concat(failures, left, unsent) {
		if err := each(i); err != nil {
			return err
		}
	}
	return nil
}

// item reads an entry of a partition; the item is empty if it is not kept, or is kept with another
// one. It notes how far a unit is.
func (f *LogsSource) item(p int, e engine.Write, done map[string]uint64) (i Item, err error) {
	switch string(e.Key[:min(1, len(e.Key))]) {
	case layout.Unit:
		return f.unit(p, e, done)
	case layout.Once:
		return outcomeOf(e.Key, e.Value)
	case layout.Failure:
		t, why, err := layout.DecodeTell(e.Value)
		return Item{Failure: &Failure{t, why}}, err
	case layout.Wake, layout.Expiry:
		return i, nil // they are made of what they belong to
	}
	switch string(e.Key) {
	case partition.CheckpointKey, layout.Note:
		return i, nil
	case layout.Names:
		if p == 0 {
			return i, nil
		}
	}
	return i, errors.New("a newer program has written it")
}

// unit reads the record of a unit; one without a state is no item.
func (f *LogsSource) unit(p int, e engine.Write, done map[string]uint64) (i Item, err error) {
	kind, key, err := layout.UnitOf(e.Key)
	if err != nil {
		return i, err
	}
	record, rest, err := partition.DecodeRecord(e.Value)
	if err != nil {
		return i, err
	}
	_, state, err := layout.CutWake(rest)
	if err != nil {
		return i, err
	}
	if of := partition.Of(string(e.Key), f.Partitions()); of != p {
		return i, fmt.Errorf("its unit is of partition %d", of)
	}
	done[string(e.Key)] = record.Last
	f.rests[p].Sent(&record, func(n partition.Number, s *partition.Send) {
		f.unsent = append(f.unsent, unsent{p, n, *s})
	})
	if len(state) > 0 {
		i.Unit, err = unitOf(kind, key, state)
	}
	return i, err
}

// leftOf returns the commands of a partition that are in no record. done says how far units are.
func leftOf(commands []taken, done map[string]uint64) (left []Item, err error) {
	for _, t := range commands {
		i, err := sentOf(t.command.Unit, t.command.Body)
		if err != nil {
			return nil, lost(fmt.Sprintf("entry %d of its log", t.seq), err)
		}
		i.Sent.Outside, i.Sent.Awaited = t.command.From.Session != 0, !t.command.Told
		units, had := []string{t.command.Unit}, 0
		if len(i.Sent.Units) > 0 {
			units = i.Sent.Units
		}
		for _, unit := range units {
			if t.seq <= done[unit] {
				had++
			}
		}
		switch {
		case had == len(units), i.Sent.Operation == "": // the record of who is woken has its timers
		case had > 0:
			return nil, fmt.Errorf("%w: entry %d of its log has had its effect on %d of %d units", engine.ErrStateLost, t.seq, had, len(units))
		default:
			left = append(left, i)
		}
	}
	return left, nil
}

// notTaken returns what records have sent and its partition has not taken, in the order of the
// senders' logs.
func (f *LogsSource) notTaken() (all []Item, err error) {
	slices.SortFunc(f.unsent, func(a, b unsent) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return a.n.Compare(b.n)
	})
	for _, u := range f.unsent {
		if u.send.To < 0 || u.send.To >= len(f.rests) {
			return nil, fmt.Errorf("%w: a message is for partition %d of %d", engine.ErrStateLost, u.send.To, len(f.rests))
		}
		if f.rests[u.send.To].Took(u.from, u.n) {
			continue
		}
		i, err := sentOf(u.send.Unit, u.send.Body)
		if err != nil {
			return nil, lost(fmt.Sprintf("a message that partition %d has sent", u.from), err)
		}
		all = append(all, i)
	}
	return all, nil
}

// sentOf reads a command to a unit.
func sentOf(unit string, body []byte) (Item, error) {
	kind, key, err := layout.UnitOf([]byte(unit))
	if err != nil {
		return Item{}, err
	}
	c, err := layout.DecodeCommand(body)
	if err != nil {
		return Item{}, err
	}
	t := layout.Tell{Kind: kind, Key: key, Operation: c.Operation, Arg: c.Arg, Reply: c.Reply, Units: c.Units, Values: c.Values}
	return Item{Sent: &Sent{Tell: t, Once: c.Once, Deadline: c.Deadline}}, nil
}
