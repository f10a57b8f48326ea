//go:build unix && !freerun_portable && !go1.27

package netpoll

import (
	"os"
	"syscall"
)

// source is a descriptor that Go polls, and a way to give it an event.
//
//	write is nil   file is an eventfd. Each write adds one to its count and makes an event, whether
//	               the count has been read or not. So it is not read: at a write each microsecond
//	               the count is full after 500,000 years.
//	otherwise      both are ends of a pipe. It holds a byte while the poller waits, and at most one
//	               more for each Poll that gave up. They are read before the next byte is written,
//	               since a full pipe takes none.
type source struct {
	file, write *os.File
	buffer      [64]byte
}

// open makes a source: an eventfd, or a pipe if no eventfd can be made.
func (s *source) open() (err error) {
	if s.file, err = openEvent(); err == nil {
		return nil
	}
	return s.openPipe()
}

func (s *source) openPipe() (err error) {
	s.file, s.write, err = os.Pipe()
	return err
}

func (s *source) way() string {
	if s.write == nil {
		return WayEventfd
	}
	return WayPipe
}

// signal makes an event, and reports whether it did.
func (s *source) signal(fd uintptr) bool {
	if s.write == nil {
		n, err := syscall.Write(int(fd), one[:])
		return n == len(one) && err == nil
	}
	s.clear(fd)
	n, err := s.write.Write(s.buffer[:1])
	return n == 1 && err == nil
}

// clear reads what a pipe holds.
func (s *source) clear(fd uintptr) {
	if s.write != nil {
		_, _ = syscall.Read(int(fd), s.buffer[:])
	}
}

func (s *source) close() {
	for _, f := range []*os.File{s.file, s.write} {
		if f != nil {
			_ = f.Close()
		}
	}
}
