//go:build !wasm

// Package inspect shows what is in a store of durable units. It opens the store for reading only,
// and repairs nothing. It is the command cmd/inspect, and what cluster.Inspect does.
package inspect

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/filestore"
)

// The exit statuses.
const (
	Well   = 0
	Failed = 1
	Usage  = 2
)

// Types reads values whose bytes only the program can read that has stored them. It is nil for the
// command, which has none of the types.
type Types interface {
	// State returns a state of a kind, for people.
	State(kind string, value []byte) (string, error)
	// Arg returns an argument of an operation on the units of a kind.
	Arg(kind, operation string, value []byte) (string, error)
}

// usageError says what is wrong with the command line, and what would be right.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// Run carries out one command line and returns the exit status.
func Run(args []string, stdout, stderr io.Writer, types Types) int {
	o, err := parse(args)
	out := bufio.NewWriter(stdout)
	switch {
	case err != nil:
	case o.help:
		printHelp(out)
	default:
		err = inspect(o, out, types)
	}
	if flushing := out.Flush(); err == nil && flushing != nil {
		err = fmt.Errorf("writing the output: %w", flushing)
	}
	if err == nil {
		return Well
	}
	fmt.Fprintf(stderr, "inspect: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
	var wrong *usageError
	if errors.As(err, &wrong) {
		return Usage
	}
	return Failed
}

// inspect prints what is in a store.
func inspect(o options, out io.Writer, types Types) (err error) {
	s, err := filestore.Open(o.dir, filestore.Options{ReadOnly: true})
	if errors.Is(err, engine.ErrInUse) {
		return fmt.Errorf("%w: stop the program that has it, or look at a backup", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	sum, err := summarize(s, types)
	if kinds := sum.kinds(); err == nil && o.kind != "" && !slices.Contains(kinds, o.kind) {
		if len(kinds) == 0 {
			return usagef("unknown kind %q: the store has none", o.kind)
		}
		return usagef("unknown kind %q: there are %s", o.kind, strings.Join(kinds, ", "))
	}
	show := (&text{w: out, keys: o.keys, full: o.full}).print
	if o.json {
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		show = func(en entry) { _ = e.Encode(en) } // out keeps the error
		_ = e.Encode(sum)
	} else {
		sum.print(out)
	}
	if err != nil {
		return fmt.Errorf("the rest of the store cannot be read: restore a backup: %w", err)
	}
	err = s.ScanLost(nil, func(key, value []byte, lost error) error {
		e := read(key, value, lost, types)
		if o.wants(e) {
			if o.keys {
				e.Value, e.ValueText, e.ValueHex = nil, nil, nil
			}
			show(e)
		}
		return nil
	})
	if err == nil && sum.Damaged > 0 {
		err = fmt.Errorf("%s of the store cannot be read: restore a backup, or use a newer version if one has written it", entries(sum.Damaged))
	}
	return err
}
