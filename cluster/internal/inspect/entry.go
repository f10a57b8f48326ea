//go:build !wasm

package inspect

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/freerun-go/freerun/cluster/internal/codec"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// The types of entries.
const (
	unit    = "unit"
	sent    = "sent"
	failure = "failure"
	wake    = "wake"    // when a unit is to be woken: its timers say so, too
	outcome = "outcome" // of an operation with an identity
	expiry  = "expiry"  // when that is to be forgotten
	renamed = "renamed" // the later name of a kind
	unknown = "unknown"
)

// entry describes an entry of a store. The fields are those of a line of -json.
type entry struct {
	Type      string          `json:"type"`
	Number    uint64          `json:"number,omitempty"`
	Kind      string          `json:"kind,omitempty"`
	Key       *string         `json:"key,omitempty"`
	KeyHex    string          `json:"keyHex,omitempty"`
	Operation string          `json:"operation,omitempty"`
	Version   int             `json:"version,omitempty"`
	Value     json.RawMessage `json:"value,omitempty"`
	ValueText *string         `json:"valueText,omitempty"`
	ValueHex  *string         `json:"valueHex,omitempty"`
	Timers    []timer         `json:"timers,omitempty"` // of a unit
	AskedBy   string          `json:"askedBy,omitempty"`
	Why       string          `json:"why,omitempty"`
	Error     string          `json:"error,omitempty"`
}

// timer is a timer of a unit.
type timer struct {
	Name      string        `json:"name"`
	Due       time.Time     `json:"due"`
	Every     time.Duration `json:"every,omitempty"`
	Operation string        `json:"operation"`
}

// read returns what an entry says. lost is why the store has lost it, or nil.
func read(key, value []byte, lost error, types Types) entry {
	e := entry{Type: unknown}
	if err := e.readKey(key); err != nil {
		e = entry{Type: unknown}
		e.setKey(string(key))
		if lost == nil {
			lost = err
		}
	}
	if lost == nil {
		lost = e.readValue(value, types)
	}
	if lost != nil {
		e.Error = lost.Error()
		if e.isBeside() {
			e = entry{Type: unknown, Error: e.Error}
			e.setKey(string(key))
		}
	}
	return e
}

// isBeside reports whether an entry is there to find others: it is shown only if it cannot be
// read.
func (e *entry) isBeside() bool {
	switch e.Type {
	case wake, outcome, expiry, renamed:
		return true
	}
	return false
}

// readKey reads what the key of an entry says.
func (e *entry) readKey(key []byte) (err error) {
	switch {
	case len(key) > 0 && string(key[:1]) == layout.Sent:
		e.Type = sent
		e.Number, err = layout.NumberOf(key)
	case len(key) > 0 && string(key[:1]) == layout.Failure:
		e.Type = failure
		e.Number, err = layout.NumberOf(key)
	case len(key) > 0 && string(key[:1]) == layout.Once:
		e.Type = outcome
	case len(key) > 0 && string(key[:1]) == layout.Expiry:
		e.Type = expiry
		_, _, err = layout.DecodeExpiry(key)
	case len(key) > 0 && string(key[:1]) == layout.Renamed:
		e.Type = renamed
	default:
		e.Type = unit
		if len(key) > 0 && string(key[:1]) == layout.Wake {
			e.Type = wake
			key = layout.RecordOf(key)
		}
		var of string
		e.Kind, of, err = layout.UnitOf(key)
		if err == nil && !utf8.ValidString(e.Kind) {
			err = fmt.Errorf("the kind %q is not UTF-8", e.Kind)
		}
		e.setKey(of)
	}
	return err
}

// setKey notes a key: as text, if it is text.
func (e *entry) setKey(key string) {
	if utf8.ValidString(key) {
		e.Key = &key
	} else {
		e.KeyHex = hex.EncodeToString([]byte(key))
	}
}

// readValue reads the value of an entry whose key is read.
func (e *entry) readValue(value []byte, types Types) error {
	switch e.Type {
	case unit:
		r, err := layout.DecodeRecord(value)
		if err != nil {
			return fmt.Errorf("the record: %w", err)
		}
		for _, t := range r.Timers {
			e.Timers = append(e.Timers, timer{t.Name, t.Due, t.Every, t.Operation})
		}
		return e.setValue("state", r.State, types, func() (string, error) { return types.State(e.Kind, r.State) })
	case wake:
		_, err := layout.DecodeWake(value)
		return err
	case outcome:
		_, err := layout.DecodeOutcome(value)
		return err
	case renamed:
		_, err := layout.DecodeRenamed(value)
		return err
	case expiry:
		return nil
	}
	t, rest, err := layout.DecodeTell(value)
	if err != nil {
		return err
	}
	e.Kind, e.Operation = t.Kind, t.Operation
	e.setKey(t.Key)
	if t.Reply.Operation != "" {
		e.AskedBy = fmt.Sprintf("%s of kind %s, %s", shown(t.Reply.Key), shown(t.Reply.Kind), shown(t.Reply.Operation))
	}
	if e.Type == failure {
		e.Why = string(rest)
	}
	return e.setValue("argument", t.Arg, types, func() (string, error) { return types.Arg(t.Kind, t.Operation, t.Arg) })
}

// setValue notes a state or an argument.
// shown returns it for people, if the program has the types.
func (e *entry) setValue(what string, value []byte, types Types, shown func() (string, error)) error {
	version, encoded, err := layout.CutVersion(value)
	if err != nil {
		return fmt.Errorf("the %s: %w", what, err)
	}
	e.Version = version
	text, isJSON, err := codec.Look(encoded)
	switch {
	case err != nil:
		return fmt.Errorf("the %s: %w", what, err)
	case isJSON:
		e.Value = append(json.RawMessage{}, text...)
	case types != nil:
		text, err := shown()
		if err != nil {
			return fmt.Errorf("the %s: %w", what, err)
		}
		e.ValueText = &text
	default:
		bytes := hex.EncodeToString(text)
		e.ValueHex = &bytes
	}
	return nil
}

// rawKey returns the key as it is stored.
func (e *entry) rawKey() string {
	if e.Key != nil {
		return *e.Key
	}
	raw, _ := hex.DecodeString(e.KeyHex)
	return string(raw)
}
