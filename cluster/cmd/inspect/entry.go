//go:build !wasm

package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/freerun-go/freerun/cluster/internal/codec"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// The types of entries.
const (
	unit    = "unit"
	sent    = "sent"
	failure = "failure"
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
	Value     json.RawMessage `json:"value,omitempty"`
	ValueHex  *string         `json:"valueHex,omitempty"`
	Why       string          `json:"why,omitempty"`
	Error     string          `json:"error,omitempty"`
}

// read returns what an entry says. lost is why the store has lost it, or nil.
func read(key, value []byte, lost error) entry {
	e := entry{Type: unknown}
	if err := e.readKey(key); err != nil {
		e = entry{Type: unknown}
		e.setKey(string(key))
		if lost == nil {
			lost = err
		}
	}
	if lost == nil {
		lost = e.readValue(value)
	}
	if lost != nil {
		e.Error = lost.Error()
	}
	return e
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
	default:
		e.Type = unit
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
func (e *entry) readValue(value []byte) error {
	if e.Type == unit {
		state, err := layout.StateOf(value)
		if err != nil {
			return fmt.Errorf("the record: %w", err)
		}
		return e.setValue("state", state)
	}
	t, rest, err := layout.DecodeTell(value)
	if err != nil {
		return err
	}
	e.Kind, e.Operation = t.Kind, t.Operation
	e.setKey(t.Key)
	if e.Type == failure {
		e.Why = string(rest)
	}
	return e.setValue("argument", t.Arg)
}

// setValue notes a state or an argument.
func (e *entry) setValue(what string, encoded []byte) error {
	text, isJSON, err := codec.Look(encoded)
	switch {
	case err != nil:
		return fmt.Errorf("the %s: %w", what, err)
	case isJSON:
		e.Value = append(json.RawMessage{}, text...)
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
