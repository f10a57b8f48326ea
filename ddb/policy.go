package ddb

import (
	"fmt"
	"slices"
	"strings"
)

// Policy says which keys make room for others when [Config].MaxMemory is reached, by its name in Redis. "" stands for NoEviction. Redis has others
// (by frequency, or at random); those are refused.
type Policy string

const (
	// NoEviction refuses commands that may need more memory, with Redis's error: "OOM command not allowed when used memory > 'maxmemory'."
	NoEviction Policy = "noeviction"
	// AllKeysLRU evicts keys that have not been used for long, approximately the longest; see [Config].MaxMemorySamples.
	AllKeysLRU Policy = "allkeys-lru"
	// VolatileTTL evicts keys that expire, of a shard the one first that has the least time left; if none expires, it refuses like NoEviction.
	VolatileTTL Policy = "volatile-ttl"
)

// policies are those that there are; a budget refers to them by their places.
var policies = []Policy{NoEviction, AllKeysLRU, VolatileTTL}

// policyNames lists them for messages.
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

// Set makes the policy the one with a name, as flags do; upper and lower case are the same. The error lists those that there are.
func (p *Policy) Set(name string) error {
	found, ok := parsePolicy(name)
	if !ok {
		return fmt.Errorf("ddb: no policy %q for evicting: it must be one of %s", name, policyNames())
	}
	*p = found
	return nil
}

func (b *budget) evicting() Policy { return policies[b.policy.Load()] }

func (b *budget) setPolicy(p Policy) { b.policy.Store(int32(slices.Index(policies, p))) }
