package ddb

import (
	"context"
	"errors"
	"time"

	"github.com/freerun-go/freerun"
)

// What a client has sent and the server has not read yet is executed and answered too. That is at most what the system
// buffers, so a server that drains reads only so often, and waits only so long for bytes that should be there already.
const (
	drainReads = 256
	drainTime  = 10 * time.Millisecond
)

// Shutdown ends the server without losing a command that it received: it stops listening, lets each connection execute
// what it has received and send the replies, closes the connections, and shuts the runtime down. It waits for all
// that; no goroutine of the server is left. When ctx ends first, connections are closed as they are, commands that have
// not begun are dropped (their clients get an error, if they can still be reached), and the error is ctx's.
//
// A second call waits for the first one, at most until its own ctx ends. It must not be called from an operation.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mustBeMade()
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		select {
		case <-s.closed:
			return s.closeErr
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.closing = true
	s.closeErr = s.end(ctx) // unlocks
	close(s.closed)
	return s.closeErr
}

// Close is a shutdown whose deadline has passed. It returns nil unless something else went wrong.
func (s *Server) Close() error {
	s.mustBeMade()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := s.Shutdown(ctx)
	if errors.Is(err, context.Canceled) {
		<-s.closed
		return s.leakErr
	}
	return err
}

// end does the work of Shutdown. It is entered with mu held, which it gives up.
func (s *Server) end(ctx context.Context) error {
	s.draining.Store(true)
	if s.listener != nil {
		s.listener.Close()
	}
	for _, c := range s.connections {
		c.net.SetReadDeadline(time.Now().Add(drainTime))
	}
	s.mu.Unlock()

	gone := make(chan struct{})
	go func() {
		s.clients.Wait()
		close(gone)
	}()
	var err error
	select {
	case <-gone:
	case <-ctx.Done():
		err = ctx.Err()
		s.closeConnections()
	}
	close(s.stop)
	s.background.Wait()
	err = errors.Join(err, s.rt.Shutdown(ctx))
	s.abandon()
	<-gone
	var cut *freerun.ShutdownError
	if errors.As(err, &cut) && len(cut.Running) > 0 {
		return err // an operation that did not return may go on using what it has
	}
	s.leakErr = s.release()
	return errors.Join(err, s.leakErr)
}

// closeConnections closes the connections of the clients that are left.
func (s *Server) closeConnections() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.connections {
		c.net.Close()
	}
}

// abandon wakes the connections that wait for a command which the runtime dropped.
func (s *Server) abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.connections {
		c.abandon()
	}
}
