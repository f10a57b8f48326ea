package ddb

import (
	"context"
	"errors"
	"time"

	"github.com/freerun-go/freerun"
)

// A server that shuts down still reads, executes and answers what its clients have sent already.
// That is at most what the operating system has buffered. So it limits the number of reads, and the
// wait for bytes, which should be there at once.
const (
	drainReads = 256
	drainTime  = 10 * time.Millisecond
)

// Shutdown ends the server without losing a command that it received. It stops listening, lets each
// connection execute what it has received and send the replies, closes the connections, and shuts
// the runtime down. It waits for all of that; no goroutine of the server is left.
//
// If ctx ends first, connections are closed without an answer to what was not answered yet,
// commands that have not begun are dropped, and the error is ctx's. If blocks of the arena are left
// at the end, the error says so.
//
// Any goroutine may call it, but no operation of the server's runtime. A second call waits for the
// first one, at most until its own ctx ends.
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

// Close is Shutdown with a context that has ended: commands that have not begun are dropped, and it
// waits like Shutdown for the rest. It returns nil unless something else went wrong: a command that
// still runs (the error is a [*freerun.ShutdownError]), or blocks of the arena that are left.
func (s *Server) Close() error {
	s.mustBeMade()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := s.Shutdown(ctx)
	if errors.Is(err, context.Canceled) {
		<-s.closed
		if cut, ok := errors.AsType[*freerun.ShutdownError](s.closeErr); ok && len(cut.Running) > 0 {
			return cut
		}
		return s.leakErr
	}
	return err
}

// end does the work of Shutdown. The caller holds mu; end unlocks it.
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
		return err // the operation may still use the arena
	}
	s.leakErr = s.release()
	return errors.Join(err, s.leakErr)
}

// closeConnections ends the reads and writes of all connections, so that their goroutines end.
func (s *Server) closeConnections() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.connections {
		c.net.Close()
	}
}

// abandon wakes the connections that wait for messages which the runtime dropped.
func (s *Server) abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.connections {
		c.abandon()
	}
}
