package ddb

import (
	"fmt"
	"slices"
	"strings"
)

// Policy selects the keys that make room at the limit of [Config].MaxMemory, by its name in Redis.
// "" stands for NoEviction. [New] takes the names in upper or lower case, and refuses others with
// an error that lists them: Redis has further policies (by frequency, or random).
type Policy string

const (
	// NoEviction refuses commands that may need more memory, with Redis's error: "OOM command not
	// allowed when used memory > 'maxmemory'."
	NoEviction Policy = "noeviction"
	// AllKeysLRU evicts keys that have not been used for long, approximately the least recently
	// used; see [Config].MaxMemorySamples.
	AllKeysLRU Policy = "allkeys-lru"
	// VolatileTTL evicts keys with a deadline, of a shard the earliest first. If no key has one, it
	// refuses like NoEviction.
	VolatileTTL Policy = "volatile-ttl"
)

// policies are all policies. A budget stores an index.
var policies = []Policy{NoEviction, AllKeysLRU, VolatileTTL}

// policyNames lists the policies for messages.
func policyNames() string {
	names := make([]string, len(policies))
	for i, p := range policies {
		names[i] = string(p)
	}
	return strings.Join(names, ", ")
}

// parsePolicy finds a policy by its name, in upper or lower case.
func parsePolicy(name string) (Policy, bool) {
	i := slices.IndexFunc(policies, func(p Policy) bool { return strings.EqualFold(string(p), name) })
	if i < 0 {
		return "", false
	}
	return policies[i], true
}

// checkPolicy returns a policy by its name as Redis writes it, NoEviction for "".
func checkPolicy(p Policy) (Policy, error) {
	if p == "" {
		return NoEviction, nil
	}
	found, ok := parsePolicy(string(p))
	if !ok {
		return "", fmt.Errorf("ddb: no policy %q for evicting: it must be one of %s (Config.MaxMemoryPolicy)", p, policyNames())
	}
	return found, nil
}

func (b *budget) evicting() Policy { return policies[b.policy.Load()] }

func (b *budget) setPolicy(p Policy) { b.policy.Store(int32(slices.Index(policies, p))) }
