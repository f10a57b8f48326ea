package ddb

import (
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/freerun-go/freerun"
)

// Config is what New makes a server from. The zero value is a server with the defaults. It is copied: changing it
// afterwards has no effect.
type Config struct {
	// Shards is the number of units that the keys are spread over; 0 means 2 per processor. More shards let more
	// processors work at once, but a pipeline costs one message for each shard that it touches.
	Shards int
	// Processors is the number of processors of the runtime; 0 means runtime.GOMAXPROCS(0).
	Processors int
	// Runtime are further options of the runtime, such as a watchdog.
	Runtime []freerun.Option
	// Logger gets what goes wrong; nil means slog.Default().
	Logger *slog.Logger

	// MaxClients is how many clients may be connected at once; 0 means 10,000. One more gets an error and is closed.
	MaxClients int
	// IdleTimeout closes a connection that completes no request for so long, or up to a quarter longer, and does not
	// make progress of at least 16 KiB with one. 0 means never.
	IdleTimeout time.Duration
	// WriteTimeout closes a connection whose client takes nothing of its replies for so long; 0 means a minute.
	WriteTimeout time.Duration

	// MaxBulk is the length that an argument can have; 0 means 512 MiB, which is also the most.
	MaxBulk int
	// MaxRequest is the length that a request can have with all its arguments; 0 means 1 GiB.
	MaxRequest int
	// MaxArguments is how many arguments a request can have; 0 means 1,048,576.
	MaxArguments int

	// MaxMemory is how many bytes keys and values may take, with what is kept about them; 0 means no
	// limit. Unlike Redis's it is exceeded by no command however large; only CONFIG SET may bring it
	// below what they take already, see the package's documentation. INFO's used_memory is what
	// counts. What connections need comes on top.
	MaxMemory int64
	// MaxMemoryPolicy says what makes room then; "" means NoEviction.
	MaxMemoryPolicy Policy
	// MaxMemorySamples is how many keys AllKeysLRU looks at to find one that was not used for long; 0 means 5. With more than there
	// are in a shard it finds the very one, and looks at all.
	MaxMemorySamples int
	// Values says where keys and values are kept; "" means OnHeap.
	Values Values

	// MaxClientMemory is how many bytes all clients together may take: buffers for requests and replies, queued transactions, watched keys,
	// replies that wait. 0 means no limit, as in Redis (maxmemory-clients). Beyond it the clients that take the most are disconnected, and the log says so.
	MaxClientMemory int64
	// MaxClientOutput is how many bytes of replies may wait for one client, or be copied for one reply (of MGET, KEYS or EXEC); beyond that
	// the client is disconnected, and the log says so. 0 means 1 GiB, negative no limit. It is Redis's hard limit for normal clients in
	// client-output-buffer-limit, which has none by default. A client that only reads slowly is waited for first, see the package's documentation.
	MaxClientOutput int64

	// Password is what clients must give by AUTH or HELLO (requirepass); "" lets all in that protected mode lets in.
	Password string
	// Unprotected switches Redis's protected mode off. With protected mode, and no password, only
	// clients that connect from a loopback address are served, not even this machine by another of its
	// addresses; others get an error that says what can be done about it.
	Unprotected bool

	// Clock tells the time by which keys expire; nil means time.Now. It is called from many goroutines at once.
	Clock func() time.Time
}

const maxShards = 1 << 16

// standardOutput is how many bytes of replies may wait for a client, unless the configuration says otherwise.
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
	if c.MaxMemoryPolicy == "" {
		c.MaxMemoryPolicy = NoEviction
	}
	if err := c.MaxMemoryPolicy.Set(string(c.MaxMemoryPolicy)); err != nil {
		return c, fmt.Errorf("%w (Config.MaxMemoryPolicy)", err)
	}
	if c.Values == "" {
		c.Values = OnHeap
	}
	if err := c.Values.Set(string(c.Values)); err != nil {
		return c, fmt.Errorf("%w (Config.Values)", err)
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	return c, nil
}
