package jet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// Sketch:     a server that does not permit something says so on its own, and answers nothing. So a
//             call of such a program would wait, and be uncertain, again and again
//             Open hears what the server says, and tries each permission that is needed later with
//             a message that changes nothing: the server looks at permissions first

// refusals are what a server does not permit.
type refusals struct {
	refuse context.CancelCauseFunc
	mu     sync.Mutex
	all    []string
}

// hearRefusals returns a context that ends when the server of a connection refuses something. stop
// has the connection be as it was.
func hearRefusals(ctx context.Context, nc *nats.Conn) (_ context.Context, r *refusals, stop func()) {
	ctx, refuse := context.WithCancelCause(ctx)
	r = &refusals{refuse: refuse}
	before := nc.ErrorHandler()
	nc.SetErrorHandler(func(nc *nats.Conn, sub *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrPermissionViolation) {
			r.hear(err)
		}
		if before != nil {
			before(nc, sub, err)
		}
	})
	return ctx, r, func() {
		nc.SetErrorHandler(before)
		refuse(nil)
	}
}

func (r *refusals) hear(err error) {
	r.mu.Lock()
	if !slices.Contains(r.all, err.Error()) {
		r.all = append(r.all, err.Error())
	}
	r.mu.Unlock()
	r.refuse(r.err())
}

// err returns what was refused so far; nil for nothing.
func (r *refusals) err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.all) == 0 {
		return nil
	}
	return fmt.Errorf("nats: %w: the server says: %s", ErrPermission, strings.Join(r.all, "; "))
}

// checkPermissions tries what an engine and its machine do later.
func (e *Engine) checkPermissions(ctx context.Context, r *refusals) error {
	for _, subject := range []string{e.live(0), e.bus(""), e.bus("x"), e.nc.NewInbox()} {
		sub, err := e.nc.SubscribeSync(subject)
		if err != nil {
			return fmt.Errorf("nats: %w", err)
		}
		defer sub.Unsubscribe()
	}
	for err := e.tryHarmless(); err != nil; err = e.tryHarmless() {
		switch {
		case r.err() != nil:
			return r.err()
		case ctx.Err() != nil, e.nc.IsClosed():
			return fmt.Errorf("%w: %w", ErrNoServer, errors.Join(context.Cause(ctx), err))
		}
		time.Sleep(mostCall / 40) // the connection has no server now
	}
	// What the server has said before the answer is known now; the handler may hear of it later.
	if last := e.nc.LastError(); errors.Is(last, nats.ErrPermissionViolation) {
		r.hear(last)
	}
	return r.err()
}

// tryHarmless sends what changes nothing, and waits until the server has seen it.
func (e *Engine) tryHarmless() error {
	for _, m := range e.harmless() {
		if err := e.nc.PublishMsg(m); err != nil {
			return err
		}
	}
	return e.nc.FlushTimeout(mostCall)
}

// harmless returns a message to each subject that an engine publishes to, which changes nothing:
// those to streams are for another stream, those to the interface are of a partition that is not
// there, and those to machines are dropped by them.
func (e *Engine) harmless() (all []*nats.Msg) {
	const nowhere = -1
	// A purge that the server cannot read is one of all. This one it refuses, and else it is one of
	// nothing.
	purge := fmt.Appendf(nil, `{"filter":%q,"seq":1,"keep":1}`, e.in(nowhere))
	read := fmt.Appendf(nil, `{"last_by_subj":%q}`, e.in(nowhere))
	for pair := range e.pairs { // partition 0 is of pair 0, and so on
		for _, subject := range []string{e.in(pair), e.entry(pair, []byte("x")), e.trimmed(pair)} {
			all = append(all, &nats.Msg{Subject: subject, Header: nats.Header{"Nats-Expected-Stream": {"none"}}})
		}
		for subject, ask := range map[string][]byte{
			"$JS.API.STREAM.MSG.GET." + e.entries(pair): read, "$JS.API.DIRECT.GET." + e.logs(pair): read,
			"$JS.API.STREAM.INFO." + e.entries(pair): nil, "$JS.API.STREAM.PURGE." + e.logs(pair): purge,
		} {
			all = append(all, &nats.Msg{Subject: subject, Data: ask})
		}
	}
	for _, subject := range []string{e.bus(""), e.bus("x")} {
		all = append(all, &nats.Msg{Subject: subject})
	}
	return all
}
