//go:build !wasm

package transfer

import (
	"fmt"
	"maps"
	"slices"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/filestore"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// FolderTarget is the store of one process, as a target. The folder must be empty.
type FolderTarget struct {
	Dir    string
	Create bool     // the folder, too
	ID     [16]byte // of the store, once it is there

	number uint64 // of the last failure, or message
	writes []engine.Write
	bytes  int
	put    func(writes []engine.Write) error
}

// Takes implements [Target].
func (f *FolderTarget) Takes(i Item) error {
	switch {
	case i.Failure != nil && len(i.Failure.Units) > 0:
		return fmt.Errorf("%w: it is on several units, and one process records no such failure; Node.Retry or Node.Drop it first", ErrNoPlace)
	case i.Sent != nil && len(i.Sent.Units) > 0:
		return fmt.Errorf("%w: it is on several units, and one process keeps no such message; %s", ErrNoPlace, drain)
	case i.Sent != nil && i.Sent.Once != "":
		return fmt.Errorf("%w: it has an identity, and one process keeps no such message; %s", ErrNoPlace, drain)
	case i.Sent != nil && !i.Sent.Deadline.IsZero():
		return fmt.Errorf("%w: it has a deadline, and one process keeps no such message; %s", ErrNoPlace, drain)
	}
	return nil
}

// drain says how to empty the logs.
const drain = "start the program once, so that it has its effect, and close all its nodes"

// What one transaction has, at most.
const (
	mostWrites = 10_000
	mostBytes  = 16 << 20
)

// Fill implements [Target].
func (f *FolderTarget) Fill(names map[string]string, each func(put func(Item) error) error, whole func() error) (err error) {
	f.ID, err = filestore.Make(f.Dir, f.Create, func(put func(writes []engine.Write) error) error {
		f.put = put
		for _, was := range slices.Sorted(maps.Keys(names)) {
			if is := names[was]; was != is {
				if err := f.adds(engine.Write{Key: []byte(layout.Renamed + was), Value: layout.EncodeRenamed(is)}); err != nil {
					return err
				}
			}
		}
		if err := each(f.add); err != nil {
			return err
		}
		if err := f.flush(); err != nil {
			return err
		}
		return whole()
	})
	return err
}

// add adds an item.
func (f *FolderTarget) add(i Item) error {
	switch {
	case i.Unit != nil:
		return f.adds(i.Unit.writes(i.Unit.Record)...)
	case i.Outcome != nil:
		return f.adds(i.Outcome.writes()...)
	case i.Failure != nil:
		f.number++
		return f.adds(engine.Write{Key: layout.Numbered(layout.Failure, f.number), Value: i.Failure.encode()})
	}
	f.number++
	return f.adds(engine.Write{Key: layout.Numbered(layout.Sent, f.number), Value: i.Sent.Encode()})
}

// adds adds writes to the next transaction.
func (f *FolderTarget) adds(writes ...engine.Write) error {
	for _, w := range writes {
		f.bytes += len(w.Key) + len(w.Value)
	}
	f.writes = append(f.writes, writes...)
	if len(f.writes) < mostWrites && f.bytes < mostBytes {
		return nil
	}
	return f.flush()
}

func (f *FolderTarget) flush() error {
	if len(f.writes) == 0 {
		return nil
	}
	err := f.put(f.writes)
	f.writes, f.bytes = nil, 0
	return err
}

// writes returns the entries of a unit: its record, and its wake if it has timers.
func (u *Unit) writes(record []byte) []engine.Write {
	key := name(u.Kind, u.Key)
	all := []engine.Write{{Key: key, Value: record}}
	if at := u.wake(); !at.IsZero() {
		all = append(all, engine.Write{Key: layout.WakeOf(key), Value: layout.EncodeWake(at)})
	}
	return all
}

// writes returns the entries of an outcome: its own, and the one that says when it goes.
func (o *Outcome) writes() []engine.Write {
	key := layout.OnceOf(o.Kind, o.Key, o.ID)
	return []engine.Write{{Key: key, Value: o.Encode()}, {Key: layout.ExpiryOf(o.Expires, key), Value: []byte{layout.Version}}}
}

func (f *Failure) encode() []byte { return append(f.Encode(), f.Why...) }
