package jet

import (
	"context"
	"errors"
	"fmt"
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
		// What is wrong with it the calls say, too.
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}, more...)
	return nats.Connect(url, more...)
}

// keepsNothing is the size of the buffer of a connection that has no server. What is in a buffer
// leaves with the next connection: that may be hours after the call, which engine.Log rules out.
const keepsNothing = -1

// connected waits for a server.
func connected(ctx context.Context, nc *nats.Conn) error {
	if nc.Opts.ReconnectBufSize != keepsNothing {
		return errors.New("nats: the connection keeps what is sent while it has no server, and sends it later; it needs nats.ReconnectBufSize(-1)")
	}
	for !nc.IsConnected() {
		if nc.IsClosed() {
			return fmt.Errorf("nats: %w", nats.ErrConnectionClosed)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("nats: no server of %s answers: %w", strings.Join(nc.Servers(), ", "), errors.Join(context.Cause(ctx), nc.LastError()))
		case <-time.After(mostCall / 40):
		}
	}
	return nil
}
