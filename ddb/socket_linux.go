package ddb

import (
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"
)

// rawSocket makes the system calls of a TCP connection itself, and waits with Go's poller, like
// net.TCPConn.
//
// Go's Read and Write announce each system call, so that another thread gets the P if it lasts. A
// call on a socket that does not block ends soon. Where calls are most of the work, the
// announcements keep Go's monitor awake, which looks every 20 µs, and takes the P of a thread that
// the system has set aside during a call. That is 6% of the processor time of a server. So these
// calls are not announced.
//
// A short read may have taken the last event of a client that has sent its requests and the end
// of its stream together. So each read asks the socket first, and then waits.
type rawSocket struct {
	conn syscall.RawConn

	// Of the reader. take is made once, so that a read allocates nothing.
	into   []byte
	got    int
	failed syscall.Errno
	take   func(fd uintptr) bool

	// Of the writer.
	vectors [len(pieces{})]syscall.Iovec
	first   int // vectors before it are written
	wrote   int
	unsent  syscall.Errno
	give    func(fd uintptr) bool
}

// newRawSocket returns nil for what is no TCP connection.
func newRawSocket(conn net.Conn) *rawSocket {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	s := &rawSocket{conn: raw}
	s.take, s.give = s.takeSome, s.giveSome
	return s
}

func (s *rawSocket) read(b []byte) (int, error) {
	s.into, s.got, s.failed = b, 0, 0
	err := s.conn.Read(s.take)
	s.into = nil
	switch {
	case err != nil:
		return 0, err
	case s.failed != 0:
		return 0, os.NewSyscallError("read", s.failed)
	case s.got == 0 && len(b) > 0:
		return 0, io.EOF
	}
	return s.got, nil
}

// takeSome reads what the socket has, and reports whether it had something, or an end.
func (s *rawSocket) takeSome(fd uintptr) bool {
	for {
		n, _, failed := syscall.RawSyscall(syscall.SYS_READ, fd,
			uintptr(unsafe.Pointer(unsafe.SliceData(s.into))), uintptr(len(s.into)))
		switch failed {
		case 0:
			s.got = int(n)
			return true
		case syscall.EINTR:
		case syscall.EAGAIN:
			return false
		default:
			s.failed = failed
			return true
		}
	}
}

func (s *rawSocket) write(p pieces) (int, error) {
	s.first, s.wrote, s.unsent = len(p), 0, 0
	for i := len(p) - 1; i >= 0; i-- {
		if len(p[i]) > 0 {
			s.first--
			s.vectors[s.first].Base = unsafe.SliceData(p[i])
			s.vectors[s.first].SetLen(len(p[i]))
		}
	}
	err := s.conn.Write(s.give)
	clear(s.vectors[:])
	if err == nil && s.unsent != 0 {
		err = os.NewSyscallError("write", s.unsent)
	}
	return s.wrote, err
}

// giveSome writes what the socket takes, and reports whether that was all, or the socket failed.
func (s *rawSocket) giveSome(fd uintptr) bool {
	for s.first < len(s.vectors) {
		n, _, failed := s.writev(fd, s.vectors[s.first:])
		switch failed {
		case 0:
			s.advance(int(n))
		case syscall.EINTR:
		case syscall.EAGAIN:
			return false
		default:
			s.unsent = failed
			return true
		}
	}
	return true
}

// writev is a plain write for one vector, which takes less time.
func (s *rawSocket) writev(fd uintptr, vectors []syscall.Iovec) (n, _ uintptr, failed syscall.Errno) {
	if len(vectors) == 1 {
		return syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(unsafe.Pointer(vectors[0].Base)), uintptr(vectors[0].Len))
	}
	return syscall.RawSyscall(syscall.SYS_WRITEV, fd, uintptr(unsafe.Pointer(unsafe.SliceData(vectors))), uintptr(len(vectors)))
}

// advance leaves n bytes out that were written.
func (s *rawSocket) advance(n int) {
	s.wrote += n
	for n > 0 {
		v := &s.vectors[s.first]
		if length := int(v.Len); n < length {
			v.Base = (*byte)(unsafe.Add(unsafe.Pointer(v.Base), n))
			v.SetLen(length - n)
			return
		}
		n -= int(v.Len)
		s.first++
	}
}
