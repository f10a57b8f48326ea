//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"
	"unsafe"
)

// offer sends requests at times of a schedule, whether or not earlier ones were answered, and
// measures from those times to the replies: GET and SET by turns, with values of 3 bytes. One
// thread does all, like redis-benchmark, and waits exactly, which Go's timers do not.
func offer(addr string, clients int, rate float64, requests, keys int) (sample, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	l := &load{period: time.Duration(float64(time.Second) / rate), requests: requests, keys: keys}
	var err error
	if l.epoll, err = syscall.EpollCreate1(syscall.EPOLL_CLOEXEC); err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	defer syscall.Close(l.epoll)
	for range clients {
		file, err := dial(addr)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		fd := int(file.Fd()) // as a side effect the file blocks
		event := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(len(l.clients))}
		if err := errors.Join(syscall.SetNonblock(fd, true), syscall.EpollCtl(l.epoll, syscall.EPOLL_CTL_ADD, fd, &event)); err != nil {
			return nil, err
		}
		l.clients = append(l.clients, &offered{fd: fd})
	}
	began := time.Now()
	if err := l.run(); err != nil {
		return nil, err
	}
	took := time.Since(began).Seconds()
	slices.Sort(l.latencies)
	at := func(part float64) float64 {
		return l.latencies[int(part*float64(len(l.latencies)-1))].Seconds() * 1e3
	}
	return sample{"a second": float64(requests) / took, "p50 ms": at(0.5), "p99 ms": at(0.99), "p99.9 ms": at(0.999)}, nil
}

// dial returns a file of a new connection, which Go's poller does not know.
func dial(addr string) (*os.File, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.(*net.TCPConn).File()
}

// load is a run of offer. One goroutine owns it.
type load struct {
	period         time.Duration
	requests, keys int
	epoll          int
	clients        []*offered
	latencies      []time.Duration
	buf            [4096]byte
}

// offered is a connection of a load.
type offered struct {
	fd   int
	due  []time.Time // of the requests without a reply, the first one first
	left int         // bytes of the next reply that are to come, 0 before its first
}

func (l *load) run() error {
	next := time.Now().Add(10 * time.Millisecond)
	for sent := 0; len(l.latencies) < l.requests; {
		now := time.Now()
		for ; sent < l.requests && !next.After(now); sent++ {
			if err := l.send(l.clients[sent%len(l.clients)], sent/len(l.clients)%2 == 0, next); err != nil {
				return err
			}
			next = next.Add(l.period)
		}
		wait := time.Second
		if sent < l.requests {
			wait = max(0, time.Until(next))
		}
		if err := l.receive(wait); err != nil {
			return err
		}
	}
	return nil
}

func (l *load) send(c *offered, gets bool, due time.Time) error {
	key := rand.IntN(l.keys)
	b := l.buf[:0]
	if gets {
		b = fmt.Appendf(b, "*2\r\n$3\r\nGET\r\n$16\r\nkey:%012d\r\n", key)
	} else {
		b = fmt.Appendf(b, "*3\r\n$3\r\nSET\r\n$16\r\nkey:%012d\r\n$3\r\nabc\r\n", key)
	}
	if n, err := syscall.Write(c.fd, b); err != nil || n != len(b) {
		return fmt.Errorf("a request was not taken: %d of %d bytes: %w", n, len(b), err)
	}
	c.due = append(c.due, due)
	return nil
}

// receive waits for replies, at most for so long, and takes what has come.
func (l *load) receive(wait time.Duration) error {
	var events [64]syscall.EpollEvent
	limit := syscall.NsecToTimespec(int64(wait))
	n, _, failed := syscall.Syscall6(epollPwait2, uintptr(l.epoll), uintptr(unsafe.Pointer(&events)),
		uintptr(len(events)), uintptr(unsafe.Pointer(&limit)), 0, 0)
	if failed == syscall.EINTR {
		return nil
	}
	if failed != 0 {
		return os.NewSyscallError("epoll_pwait2", failed)
	}
	for _, event := range events[:n] {
		c := l.clients[event.Fd]
		n, err := syscall.Read(c.fd, l.buf[:])
		if err != nil || n == 0 {
			return fmt.Errorf("a connection has ended: %w", err)
		}
		now := time.Now()
		for range c.replies(l.buf[:n]) {
			l.latencies = append(l.latencies, now.Sub(c.due[0]))
			c.due = c.due[1:]
		}
	}
	return nil
}

// epollPwait2 is the system call that waits for nanoseconds, since Linux 5.11.
const epollPwait2 = 441

// replies returns how many replies end in b. A reply is "+OK\r\n", or "$3\r\n", three bytes and
// "\r\n".
func (c *offered) replies(b []byte) (n int) {
	for len(b) > 0 {
		if c.left == 0 {
			if c.left = 9; b[0] == '+' {
				c.left = 5
			}
		}
		took := min(c.left, len(b))
		b = b[took:]
		if c.left -= took; c.left == 0 {
			n++
		}
	}
	return n
}
