package ddb

import (
	"errors"
	"hash/maphash"
	"io"
	"log/slog"
	"math/bits"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/offheap"
)

// Server is a database with the connections to it. Make it with New, end it with Shutdown or Close;
// the zero value panics on use. It must not be copied. Any goroutine may call the methods, but no
// operation of the server's runtime may call those that wait. Servers of one process share nothing.
type Server struct {
	// Immutable.
	config   Config
	log      *slog.Logger
	rt       *freerun.Runtime
	outside  *freerun.Context
	units    []*freerun.Unit[shard]
	earliest []*atomic.Int64 // by shard, see shard.earliest
	sweeps   []*sweepOrder   // by shard
	records  []*records      // by shard
	budget   *budget
	arena    *offheap.Arena // nil: values are on Go's heap
	seed     maphash.Seed
	started  time.Time
	rest     time.Duration // restAfter; tests set it

	stats        serverStats
	clientMemory atomic.Int64 // bytes of all clients
	clientLimit  atomic.Int64 // limit of clientMemory; 0 for none
	outputLimit  atomic.Int64 // bytes of replies that may wait for one client; 0 for no limit
	limiting     atomic.Bool  // a goroutine is in limitClients
	password     atomic.Pointer[string]
	// Without a password, only clients from a loopback address are served.
	protected atomic.Bool

	// Connections execute what they have received, then end.
	draining atomic.Bool

	mu          sync.Mutex
	listener    net.Listener
	closing     bool
	connections map[uint64]*connection
	lastID      uint64

	clients    sync.WaitGroup // the connections' goroutines
	background sync.WaitGroup // the sweeper
	stop       chan struct{}  // closing it ends the sweeper
	closed     chan struct{}  // closed when Shutdown has ended; closeErr is valid then
	closeErr   error
	leakErr    error // the part of closeErr about the arena
}

// New makes a server with an empty database and starts its runtime. It does not wait. The caller
// must end the server with Shutdown or Close, even if it never served. The error says what is wrong
// with the configuration.
func New(config Config) (*Server, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	budget, arena, err := config.memory()
	if err != nil {
		return nil, err
	}
	s := &Server{
		config: config, log: config.Logger, budget: budget, arena: arena,
		rt:          freerun.New(append([]freerun.Option{freerun.Processors(config.Processors), freerun.Logger(config.Logger)}, config.Runtime...)...),
		seed:        maphash.MakeSeed(),
		started:     time.Now(),
		rest:        restAfter,
		connections: map[uint64]*connection{},
		stop:        make(chan struct{}),
		closed:      make(chan struct{}),
	}
	s.clientLimit.Store(config.MaxClientMemory)
	s.outputLimit.Store(config.MaxClientOutput)
	s.protected.Store(!config.Unprotected)
	s.setPassword(config.Password)
	s.outside = s.rt.Context()
	for i := range config.Shards {
		s.records = append(s.records, newRecords(s.arena))
		state := newShard(s.clock, s.records[i], s.budget, i)
		unit := freerun.NewUnit(s.rt, state, freerun.UnitName("shard "+strconv.Itoa(i)))
		s.units = append(s.units, unit)
		s.earliest = append(s.earliest, state.earliest)
		s.sweeps = append(s.sweeps, &sweepOrder{unit: unit})
	}
	s.background.Go(func() { s.sweepUntil(s.stop) })
	return s, nil
}

func (s *Server) clock() int64 { return s.config.Clock().UnixMilli() }

// shardOf returns the shard of a key. The seed is the server's own, so a client cannot prepare keys
// that all fall into one shard.
func (s *Server) shardOf(key []byte) int {
	if len(s.units) == 1 {
		return 0
	}
	high, _ := bits.Mul64(maphash.Bytes(s.seed, key), uint64(len(s.units)))
	return int(high)
}

