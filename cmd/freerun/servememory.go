package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench/commandline"
	"github.com/freerun-go/freerun/ddb"
)

// memoryFlags are the flags of `freerun serve` about where values are stored, and how much memory
// they may take.
type memoryFlags struct {
	values    string
	maxMemory string
	policy    string
	samples   int
}

const memoryHelp = `
--maxmemory limits the memory of keys and values, and --maxmemory-policy says what makes room at
the limit: allkeys-lru evicts keys that have not been used for long, volatile-ttl those that would
expire next, and noeviction refuses commands that need more memory, with Redis's error. Redis's
other policies do not exist here. CONFIG SET changes the limit and the policy while the server runs.

With --values offheap, keys and values are in memory that Go's collector does not look at, of
twice --maxmemory, or 1gb without it, rounded up to a power of two. Only the used part of it is
taken from the system. When it is full, the server acts as if --maxmemory were reached.`

func (f *memoryFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.values, "values", string(ddb.OnHeap), "keep keys and values in `PLACE`: heap, or offheap")
	flags.StringVar(&f.maxMemory, "maxmemory", "0", "let keys and values take `BYTES`, such as 100mb or 1gb; 0 means no limit")
	flags.StringVar(&f.policy, "maxmemory-policy", string(ddb.NoEviction), "make room by `POLICY`: "+listed(policyNames()))
	flags.IntVar(&f.samples, "maxmemory-samples", 5, "have allkeys-lru choose among `N` keys at a time")
	commandline.Complete(c, "values", string(ddb.OnHeap), string(ddb.OffHeap))
	commandline.Complete(c, "maxmemory", "100mb", "1gb")
	commandline.Complete(c, "maxmemory-policy", policyNames()...)
	commandline.Complete(c, "maxmemory-samples", "5", "10")
}

// apply puts the flags into a configuration. The error for a wrong flag says what would be right.
func (f memoryFlags) apply(config *ddb.Config) (err error) {
	switch config.Values = ddb.Values(strings.ToLower(f.values)); config.Values {
	case ddb.OnHeap, ddb.OffHeap:
	default:
		return commandline.Usagef("--values is %q, and must be heap or offheap", f.values)
	}
	if config.MaxMemory, err = ddb.ParseMemory(f.maxMemory); err != nil {
		return commandline.Usagef("--maxmemory is %q, and must be a whole number of bytes, perhaps with a unit, such as 1073741824, 100mb or 1gb; 0 is no limit", f.maxMemory)
	}
	config.MaxMemoryPolicy = ddb.Policy(strings.ToLower(f.policy))
	if !slices.Contains(policies, config.MaxMemoryPolicy) {
		return commandline.Usagef("--maxmemory-policy is %q, and must be %s", f.policy, listed(policyNames()))
	}
	if f.samples < 1 || f.samples > 1<<31-1 {
		return commandline.Usagef("--maxmemory-samples is %d, and must be from 1 to 2147483647", f.samples)
	}
	config.MaxMemorySamples = f.samples
	return nil
}

// policies are those of ddb.
var policies = []ddb.Policy{ddb.NoEviction, ddb.AllKeysLRU, ddb.VolatileTTL}

func policyNames() []string {
	var names []string
	for _, p := range policies {
		names = append(names, string(p))
	}
	return names
}

// listed joins at least two names as in "a, b or c".
func listed(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
