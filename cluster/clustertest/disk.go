package clustertest

import (
	"maps"
	"slices"
	"strings"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// disk has what is stored, from life to life.
type disk struct {
	sim     *Sim
	conduct conduct
	entries map[string][]byte
}

// apply makes writes.
func (d *disk) apply(writes []engine.Write) {
	for _, w := range d.conduct.writes(d, writes) {
		if w.Value == nil {
			delete(d.entries, string(w.Key))
		} else {
			d.entries[string(w.Key)] = w.Value
		}
	}
}

// keys returns the keys that begin with prefix, in their order.
func (d *disk) keys(prefix string) (all []string) {
	for _, key := range slices.Sorted(maps.Keys(d.entries)) {
		if strings.HasPrefix(key, prefix) {
			all = append(all, key)
		}
	}
	return all
}

// left describes what was told to durable units and has had no effect.
func (d *disk) left() (all []string) {
	for _, key := range d.keys(layout.Sent) {
		text := "something damaged"
		if t, _, err := layout.DecodeTell(d.entries[key]); err == nil {
			text = t.Operation + " to unit " + t.Key + " of kind " + t.Kind
		}
		all = append(all, text)
	}
	return all
}
