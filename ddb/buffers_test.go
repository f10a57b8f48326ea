package ddb

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestInputGrowsWithWhatArrives: an announced length costs nothing. The buffer has at most twice
// the received bytes, and is small again when the client is silent.
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
	in.rest()
	if cap(in.buf) > smallBuffer {
		t.Errorf("%d bytes are kept", cap(in.buf))
	}
}

// feed gives requests to an input and a framer in the portions of a network. It returns how many
// bytes were moved within the buffer, and how many were allocated for it.
func feed(t *testing.T, in *input, f *framer, sent []byte, portion int) (moved, allocated, requests int) {
	t.Helper()
	for len(sent) > 0 || len(in.unread()) > 0 {
		before, start, unread := in.buf, in.start, len(in.unread())
		room := in.room(f.exact())
		switch {
		case cap(before) == 0 || &before[0] != &in.buf[0]:
			allocated += len(in.buf)
			moved += unread
		case start != in.start:
			moved += unread
		}
		n := copy(room[:min(len(room), portion)], sent)
		sent = sent[n:]
		in.received(n)
		for {
			kind, size, err := f.frame(in.unread())
			if err != nil {
				t.Fatal(err)
			}
			if kind == incomplete {
				break
			}
			in.take(size)
			requests++
		}
	}
	return moved, allocated, requests
}

// TestInputIsLinear: for a request of many arguments, the moved and the allocated bytes are a few
// times its length, however it arrives, and the buffer keeps to the limit.
func TestInputIsLinear(t *testing.T) {
	var request []byte
	const n = 300_000
	request = fmt.Appendf(request, "*%d\r\n$3\r\nDEL\r\n", n+1)
	for i := range n {
		request = fmt.Appendf(request, "$7\r\n%07d\r\n", i)
	}
	for _, portion := range []int{1 << 10, 4 << 10, 64 << 10, 1 << 30} {
		in := input{limit: len(request) + maxLine}
		f := framer{maxArguments: 1 << 20, maxBulk: maxValue, maxRequest: len(request)}
		moved, allocated, requests := feed(t, &in, &f, request, portion)
		if requests != 1 {
			t.Fatalf("%d requests", requests)
		}
		if moved > 3*len(request) || allocated > 4*len(request)+4*smallBuffer {
			t.Errorf("%d bytes in portions of %d: %d were moved and %d allocated", len(request), portion, moved, allocated)
		}
		if len(in.buf) > in.limit+minimumRead {
			t.Errorf("the buffer has %d bytes, the limit is %d", len(in.buf), in.limit)
		}
	}
}

// TestInputKeepsItsBuffer: requests of one length are received in one buffer, which shrinks when
// shorter requests follow.
func TestInputKeepsItsBuffer(t *testing.T) {
	for _, length := range []int{1 << 10, 64 << 10, 1 << 20, 3 << 20} {
		var in input
		f := framer{maxArguments: 1 << 20, maxBulk: maxValue, maxRequest: 1 << 30}
		set := []byte(request("SET", "key", strings.Repeat("v", length)))
		feed(t, &in, &f, set, 1<<30)
		_, allocated, requests := feed(t, &in, &f, bytes.Repeat(set, 200), 100_000)
		if requests != 200 || allocated > 0 {
			t.Errorf("%d bytes: %d bytes were allocated for %d more requests", length, allocated, requests)
		}
		for range 3 * usesReviewed {
			feed(t, &in, &f, []byte(request("GET", "key")), 1<<30)
		}
		if len(in.buf) > smallBuffer {
			t.Errorf("%d bytes: the buffer has %d after short requests", length, len(in.buf))
		}
	}
}

// TestInputKeepsBytes moves unread bytes and compares each of them.
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

// TestOutputIsBounded: for a client that does not read, no more than the limit is kept. When the
// client finally reads, all bytes arrive in order.
func TestOutputIsBounded(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	var sent atomic.Uint64
	o := output{conn: here, socket: newSocket(here), timeout: patienceOfTests, limit: 4 * flushAt, sent: &sent}
	const pieces = 40
	piece := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i%26)}, flushAt) }
	written := make(chan error)
	var handed atomic.Int64
	go func() {
		buf := make([]byte, flushAt)
		for i := range pieces {
			copy(buf, piece(i)) // overwrites the buffer, as the connection does
			o.long(buf, nil, true)
			handed.Add(1)
		}
		o.flush()
		written <- o.close()
	}()
	for last := int64(-1); last != handed.Load() || last < 2; time.Sleep(2 * patience) {
		last = handed.Load() // until nothing more is handed over
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
