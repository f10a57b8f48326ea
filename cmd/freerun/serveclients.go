package main

import (
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench/commandline"
	"github.com/freerun-go/freerun/ddb"
)

// clientFlags are the flags of `freerun serve` about which clients are served, and how much memory
// they may take.
type clientFlags struct {
	password  string
	protected string
	memory    string
	output    string
}

const clientHelp = `
Without --requirepass, clients of other machines are refused wherever --addr listens: that is Redis's
protected mode, which --protected-mode no switches off. With it, clients must AUTH first.

--maxmemory-clients limits the memory that clients take beside keys and values: requests, queued
transactions, waiting replies. Beyond it the clients that take the most are disconnected.
--client-output-limit limits the replies that wait for one client: a client beyond it is
disconnected. CONFIG SET changes all of these while the server runs.
`

func (f *clientFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.password, "requirepass", "", "serve only clients that give `PASSWORD` by AUTH")
	flags.StringVar(&f.protected, "protected-mode", "yes", "`yes or no`: without a password, serve clients of this machine only")
	flags.StringVar(&f.memory, "maxmemory-clients", "0", "let all clients together take `BYTES`, such as 500mb; 0 means no limit")
	flags.StringVar(&f.output, "client-output-limit", "1gb", "let replies of `BYTES` wait for a client; 0 means no limit")
	commandline.Complete(c, "requirepass")
	commandline.Complete(c, "protected-mode", "yes", "no")
	commandline.Complete(c, "maxmemory-clients", "500mb", "1gb")
	commandline.Complete(c, "client-output-limit", "64mb", "1gb")
}

// apply puts the flags into a configuration. The error for a wrong flag says what would be right.
func (f clientFlags) apply(config *ddb.Config) (err error) {
	const size = "must be a whole number of bytes, perhaps with a unit, such as 1073741824, 100mb or 1gb; 0 is no limit"
	switch strings.ToLower(f.protected) {
	case "yes", "no":
		config.Unprotected = strings.EqualFold(f.protected, "no")
	default:
		return commandline.Usagef("--protected-mode is %q, and must be yes or no", f.protected)
	}
	if config.MaxClientMemory, err = ddb.ParseMemory(f.memory); err != nil {
		return commandline.Usagef("--maxmemory-clients is %q, and %s", f.memory, size)
	}
	if config.MaxClientOutput, err = ddb.ParseMemory(f.output); err != nil {
		return commandline.Usagef("--client-output-limit is %q, and %s", f.output, size)
	}
	if config.MaxClientOutput == 0 {
		config.MaxClientOutput = -1
	}
	config.Password = f.password
	return nil
}

// explain says which clients are served, where that may surprise: at an address that other machines
// can reach.
func (f clientFlags) explain(config *ddb.Config, at net.Addr, errs io.Writer) {
	host, _, _ := net.SplitHostPort(at.String())
	switch {
	case ownHost(host) || config.Password != "":
	case config.Unprotected:
		fmt.Fprintf(errs, "freerun: protected mode is off and there is no password: every client that can reach %s can read and write\n", at)
	default:
		fmt.Fprintln(errs, "freerun: protected mode: without a password only this machine is served; --requirepass PASSWORD, or --protected-mode no, lets others in")
	}
}
