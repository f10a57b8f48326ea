//go:build amd64 || arm64

// Powerdisk serves a disk of package powercut at a folder, to tests of other modules, until its
// input ends. It says "mounted" when the folder can be used. A line of its input is a command:
//
//	lose SHARE  the power fails: that share of what was not synced survives, from 0 to 1
//	syncs       says how many syncs there have been
//
// No program must use the folder while the power fails. It exits with 3 where there is no FUSE.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/powercut"
)

func main() {
	journaled := flag.Bool("journaled", false, "a sync makes all names durable, as file systems with a journal do")
	lasts := flag.Duration("lasts", 0, "the time of a sync")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: powerdisk [-journaled] [-lasts TIME] FOLDER")
		os.Exit(2)
	}
	err := serve(flag.Arg(0), *journaled, *lasts)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		if errors.Is(err, powercut.ErrNoFUSE) {
			os.Exit(3)
		}
		os.Exit(1)
	}
}

// serve serves until the input ends. A sync lasts for a while.
func serve(at string, journaled bool, lasts time.Duration) error {
	var syncs atomic.Int64
	mount := func(from *powercut.Image) (*powercut.Disk, func() error, error) {
		d := powercut.NewDisk(from)
		d.Journaled = journaled
		d.OnSay = func(string) {}
		d.OnSync = func(after bool) {
			if !after {
				syncs.Add(1)
				time.Sleep(lasts)
			}
		}
		unmount, err := powercut.Mount(d, at)
		if err == nil {
			fmt.Println("mounted")
		}
		return d, unmount, err
	}
	disk, unmount, err := mount(nil)
	if err != nil {
		return err
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		command, argument, _ := strings.Cut(in.Text(), " ")
		switch command {
		case "syncs":
			fmt.Println(syncs.Load())
		case "lose":
			share, err := strconv.ParseFloat(argument, 64)
			if err != nil {
				return errors.Join(err, unmount())
			}
			image := disk.Lose(powercut.Survivors{Share: share, Random: rand.New(rand.NewPCG(rand.Uint64(), 0))})
			if err := unmount(); err != nil {
				return err
			}
			if disk, unmount, err = mount(image); err != nil {
				return err
			}
		}
	}
	return unmount()
}
