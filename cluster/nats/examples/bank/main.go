//go:build !wasm

// Command bank moves money between accounts that several machines share. Kill any of them at any
// time: no money is lost or made.
//
// One command starts a server of NATS, a page that shows all processes, and three of them:
//
//	go run ./cluster/nats/examples/bank -processes 3
//
// Or with servers that run, on as many machines and in as many terminals as you like; the first one
// makes the streams:
//
//	nats-server -js
//	go run ./cluster/nats/examples/bank -nats nats://127.0.0.1:4222 -create 1
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

func main() {
	servers := flag.String("nats", "", "the servers, with commas in between: the process is one of those that share them")
	create := flag.Int("create", 0, "make the streams if there are none, on so many servers: 1, 3 or 5")
	report := flag.Bool("report", false, "say all as JSON, and end with the input")
	processes := flag.Int("processes", 0, "start a server, a page, and so many processes")
	dir := flag.String("dir", "", "where that server keeps what it has; a folder for a while without it")
	page := flag.String("http", "127.0.0.1:0", "where the page is")
	flight := flag.Int("flight", 16, "how many transfers a process has under way at a time")
	length := flag.Duration("for", 0, "how long; without it until it is interrupted")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *length > 0 {
		limited, cancel := context.WithTimeout(ctx, *length)
		defer cancel()
		ctx = limited
	}
	switch {
	case *processes > 0:
		b := bank{dir: *dir, page: *page, processes: *processes, say: log.Printf, another: func(servers string) *exec.Cmd {
			return exec.Command(os.Args[0], "-nats", servers, "-report", "-flight", strconv.Itoa(*flight))
		}}
		found, err := b.run(ctx)
		if err != nil {
			log.Fatal(err)
		}
		log.Print(found)
	case *servers != "":
		p := process{servers: *servers, create: *create, flight: *flight, say: say}
		if *report {
			p.say = sayJSON(os.Stdout)
			ctx = untilEnd(ctx, os.Stdin)
		}
		if err := p.run(ctx); err != nil {
			log.Fatal(err)
		}
	default:
		log.Fatal("bank: -nats URL, or -processes 3; -help says more")
	}
}

// say says what a process has done, for people.
func say(s state) { log.Print(s) }

// pause is how often a process says what it has done.
const pause = 500 * time.Millisecond
