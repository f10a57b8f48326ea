package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"

	runtime "github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/ddb"
	"github.com/freerun-go/freerun/httpview"
)

// lateAfter is the time after which the page shows a running command as an incident.
const lateAfter = 250 * time.Millisecond

// runtimeOptions returns the options of the database's runtime. With the page, a watchdog reports
// late operations.
func (f serveFlags) runtimeOptions() []runtime.Option {
	if f.http == "" {
		return nil
	}
	return []runtime.Option{runtime.Watchdog(lateAfter, 0)}
}

// livePage is the page that `freerun serve --http` shows beside the database.
type livePage struct {
	server *http.Server
	at     net.Addr
	served chan error
}

// openPage listens for browsers and scrapers. An address without a host is this machine's own,
// unless the page is public. A page that is not public answers only this machine, at whichever
// address.
func openPage(f serveFlags, server *ddb.Server, errs io.Writer) (*livePage, error) {
	options := []httpview.Option{httpview.Title("freerun serve"), httpview.Metrics(databaseMetrics{server})}
	host, port, _ := net.SplitHostPort(f.http) // check has found no error in it
	if host == "" && !f.public {
		host = "127.0.0.1"
	}
	switch {
	case f.public:
		options = append(options, httpview.Public())
	case !ownHost(host):
		fmt.Fprintln(errs, "freerun: the live page answers this machine only; --public shows it, with profiles and without a password, to all that can reach it")
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("--http: %w", err)
	}
	p := &livePage{at: listener.Addr(), served: make(chan error, 1)}
	p.server = &http.Server{
		Handler: httpview.Handler(server.Runtime(), options...), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		ErrorLog: slog.NewLogLogger(slog.NewTextHandler(errs, nil), slog.LevelWarn),
	}
	go func() { p.served <- p.server.Serve(listener) }()
	return p, nil
}

// ownHost reports whether only this machine can reach a host.
func ownHost(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// url returns the address of the page for a browser.
func (p *livePage) url() string {
	host, port, _ := net.SplitHostPort(p.at.String())
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port) + "/"
}

// close ends the page at once. The page itself tells its viewers that the program has ended.
// Closing a nil page does nothing.
func (p *livePage) close() error {
	if p == nil {
		return nil
	}
	err := p.server.Close()
	if ended := <-p.served; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}
