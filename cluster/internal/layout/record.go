package layout

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Record is the record of a unit: what one write of its operations keeps together.
type Record struct {
	Timers []Timer // in the order of their names
	State  []byte  // as package codec has it
}

// Timer is a timer of a unit: an operation that the unit is to be told.
type Timer struct {
	Name      string
	Due       time.Time     // in UTC
	Every     time.Duration // how often it is told; 0 for once
	Operation string
	Arg       []byte // as package codec has it
}

// Latest is the last time that can be stored.
var Latest = time.Unix(0, 1<<63-1).UTC()

// Next returns when a timer that repeats is due after now, in the rhythm that it has.
func (t *Timer) Next(now time.Time) time.Time {
	missed := now.Sub(t.Due) / t.Every
	if at := t.Due.Add(missed * t.Every).Add(t.Every); at.Before(Latest) {
		return at
	}
	return Latest
}

// Begin returns the beginning of a record, with room for size bytes in all. The state is to be
// appended.
func Begin(timers []Timer, size int) []byte {
	b := append(make([]byte, 0, max(size, 64)), Version)
	b = binary.AppendUvarint(b, uint64(len(timers)))
	for _, t := range timers {
		b = binary.AppendVarint(b, t.Due.UnixNano())
		b = binary.AppendUvarint(b, uint64(t.Every))
		b = AppendParts(b, t.Name, t.Operation, string(t.Arg))
	}
	return b
}

// DecodeRecord reads a record. The state is a part of b.
func DecodeRecord(b []byte) (r Record, err error) {
	switch {
	case len(b) == 0:
		return r, errors.New("it is empty")
	case b[0] != Version:
		return r, fmt.Errorf("its form is %d, and this program knows %d; a newer one has written it", b[0], Version)
	}
	n, used := binary.Uvarint(b[1:])
	if used <= 0 || n > uint64(len(b)) {
		return r, errDamaged
	}
	b = b[1+used:]
	for range n { // each takes some bytes of b
		due, used := binary.Varint(b)
		every, used2 := binary.Uvarint(b[max(used, 0):])
		if used <= 0 || used2 <= 0 || every > uint64(maxEvery) {
			return r, errDamaged
		}
		var parts [3]string
		if b, err = CutParts(b[used+used2:], parts[:]); err != nil {
			return r, err
		}
		r.Timers = append(r.Timers, Timer{
			Name: parts[0], Due: time.Unix(0, due).UTC(), Every: time.Duration(every), Operation: parts[1], Arg: []byte(parts[2]),
		})
	}
	r.State = b
	return r, nil
}

const maxEvery = time.Duration(1<<63 - 1)

var errDamaged = errors.New("it is damaged")

// AppendParts appends parts, each behind its length as a varint.
func AppendParts(b []byte, parts ...string) []byte {
	for _, part := range parts {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	return b
}

// CutParts reads what AppendParts has written, of which it keeps nothing, and returns what is
// behind.
func CutParts(b []byte, into []string) (rest []byte, err error) {
	for i := range into {
		size, used := binary.Uvarint(b)
		if used <= 0 || size > uint64(len(b)-used) {
			return nil, errDamaged
		}
		into[i], b = string(b[used:used+int(size)]), b[used+int(size):]
	}
	return b, nil
}

// WakeOf returns the key of the entry that says when a unit is to be woken: what its timers need to
// be found at the start. recordKey is the key of the unit's record.
func WakeOf(recordKey []byte) []byte { return append([]byte(Wake), recordKey[len(Unit):]...) }

// RecordOf returns the key of the record of the unit that wakeKey is about.
func RecordOf(wakeKey []byte) []byte { return slices.Concat([]byte(Unit), wakeKey[len(Wake):]) }

// EncodeWake returns the value of an entry that says when a unit is to be woken.
func EncodeWake(at time.Time) []byte {
	nanos := int64(0)
	if !at.IsZero() {
		nanos = at.UnixNano()
	}
	return binary.AppendVarint([]byte{Version}, nanos)
}

// CutWake reads what EncodeWake has written, and returns what is behind.
func CutWake(b []byte) (at time.Time, rest []byte, err error) {
	if len(b) == 0 || b[0] != Version {
		return at, nil, errors.New("the time of a wake has another form; a newer program has written it")
	}
	nanos, used := binary.Varint(b[1:])
	if used <= 0 {
		return at, nil, errDamaged
	}
	if nanos != 0 {
		at = time.Unix(0, nanos).UTC()
	}
	return at, b[1+used:], nil
}

// DecodeWake reads a value of EncodeWake.
func DecodeWake(b []byte) (at time.Time, err error) {
	at, rest, err := CutWake(b)
	if err == nil && len(rest) > 0 {
		err = errDamaged
	}
	return at, err
}
