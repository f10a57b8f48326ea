// Command machines measures calls to units in another process of this machine, over TCP on
// 127.0.0.1: those of freerun beside those of actor libraries and plain NATS.
//
//	make machines
//	cd bench/machines && GOWORK=off go run . --rounds 5 --seconds 2
//
// For each variant it starts a server of NATS, if the variant needs one, a process that has the
// units, and one that calls them. Variants take turns, round by round, and only the processes of
// one of them live at a time. The argument has 112 bytes, the answer is an int64, and 1,024 units
// count their calls. Each round measures
//
//	one         one call at a time: p50 and p99
//	goroutines  calls a second of 64 goroutines that each wait for their call
//	futures     calls a second of one goroutine with 64 under way, where a library has futures
//	CPU         of all processes together, for each call, and the allocations of 64 goroutines
//
// Then the units are asked what they counted: that must be the number of calls that were answered.
//
// With chaos as its first argument it kills a machine with kill -9 whose units are called: it says
// which calls are lost and doubled, and how long others wait.
//
// It is a module of its own, and not of the workspace: the rivals depend on some 200 modules.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

func main() {
	if os.Getenv(child) != "" {
		serve(os.Stdin, os.NewFile(3, "answers"))
		return
	}
	if err := command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "machines:", err)
		os.Exit(1)
	}
}

func command(args []string) error {
	if len(args) > 0 && args[0] == "chaos" {
		return chaos(args[1:])
	}
	flags := pflag.NewFlagSet("machines", pflag.ContinueOnError)
	rounds := flags.Int("rounds", 5, "how often the variants take turns")
	seconds := flags.Float64("seconds", 2, "how long each measurement takes")
	only := flags.StringSlice("variants", nil, "those to measure, with commas in between: "+strings.Join(names(), ", "))
	asJSON := flags.Bool("json", false, "each round as a line of JSON, and no table")
	profile := flags.String("profile", "", "a folder for profiles of the processes in the first round")
	if err := flags.Parse(args); errors.Is(err, pflag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	if *rounds < 1 || *seconds <= 0 {
		return errors.New("--rounds and --seconds are to be positive")
	}
	var rows []row
	for round := range *rounds {
		for _, v := range chosen {
			s := session{variant: v, each: time.Duration(*seconds * float64(time.Second))}
			if round == 0 {
				s.profiles = *profile
			}
			r, err := s.run()
			if err != nil {
				return fmt.Errorf("%s: %w", v.name, err)
			}
			r.Round = round
			if *asJSON {
				if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
					return err
				}
			}
			rows = append(rows, r)
		}
	}
	if !*asJSON {
		fmt.Print(table(chosen, rows))
	}
	return nil
}
