package jet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Connect connects to servers, now or as soon as one of them is there, as [Open] needs it. url has
// commas between several.
func Connect(url string, more ...nats.Option) (*nats.Conn, error) {
	more = append([]nats.Option{
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond),
		nats.ReconnectBufSize(keepsNothing),
		// A connection that nothing comes from ends after some seconds.
		nats.PingInterval(time.Second), nats.MaxPingsOutstanding(3), nats.FlusherTimeout(4 * time.Second),
		// Credentials that are refused for a while, as others take their place, end no connection.
		nats.IgnoreAuthErrorAbort(),
		// What is wrong with it the calls say, too.
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
		nats.DisconnectErrHandler(func(nc *nats.Conn, err error) {
			if !nc.IsClosed() {
				slog.Warn("cluster: the connection to the servers of NATS has ended; what is sent waits for another one", "error", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) {
			slog.Info("cluster: a server of NATS is there again", "server", nc.ConnectedUrlRedacted())
		}),
	}, more...)
	return nats.Connect(url, more...)
}

// keepsNothing is the size of the buffer of a connection that has no server. What is in a buffer
// leaves with the next connection: that may be hours after the call, which engine.Log rules out.
const keepsNothing = -1

// connected waits for a server.
func connected(ctx context.Context, nc *nats.Conn) error {
	if nc.Opts.ReconnectBufSize != keepsNothing {
		return fmt.Errorf("nats: %w; it needs nats.ReconnectBufSize(-1)", ErrKeeps)
	}
	servers := strings.Join(nc.Servers(), ", ")
	for !nc.IsConnected() {
		err := nc.LastError()
		switch {
		case isRefused(err):
			return fmt.Errorf("nats: %w: %s: %w; look at the credentials", ErrPermission, servers, err)
		case nc.IsClosed():
			return fmt.Errorf("nats: %w", errors.Join(nats.ErrConnectionClosed, err))
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: no server of %s answers: %w", ErrNoServer, servers, errors.Join(context.Cause(ctx), err))
		case <-time.After(mostCall / 40):
		}
	}
	return nil
}

// isRefused reports whether a server has refused a connection for its credentials.
func isRefused(err error) bool {
	for _, why := range []error{nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired} {
		if errors.Is(err, why) {
			return true
		}
	}
	return false
}
