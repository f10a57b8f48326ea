//go:build unix && !freerun_portable && !go1.27

package netpoll

import (
	"syscall"
	"time"
)

// Poller parks one goroutine at a time. Make it with [New]. It must not be copied.
//
// The wait, with the descriptor's state in Go's poller (runtime/netpoll.go) in brackets:
//
//	N1  Read forgets events of the past              [none]
//	N2  look makes an event, and says "not yet"      [none, or ready as soon as any P polls]
//	N3  Read parks until the descriptor is ready     [waiting]
//	N4  look says "done"
//
// A poll after N2 finds the event of N2. If that poll comes before N3, N3 returns at once. So no
// wake-up is lost.
type Poller struct {
	source source
	conn   syscall.RawConn
	look   func(fd uintptr) bool
	asked  bool // N2 is done
	polled bool // N4 is done
}

// New makes a poller. It fails where the process may open no further descriptor.
func New() (*Poller, error) { return build((*source).open) }

func build(open func(*source) error) (*Poller, error) {
	p := new(Poller)
	err := open(&p.source)
	if err == nil {
		p.conn, err = p.source.file.SyscallConn()
	}
	if err != nil {
		p.source.close()
		tell(WayYield, err)
		return nil, err
	}
	tell(p.source.way(), nil)
	p.look = func(fd uintptr) bool { // made once, as it escapes
		if p.asked {
			p.source.clear(fd)
			p.polled = true
			return true
		}
		p.asked = true
		return !p.source.signal(fd) // without an event there is nothing to wait for
	}
	return p, nil
}

// Poll lets other goroutines run and has Go poll the network. It reports whether the network was
// polled: if the run queues do not run empty within limit, Poll gives up and returns false. It
// allocates nothing. One goroutine at a time may call it, and must not be pinned.
func (p *Poller) Poll(limit time.Duration) bool {
	p.asked, p.polled = false, false
	if err := p.source.file.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return false
	}
	_ = p.conn.Read(p.look) // its error says that time is up, or that p is closed
	return p.polled
}

// Futile reports whether a Poll would find nothing: no event waits, or a thread of Go waits for the
// network and fetches events itself. It takes a fraction of the time of a poll, and parks nobody.
// Where the system cannot tell, it returns false. Any goroutine may call it.
func (*Poller) Futile() bool { return nothingWaits() }

// Close gives the descriptors back. A waiting Poll returns false. Any goroutine may call it, any
// number of times.
func (p *Poller) Close() { p.source.close() }

// tell notes the outcome of making a poller.
func tell(way string, err error) { last.Store(&status{way, err}) }
