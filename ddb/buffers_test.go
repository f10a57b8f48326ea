package ddb

import (
	"bytes"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"
)

// TestInputGrowsWithWhatArrives: an announcement costs nothing; the buffer is at most twice what has been received, and
// small again afterwards.
func TestInputGrowsWithWhatArrives(t *testing.T) {
	var in input
	const announced = maxValue
	received := 0
	for received < 4<<20 {
		n := min(len(in.room(announced)), 10_000)
		in.received(n)
		received += n
		if room := cap(in.buf); room > max(smallBuffer, 2*received+2*minimumRead) {
			t.Fatalf("%d bytes of room for %d bytes received", room, received)
		}
		if len(in.unread()) != received {
			t.Fatalf("%d bytes are unread, %d were received", len(in.unread()), received)
		}
	}
	in.take(received)
	in.room(0)
	if cap(in.buf) > keptBuffer {
		t.Errorf("%d bytes are kept", cap(in.buf))
	}
}

// TestInputKeepsBytes moves unread bytes about and looks at each of them.
func TestInputKeepsBytes(t *testing.T) {
	var in input
	next, wanted := byte(0), byte(0)
	for step := range 5000 {
		room := in.room(step % 70_000)
		room = room[:min(len(room), 1+step%3000)]
		for i := range room {
			room[i] = next
			next++
		}
		in.received(len(room))
		for _, got := range in.take(len(in.unread()) * (step % 4) / 3 / 2) {
			if got != wanted {
				t.Fatalf("step %d: byte %d, want %d", step, got, wanted)
			}
			wanted++
		}
		if step%100 == 99 {
			wanted += byte(len(in.take(len(in.unread()))))
		}
	}
}

// TestOutputIsBounded: to a client that does not read, no more than the limit is kept; all of it arrives, in order, when
// the client reads at last.
func TestOutputIsBounded(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	var sent atomic.Uint64
	o := output{conn: here, timeout: patienceOfTests, limit: 4 * flushAt, sent: &sent}
	const pieces = 40
	piece := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i%26)}, flushAt) }
	written := make(chan error)
	var handed atomic.Int64
	go func() {
		buf := make([]byte, flushAt)
		for i := range pieces {
			copy(buf, piece(i)) // the buffer is used again, like the connection's
			o.long(buf, true)
			handed.Add(1)
		}
		o.flush()
		written <- o.close()
	}()
	for last := int64(-1); last != handed.Load() || last < 2; time.Sleep(2 * patience) {
		last = handed.Load() // until it stands still
	}
	o.mu.Lock()
	if o.waiting > o.limit+flushAt {
		t.Errorf("%d bytes wait, the limit is %d", o.waiting, o.limit)
	}
	o.mu.Unlock()
	there.SetDeadline(time.Now().Add(patienceOfTests))
	got := make([]byte, flushAt)
	for i := range pieces {
		if _, err := io.ReadFull(there, got); err != nil || !bytes.Equal(got, piece(i)) {
			t.Fatalf("piece %d: %v, %.10q", i, err, got)
		}
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
	if sent.Load() != pieces*flushAt {
		t.Errorf("%d bytes were counted, %d sent", sent.Load(), pieces*flushAt)
	}
}
