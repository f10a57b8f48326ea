package ddb

import (
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/freerun-go/freerun"
)

// Config configures New. The zero value is a server with the defaults. New copies it: later changes
// have no effect.
type Config struct {
	// Shards is the number of units that share the keys; 0 means 2 per processor. More shards let
	// more processors work at once, but a pipeline costs one message for each shard that it
	// touches.
	Shards int
	// Processors is the number of processors of the runtime; 0 means runtime.GOMAXPROCS(0).
	Processors int
	// Runtime are further options of the runtime, such as a watchdog.
	Runtime []freerun.Option
	// Logger gets errors and warnings; nil means slog.Default().
	Logger *slog.Logger

	// MaxClients is how many clients may be connected at once; 0 means 10,000. A further client
	// gets an error and is closed.
	MaxClients int
	// IdleTimeout closes a connection that completes no request for so long, or up to a quarter
	// longer, and receives less than 16 KiB of an unfinished one. 0 means never.
	IdleTimeout time.Duration
	// WriteTimeout closes a connection whose client takes no byte of its replies for so long; 0
	// means a minute.
	WriteTimeout time.Duration

	// MaxBulk is the maximal length of an argument, in bytes; 0 means 512 MiB, which is also the
	// most.
	MaxBulk int
	// MaxRequest is the maximal length of a request with all its arguments, in bytes; 0 means 1
	// GiB.
	MaxRequest int
	// MaxArguments is the maximal number of arguments of a request; 0 means 1,048,576.
	MaxArguments int

	// MaxMemory is how many bytes keys and values may take, with their bookkeeping; 0 means no
	// limit. Unlike in Redis no command exceeds it, however large; only CONFIG SET may set it below
	// what they take already, see the package's documentation. It limits INFO's used_memory. The
	// memory of connections comes on top.
	MaxMemory int64
	// MaxMemoryPolicy selects the keys that are evicted at the limit; "" means NoEviction.
	MaxMemoryPolicy Policy
	// MaxMemorySamples is how many keys AllKeysLRU samples to find one that was not used for long;
	// 0 means 5. With at least as many as a shard has keys, it looks at all of them and finds the
	// very one.
	MaxMemorySamples int
	// Values says where keys and values are kept; "" means OnHeap.
	Values Values

	// MaxClientMemory is how many bytes all clients together may take: buffers for requests and
	// replies, queued transactions, watched keys, waiting replies. 0 means no limit, as in Redis
	// (maxmemory-clients). Beyond it the clients that take the most are disconnected, and logged.
	MaxClientMemory int64
	// MaxClientOutput is how many bytes of replies may wait for one client, or be copied for one
	// reply (of MGET, KEYS or EXEC). Beyond it the client is disconnected, and logged. 0 means 1
	// GiB, negative no limit. It is Redis's hard limit for normal clients in
	// client-output-buffer-limit, which has none by default. The server first waits for a client
	// that reads slowly, see the package's documentation.
	MaxClientOutput int64

	// Password is the password that clients must give by AUTH or HELLO (requirepass); "" means
	// none.
	Password string
	// Unprotected switches Redis's protected mode off. In protected mode, without a password, only
	// clients that connect from a loopback address are served. All others are refused with an error
	// that says what can be done, even if they connect from another address of this machine.
	Unprotected bool

	// Clock tells the time by which keys expire; nil means time.Now. Many goroutines call it at
	// once.
	Clock func() time.Time
}

const maxShards = 1 << 16

// standardOutput is the default of MaxClientOutput.
const standardOutput = 1 << 30

func (c Config) withDefaults() (Config, error) {
	for _, field := range []struct {
		name            string
		value           *int
		standard, limit int
	}{
		{"Processors", &c.Processors, runtime.GOMAXPROCS(0), maxShards},
		{"Shards", &c.Shards, 0, maxShards},
		{"MaxClients", &c.MaxClients, 10_000, 1 << 30},
		{"MaxBulk", &c.MaxBulk, maxValue, maxValue},
		{"MaxRequest", &c.MaxRequest, 1 << 30, 1<<31 - 1},
		{"MaxArguments", &c.MaxArguments, 1 << 20, 1 << 30},
		{"MaxMemorySamples", &c.MaxMemorySamples, standardSamples, 1<<31 - 1},
	} {
		if *field.value < 0 || *field.value > field.limit {
			return c, fmt.Errorf("ddb: Config.%s is %d, it must be between 0 (for the default) and %d",
				field.name, *field.value, field.limit)
		}
		if *field.value == 0 {
			*field.value = field.standard
		}
	}
	if c.Shards == 0 {
		c.Shards = min(2*c.Processors, maxShards)
	}
	if c.IdleTimeout < 0 || c.WriteTimeout < 0 {
		return c, fmt.Errorf("ddb: Config.IdleTimeout is %v and Config.WriteTimeout %v, neither may be negative",
			c.IdleTimeout, c.WriteTimeout)
	}
	if c.WriteTimeout == 0 {
		c.WriteTimeout = time.Minute
	}
	if c.MaxMemory < 0 {
		return c, fmt.Errorf("ddb: Config.MaxMemory is %d bytes, it must not be negative; 0 is no limit", c.MaxMemory)
	}
	if c.MaxClientMemory < 0 {
		return c, fmt.Errorf("ddb: Config.MaxClientMemory is %d bytes, it must not be negative; 0 is no limit", c.MaxClientMemory)
	}
	switch {
	case c.MaxClientOutput == 0:
		c.MaxClientOutput = standardOutput
	case c.MaxClientOutput < 0:
		c.MaxClientOutput = 0
	}
	var err error
	if c.MaxMemoryPolicy, err = checkPolicy(c.MaxMemoryPolicy); err != nil {
		return c, err
	}
	if c.Values, err = checkValues(c.Values); err != nil {
		return c, err
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	return c, nil
}
