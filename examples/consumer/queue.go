package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// mostOpen is how many messages a consumer has at most that it has not acknowledged.
const mostOpen = 2_000

// queue is a stream of NATS, with the server in this process.
type queue struct {
	server *server.Server
	conn   *nats.Conn
	js     jetstream.JetStream
}

// openQueue starts a server that stores in the folder dir.
func openQueue(ctx context.Context, dir string) (_ *queue, err error) {
	q := &queue{}
	q.server, err = server.NewServer(&server.Options{DontListen: true, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true})
	if err != nil {
		return nil, err
	}
	q.server.Start()
	if !q.server.ReadyForConnections(30 * time.Second) {
		err = errors.New("the server of NATS does not start")
	}
	if err == nil {
		q.conn, err = nats.Connect("", nats.InProcessServer(q.server))
	}
	if err == nil {
		q.js, err = jetstream.New(q.conn)
	}
	if err == nil {
		_, err = q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "events", Subjects: []string{"events"}})
	}
	if err != nil {
		q.close()
		return nil, err
	}
	return q, nil
}

func (q *queue) close() {
	if q.conn != nil {
		q.conn.Close()
	}
	q.server.Shutdown()
	q.server.WaitForShutdown()
}

// publish adds events to the stream, and returns when all of them are stored.
func (q *queue) publish(ctx context.Context, events []event) error {
	for _, e := range events {
		text, err := json.Marshal(e)
		if err == nil {
			_, err = q.js.PublishAsync("events", text, jetstream.WithStallWait(time.Minute))
		}
		if err != nil {
			return err
		}
	}
	select {
	case <-q.js.PublishAsyncComplete():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// subscribe returns the messages that were not acknowledged, by any process. A message that has no
// answer for long comes again.
func (q *queue) subscribe(ctx context.Context, long time.Duration) (jetstream.MessagesContext, error) {
	c, err := q.js.CreateOrUpdateConsumer(ctx, "events", jetstream.ConsumerConfig{
		Durable: "ledger", AckPolicy: jetstream.AckExplicitPolicy, AckWait: long, MaxAckPending: mostOpen,
	})
	if err != nil {
		return nil, err
	}
	return c.Messages(jetstream.PullMaxMessages(mostOpen), jetstream.WithMessagesErrOnMissingHeartbeat(false))
}

// from returns the next message of some, until ctx ends.
func from(ctx context.Context, messages jetstream.MessagesContext) func() (message, error) {
	return func() (message, error) { return messages.Next(jetstream.NextContext(ctx)) }
}
