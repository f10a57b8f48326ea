//go:build !wasm

package inspect

import (
	"errors"
	"flag"
	"io"
	"strings"
)

const help = `inspect shows what is in a store of durable units, without the program's types: which units there
are with their states, the messages under way, and the recorded failures. It opens the store for
reading only, and repairs nothing. The program that has the store must not run, and cannot start
meanwhile.

Usage:
  inspect [flags] DIR

Examples:
  inspect data                            a summary, and all units with their states
  inspect -kind account -prefix a data    the accounts whose keys begin with a
  inspect -keys data                      which units there are
  inspect -sent -failures data            what units have told units, and has not had its effect
  inspect -json -sent data | jq .key      for tools

A state, or an argument, that is stored as JSON is printed so, and another one as hex: what the
method AppendBinary or MarshalBinary of its type has written. A program that has the types, and
calls cluster.Inspect, prints its value. A key that is not a string or an
integer is printed as it is stored: "j" and JSON, or "b" and bytes. An entry that is damaged is
printed with the error, and the others as ever.

Flags:
`

const fields = `
With -json the first line is the store, and each other one an entry. Fields of the store:
  type        "store"
  path        of the file
  id          tells the store from any other
  format      version of the file's format
  size        of the file, in bytes
  units       how many units each kind has: {"account": 3}
  sent        how many messages are under way
  failures    how many failures are recorded
  timers      how many timers the units have
  outcomes    how many outcomes are kept of operations with an identity
  damaged     how many entries cannot be read; they are in none of the other numbers

Fields of an entry; those that it does not have are left out:
  type        "unit"; "sent", a message under way; "failure", one that has failed for good;
              or "unknown", what has the key of none of them. What the store has beside, to find
              timers and outcomes, is shown only if it cannot be read
  number      of a message or a failure
  kind, key   of the unit, or of the one that a message is for; of what is unknown, the store's key
  keyHex      in place of key if that is not UTF-8
  operation   what a message is to do
  value       the state of a unit, or the argument of a message, if it is stored as JSON
  valueText   the same as the program prints it, if it is not, and the program has the type
  valueHex    the same in hex, if it is not, and the program does not
  version     of the type of the state or the argument, if it is not 0
  timers      of a unit, each with name, due, operation, and, in nanoseconds, every
  askedBy     the unit that is told the outcome of a message, and the operation that tells it
  why         the error of a failure
  error       why the entry, or a part of it, cannot be read

Exit status: 0 all is well, 1 the store, or an entry of it, cannot be read, 2 the command line was
wrong.
`

// options are those of a command line.
type options struct {
	dir, kind, prefix                      string
	keys, json, sent, failures, full, help bool
}

// flags returns the flags of the command line, which set o.
func (o *options) flags() *flag.FlagSet {
	f := flag.NewFlagSet("inspect", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.kind, "kind", "", "only units of the kind `NAME`, and messages to them")
	f.StringVar(&o.prefix, "prefix", "", "only units whose keys begin with `KEY`, and messages to them")
	f.BoolVar(&o.keys, "keys", false, "the keys of units without their states")
	f.BoolVar(&o.sent, "sent", false, "the messages under way, in place of the units")
	f.BoolVar(&o.failures, "failures", false, "the recorded failures, in place of the units")
	f.BoolVar(&o.full, "full", false, "states and arguments in full, where the first 100 characters are printed")
	f.BoolVar(&o.json, "json", false, "one JSON object a line, in full: see below")
	return f
}

// parse reads a command line. Flags may stand behind the folder, too.
func parse(args []string) (o options, err error) {
	f := o.flags()
	var dirs []string
	for {
		switch err := f.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			o.help = true
			return o, nil
		case err != nil:
			return o, usagef("%s: see inspect -help", err)
		}
		if f.NArg() == 0 {
			break
		}
		dirs, args = append(dirs, f.Arg(0)), f.Args()[1:]
	}
	switch {
	case len(dirs) == 0 || dirs[0] == "":
		return o, usagef("name the folder of a store: inspect [flags] DIR")
	case len(dirs) > 1:
		return o, usagef("one folder at a time: %q is too much", dirs[1])
	case o.keys && (o.sent || o.failures):
		return o, usagef("-keys is about units, and -sent and -failures are about messages: leave one of them out")
	}
	o.dir = dirs[0]
	return o, nil
}

func printHelp(w io.Writer) {
	io.WriteString(w, help)
	f := new(options).flags()
	f.SetOutput(w)
	f.PrintDefaults()
	io.WriteString(w, fields)
}

// wants reports whether an entry is to be printed.
func (o *options) wants(e entry) bool {
	switch {
	case e.isBeside():
		return false
	case e.Type == unknown:
		return o.kind == "" && o.prefix == ""
	case e.Type == sent && !o.sent, e.Type == failure && !o.failures, e.Type == unit && (o.sent || o.failures):
		return false
	case e.Key == nil && e.KeyHex == "": // a message that cannot be read may be for any unit
		return true
	}
	return (o.kind == "" || e.Kind == o.kind) && strings.HasPrefix(e.rawKey(), o.prefix)
}
