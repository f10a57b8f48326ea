package layout

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Outcome is the outcome of an operation with an identity.
type Outcome struct {
	Expires   time.Time
	Operation string
	Result    []byte // as package codec has it
	Err       []byte // JSON, as package errorcode has it; empty for none
}

// OnceOf returns the key of the outcome of the operation with an identity on a unit.
func OnceOf(kind, key, id string) []byte {
	b := append([]byte(Once+kind), 0)
	return append(AppendParts(b, key), id...)
}

// DecodeOnce reads a key of OnceOf.
func DecodeOnce(outcomeKey []byte) (kind, key, id string, err error) {
	text, once := strings.CutPrefix(string(outcomeKey), Once)
	kind, behind, whole := strings.Cut(text, "\x00")
	var parts [1]string
	rest, err := CutParts([]byte(behind), parts[:])
	if !once || !whole || kind == "" || err != nil {
		return "", "", "", fmt.Errorf("%w: %q is not the key of an outcome", engine.ErrStateLost, outcomeKey)
	}
	return kind, parts[0], string(rest), nil
}

// Encode returns the value of an Outcome.
func (o Outcome) Encode() []byte {
	b := binary.AppendVarint([]byte{Version}, o.Expires.UnixNano())
	return AppendParts(b, o.Operation, string(o.Result), string(o.Err))
}

// DecodeOutcome reads a value of Encode.
func DecodeOutcome(b []byte) (o Outcome, err error) {
	if len(b) == 0 || b[0] != Version {
		return o, errors.New("it has another form; a newer program has written it")
	}
	nanos, used := binary.Varint(b[1:])
	if used <= 0 {
		return o, errDamaged
	}
	var parts [3]string
	rest, err := CutParts(b[1+used:], parts[:])
	if err != nil || len(rest) > 0 {
		return o, errDamaged
	}
	return Outcome{time.Unix(0, nanos).UTC(), parts[0], []byte(parts[1]), []byte(parts[2])}, nil
}

// ExpiryOf returns the key of the entry that says when the outcome with a key is to be forgotten;
// or when the record with that key may be, which has no state any more.
func ExpiryOf(at time.Time, outcomeKey []byte) []byte {
	return append(Numbered(Expiry, uint64(max(at.UnixNano(), 0))), outcomeKey...)
}

// DecodeExpiry reads a key of ExpiryOf.
func DecodeExpiry(key []byte) (at time.Time, outcomeKey []byte, err error) {
	if len(key) < 1+8+1 || string(key[1+8:][:1]) != Once && string(key[1+8:][:1]) != Unit {
		return at, nil, fmt.Errorf("%w: the key %q has no time of 8 bytes with the key of an outcome, or of a record, behind it", engine.ErrStateLost, key)
	}
	return time.Unix(0, int64(binary.BigEndian.Uint64(key[1:]))).UTC(), key[1+8:], nil
}
