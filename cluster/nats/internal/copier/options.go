//go:build !wasm

package copier

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

const help = `copy carries all that a program keeps from one store of durable units to another one, which it
makes: states, timers, outcomes of operations with an identity, recorded failures, and the messages
under way. No process of the program may run meanwhile. The store that is read stays as it is: let
no program go on with both.

Usage:
  copy [flags] FROM TO

FROM and TO are a folder, or URLs of servers of NATS with commas in between.

Examples:
  copy -program bank -create data nats://a:4222           from one machine to several
  copy -program bank -create nats://a:4222 data           and back
  copy -program bank -as bank2 -partitions 256 -create nats://a:4222 nats://a:4222
                                                          more partitions, under another name
  copy -program bank -as bank2 -pairs 3 -create nats://a:4222 nats://a:4222
                                                          on three pairs of streams

The copy is whole, or no program opens it. What has no place in the other store is refused, and then
nothing is copied; so is a store that a process has. A process that is cut off, or comes later, is
not seen: see to it that none does.

Flags:
`

const fields = `
With -json the copy is told as one object on one line:
  type        "copy"
  from, to    the stores, each with: store, "folder" or "nats"; place, the folder or the servers; id,
              which tells the store from any other; of servers program, partitions and pairs (of
              streams), too
  units       how many units each kind has: {"account": 3}
  sent        how many messages are under way
  failures    how many failures are recorded
  timers      how many timers the units have
  outcomes    how many outcomes are kept of operations with an identity
  names       earlier names of kinds, each with the name that the kind has in the store

Exit status: 0 all is copied; 1 nothing is, unless the error says that the copy is whole; 2 the
command line was wrong.
`

// options are those of a command line.
type options struct {
	from, to           string
	program, as        string
	partitions, pairs  int
	replicas           int
	create, json, help bool
	creds, toCreds, ca string
	within             time.Duration
}

// flags returns the flags of the command line, which set o.
func (o *options) flags() *flag.FlagSet {
	f := flag.NewFlagSet("copy", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.program, "program", "", "the `NAME` of the program over NATS")
	f.StringVar(&o.as, "as", "", "the `NAME` of the program in TO, if it is another one")
	f.IntVar(&o.partitions, "partitions", 0, "into how many `PARTS` the units are divided in TO: as in FROM, or 64")
	f.IntVar(&o.pairs, "pairs", 0, "on how many `PAIRS` of streams these are in TO: as in FROM, or 1")
	f.IntVar(&o.replicas, "replicas", 1, "on how many `SERVERS` the streams of TO are: 1, 3 or 5")
	f.BoolVar(&o.create, "create", false, "make the streams of TO, or its folder if that is missing")
	f.StringVar(&o.creds, "creds", "", "the `FILE` with the credentials for NATS")
	f.StringVar(&o.toCreds, "to-creds", "", "the `FILE` with those for TO, if they are others")
	f.StringVar(&o.ca, "ca", "", "the `FILE` with the certificates that the servers are to have theirs from")
	f.DurationVar(&o.within, "within", time.Minute, "how long servers are waited for")
	f.BoolVar(&o.json, "json", false, "one JSON object about the copy: see below")
	return f
}

// usageError says what is wrong with the command line, and what would be right.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// parse reads a command line. Flags may stand behind the stores, too.
func parse(args []string) (o options, err error) {
	f := o.flags()
	var stores []string
	for {
		switch err := f.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			o.help = true
			return o, nil
		case err != nil:
			return o, usagef("%s: see copy -help", err)
		}
		if f.NArg() == 0 {
			break
		}
		stores, args = append(stores, f.Arg(0)), f.Args()[1:]
	}
	if len(stores) != 2 || stores[0] == "" || stores[1] == "" {
		return o, usagef("name two stores, each a folder or servers: copy [flags] FROM TO")
	}
	o.from, o.to = stores[0], stores[1]
	return o, o.check()
}

// check holds that the flags belong together.
func (o *options) check() error {
	from, to := areServers(o.from), areServers(o.to)
	for _, store := range []string{o.from, o.to} {
		if isAddress(store) {
			return usagef("%s is no folder; servers are written as in nats://%[1]s", store)
		}
	}
	switch {
	case !from && !to:
		return usagef("%s and %s are folders: between two, copy the file freerun.store while no program has it; servers are written as in nats://a:4222", o.from, o.to)
	case o.program == "":
		return usagef("name the program over NATS: -program NAME")
	case o.as != "" && !to:
		return usagef("-as is for a copy to servers: a folder has no name of a program")
	case o.partitions < 0, o.partitions > 0 && !to:
		return usagef("-partitions is for a copy to servers, and needs at least 1")
	case o.pairs < 0, o.pairs > 0 && !to:
		return usagef("-pairs is for a copy to servers, and needs at least 1")
	case o.replicas != 1 && o.replicas != 3 && o.replicas != 5:
		return usagef("-replicas %d: streams are on 1, 3 or 5 servers", o.replicas)
	case to && !o.create:
		return usagef("the copy makes the streams of %s: say -create", o.to)
	case o.within <= 0:
		return usagef("-within needs a positive time")
	}
	return nil
}

// areServers reports whether a store is servers: URLs.
func areServers(store string) bool { return strings.Contains(store, "://") }

// isAddress reports whether a store is written as the address of a server, and is no folder.
func isAddress(store string) bool {
	_, port, err := net.SplitHostPort(store)
	_, notNumber := strconv.ParseUint(port, 10, 16)
	if err != nil || notNumber != nil {
		return false
	}
	_, err = os.Stat(store)
	return errors.Is(err, fs.ErrNotExist)
}

// nameIn returns the name of the program in the target.
func (o *options) nameIn() string {
	if o.as != "" {
		return o.as
	}
	return o.program
}

// connection returns the options of a connection.
func (o *options) connection(creds string) (all []nats.Option) {
	if creds != "" {
		all = append(all, nats.UserCredentials(creds))
	}
	if o.ca != "" {
		all = append(all, nats.RootCAs(o.ca))
	}
	return append(all, nats.Name("freerun copy"))
}

func printHelp(w io.Writer) {
	io.WriteString(w, help)
	f := new(options).flags()
	f.SetOutput(w)
	f.PrintDefaults()
	io.WriteString(w, fields)
}
