package layout

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Version is the version of the form of values: the first byte of each.
const Version = 1

// Keys of the store begin with a letter that says what is there.
const (
	Unit    = "s" // the record of a unit
	Sent    = "o" // what is told and has had no effect yet
	Failure = "f" // what was told and has failed for good
	Note    = "p" // about what is left of an earlier process, while it is delivered
	Wake    = "t" // when a unit is to be woken, for its timers
	Once    = "i" // the outcome of an operation that has an identity
	Expiry  = "x" // when such an outcome is to be forgotten
	Renamed = "r" // the later name of a kind that had another one
	Names   = "n" // the names of kinds that machines share: the whole key
)

// MostFailures is how many failures a command of a log may have: its own, with 0, and those of what
// it has told. The number of a failure is that of the command, so many times, and its own.
const MostFailures = 256

// Records returns with what the keys of the records of a kind begin; behind it is the unit's key.
func Records(kind string) string { return Unit + kind + "\x00" }

// UnitOf returns the kind and the key of a unit from the key of its record.
func UnitOf(recordKey []byte) (kind, key string, err error) {
	text, record := strings.CutPrefix(string(recordKey), Unit)
	kind, key, whole := strings.Cut(text, "\x00")
	if !record || !whole || kind == "" {
		return "", "", fmt.Errorf("%w: %q is not the key of a unit's record", engine.ErrStateLost, recordKey)
	}
	return kind, key, nil
}

// EncodeRenamed returns the value of an entry of Renamed, whose key has the earlier name.
func EncodeRenamed(name string) []byte { return append([]byte{Version}, name...) }

// DecodeRenamed reads a value of EncodeRenamed.
func DecodeRenamed(b []byte) (name string, err error) {
	if len(b) < 2 || b[0] != Version {
		return "", errDamaged
	}
	return string(b[1:]), nil
}

// EncodeNames returns the value of the entry Names: by each name that a program has had for a kind,
// the one that the kind has in the store.
func EncodeNames(names map[string]string) []byte {
	b, _ := json.Marshal(names) // strings alone
	return append([]byte{Version}, b...)
}

// LastName follows the later names of a kind.
func LastName(later map[string]string, name string) string {
	for range later { // names that lead in a circle end, too
		if next := later[name]; next != "" {
			name = next
		}
	}
	return name
}

// DecodeNames reads a value of EncodeNames; nil is that of no names.
func DecodeNames(b []byte) (map[string]string, error) {
	names := map[string]string{}
	if b == nil {
		return names, nil
	}
	if len(b) == 0 || b[0] != Version || json.Unmarshal(b[1:], &names) != nil {
		return nil, fmt.Errorf("%w: the names of kinds are damaged, or a newer program has written them", engine.ErrStateLost)
	}
	return names, nil
}

// Numbered returns a key with a number.
func Numbered(prefix string, n uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte(prefix), n)
}

// NumberOf returns the number in a key.
func NumberOf(key []byte) (uint64, error) {
	if len(key) != 1+8 {
		return 0, fmt.Errorf("%w: the key %q has no number of 8 bytes", engine.ErrStateLost, key)
	}
	return binary.BigEndian.Uint64(key[1:]), nil
}