// mustBeMade panics for a server that New has not made, because its first client would crash the
// process.
func (s *Server) mustBeMade() {
	if s == nil || s.rt == nil {
		panic("ddb: a nil or zero Server; make servers with New")
	}
}

// Listen binds a TCP address and returns the bound address; with "127.0.0.1:0" the system chooses
// the port. It does not wait: Serve accepts the clients. A server listens once. A second call
// returns an error, and a call after Shutdown returns ErrClosed.
func (s *Server) Listen(addr string) (net.Addr, error) {
	s.mustBeMade()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return nil, ErrClosed
	}
	if s.listener != nil {
		return nil, errors.New("ddb: the server listens already, at " + s.listener.Addr().String())
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	s.listener = listener
	return listener.Addr(), nil
}

// Serve accepts clients. It waits until Shutdown or Close is called and then returns nil; if the
// server was closed before, it returns ErrClosed. Listen must come first, otherwise Serve returns
// an error. If a client cannot be accepted, as with too many open files, Serve logs the error and
// tries again after a pause of at most a second.
func (s *Server) Serve() error {
	s.mustBeMade()
	s.mu.Lock()
	listener, closing := s.listener, s.closing
	s.mu.Unlock()
	switch {
	case closing:
		return ErrClosed
	case listener == nil:
		return errors.New("ddb: Serve before Listen")
	}
	pause := shortestPause
	for {
		conn, err := listener.Accept()
		if err == nil {
			pause = shortestPause
			s.accept(conn)
			continue
		}
		if s.isClosing() {
			return nil
		}
		if errors.Is(err, net.ErrClosed) {
			return err
		}
		// Usually the process has too many open files, which passes.
		s.log.Warn("ddb: accepting a client failed", "error", err, "retry", pause)
		select {
		case <-time.After(pause):
		case <-s.closed:
		}
		pause = min(2*pause, longestPause)
	}
}

const (
	shortestPause = 5 * time.Millisecond
	longestPause  = time.Second
)

func (s *Server) isClosing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}

// accept starts a connection, or turns the client away.
func (s *Server) accept(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.connections.Add(1)
	switch {
	case s.closing:
		conn.Close()
		return
	case len(s.connections) >= s.config.MaxClients:
		s.stats.rejected.Add(1)
		turnAway(conn, errMaxClients)
		return
	case s.isProtectedFrom(conn):
		s.stats.rejected.Add(1)
		s.log.Warn("ddb: protected mode refuses a client from elsewhere: set a password, or switch protected mode off", "address", conn.RemoteAddr())
		turnAway(conn, errProtected)
		return
	}
	s.lastID++
	c := newConnection(s, s.lastID, conn)
	s.connections[c.id] = c
	s.clients.Go(func() { s.serveClient(c) })
}

// turnAway closes a new connection with an error, which fits into the socket's buffer.
func turnAway(conn net.Conn, msg string) {
	conn.SetWriteDeadline(time.Now().Add(lingerTime))
	conn.Write([]byte("-" + msg + "\r\n"))
	conn.Close()
}

// serveClient serves a client to its end.
func (s *Server) serveClient(c *connection) {
	defer c.memory.end()
	err := c.serve()
	c.forgetWatches()
	if errors.Is(c.out.failure(), errOutputLimit) {
		// serve may have ended otherwise, because the connection was closed.
		err = errOutputLimit
	}
	if errors.Is(err, errOutputLimit) {
		c.net.Close() // do not wait for this client
		s.stats.outputLimited.Add(1)
		s.log.Warn("ddb: client closed for overcoming of output buffer limits", "client", c.describe(), "limit", s.outputLimit.Load())
	}
	if outErr := c.out.close(); outErr != nil && (err == nil || err == io.EOF) {
		err = outErr // that error closed the connection
	}
	if errors.Is(err, errDrained) {
		c.linger()
	}
	c.net.Close()
	s.log.Debug("ddb: a client left", "id", c.id, "address", c.net.RemoteAddr(), "reason", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.connections, c.id)
}
