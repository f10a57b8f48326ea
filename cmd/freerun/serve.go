package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench/commandline"
	"github.com/freerun-go/freerun/ddb"
)

// serveFlags holds the flags of `freerun serve`.
type serveFlags struct {
	addr       string
	shards     int
	processors int
	grace      time.Duration
	http       string
	public     bool
	memory     memoryFlags
	clients    clientFlags
}

func newServe() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the database made of units to Redis clients",
		Long: `Serve a database that speaks the Redis protocol and whose shards are units. It keeps its data
in memory only. MSET, MGET, DEL and transactions (MULTI, EXEC, WATCH) are atomic over all shards. It
prints where it listens. On an interrupt or SIGTERM it accepts no more connections, answers the
requests that it has received, and ends; a second signal ends it at once.

With --http it shows itself at work, on a page for a browser: processors and what they run, units,
latencies, and what the watchdog found. /metrics is for Prometheus, /debug/pprof/ for go tool pprof.
Only this machine can see them, whatever the address is; --public shows them to every machine that
can reach the address.
` + clientHelp + memoryHelp,
		Example: `  freerun serve                                    on port 6379 of this machine
  freerun serve --addr 127.0.0.1:0                 on a free port, which it prints
  freerun serve --http :7070                       with the live page at http://127.0.0.1:7070
  freerun serve --maxmemory 1gb --maxmemory-policy allkeys-lru --values offheap
  freerun serve --addr :6379 --requirepass "$PASSWORD"    for other machines too
  freerun serve --addr :7000 --shards 16 --processors 4 --grace 30s`,
		Args: commandline.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error { return runServe(c, f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.addr, "addr", "127.0.0.1:6379", "listen on `HOST:PORT`; port 0 means any that is free")
	flags.IntVar(&f.shards, "shards", runtime.GOMAXPROCS(0), "spread the keys over `N` units")
	flags.IntVar(&f.processors, "processors", runtime.GOMAXPROCS(0), "run on `N` processors")
	flags.DurationVar(&f.grace, "grace", 10*time.Second, "after a signal wait `DURATION`, such as 30s, for what is under way")
	flags.StringVar(&f.http, "http", "", "show the live page at `HOST:PORT`, to this machine only unless it is public")
	flags.BoolVar(&f.public, "public", false, "show the live page to every machine that can reach it: with profiles, and no password")
	f.clients.add(c)
	f.memory.add(c)
	commandline.Complete(c, "http", "127.0.0.1:7070", ":7070")
	commandline.Complete(c, "addr", "127.0.0.1:6379", "127.0.0.1:0")
	commandline.Complete(c, "shards")
	commandline.Complete(c, "processors")
	commandline.Complete(c, "grace", "10s", "1m")
	return c
}

// check returns an error for a wrong flag, which says what would be right.
func (f serveFlags) check() error {
	if err := checkAddress("addr", f.addr, ":6379"); err != nil {
		return err
	}
	switch {
	case f.http != "":
		if err := checkAddress("http", f.http, ":7070"); err != nil {
			return err
		}
	case f.public:
		return commandline.Usagef("--public is about the live page, and needs --http with where to show it, such as --http :7070")
	}
	if f.shards < 1 || f.shards > 65536 {
		return commandline.Usagef("--shards is %d, and must be from 1 to 65536", f.shards)
	}
	if f.processors < 1 || f.processors > 1024 {
		return commandline.Usagef("--processors is %d, and must be from 1 to 1024", f.processors)
	}
	if f.grace < 0 {
		return commandline.Usagef("--grace is %v, and must not be negative", f.grace)
	}
	return nil
}

// checkAddress returns an error for a wrong address in a flag. port is the example in its text.
func checkAddress(flag, address, port string) error {
	_, given, err := net.SplitHostPort(address)
	if err != nil {
		return commandline.Usagef("--%s is %q, and must be HOST:PORT such as 127.0.0.1%s or %[3]s", flag, address, port)
	}
	if n, err := strconv.Atoi(given); err != nil || n < 0 || n > 65535 {
		return commandline.Usagef("--%s is %q, and its port must be a number from 0 to 65535", flag, address)
	}
	return nil
}

// runServe serves until a signal comes or the server fails.
func runServe(c *cobra.Command, f serveFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	config := ddb.Config{
		Runtime:    f.runtimeOptions(),
		Shards:     f.shards,
		Processors: f.processors,
		Logger:     slog.New(slog.NewTextHandler(c.ErrOrStderr(), nil)),
	}
	if err := errors.Join(f.memory.apply(&config), f.clients.apply(&config)); err != nil {
		return err
	}
	ctx, restore := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer restore()
	server, err := ddb.New(config)
	if err != nil {
		return err
	}
	addr, err := server.Listen(f.addr)
	if err != nil {
		return errors.Join(err, shutdown(server, f.grace))
	}
	f.clients.explain(&config, addr, c.ErrOrStderr())
	var page *livePage
	said := fmt.Sprintf("freerun: listening on %s\n", addr)
	if f.http != "" {
		if page, err = openPage(f, server, c.ErrOrStderr()); err != nil {
			return errors.Join(err, shutdown(server, f.grace))
		}
		said += fmt.Sprintf("freerun: live page at %s\n", page.url())
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve() }()
	if _, err := io.WriteString(c.OutOrStdout(), said); err != nil {
		return errors.Join(err, shutdown(server, f.grace), page.close(), <-served)
	}

	select {
	case err := <-served: // the server ended by itself
		return errors.Join(err, shutdown(server, f.grace), page.close())
	case <-ctx.Done():
	}
	restore() // the next signal ends the process
	fmt.Fprintf(c.ErrOrStderr(), "freerun: ending: waiting up to %v for what is under way (a second signal ends at once)\n", f.grace)
	err = errors.Join(shutdown(server, f.grace), page.close())
	// With ErrClosed the server was ended before it began.
	if ended := <-served; !errors.Is(ended, ddb.ErrClosed) {
		err = errors.Join(err, ended)
	}
	return err
}

// shutdown drains the server. It waits at most for the grace time.
func shutdown(server *ddb.Server, grace time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	return server.Shutdown(ctx)
}
