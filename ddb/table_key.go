package ddb

func keyCommands() []*command {
	return []*command{
		{
			name: "del", arity: -2, fanOut: fanOutDel, atomic: true,
			flags:      []string{"write"},
			categories: []string{"@keyspace", "@write", "@slow"},
			firstKey:   1, lastKey: -1, stepKey: 1,
			summary: "Delete a key", since: "1.0.0", group: "generic",
			costs: "O(N)",
		},
		{
			name: "exists", arity: -2, fanOut: fanOutExists, atomic: true,
			flags:      []string{"readonly", "fast"},
			categories: []string{"@keyspace", "@read", "@fast"},
			firstKey:   1, lastKey: -1, stepKey: 1,
			summary: "Determine if a key exists", since: "1.0.0", group: "generic",
			costs: "O(N)",
		},
		{
			name: "expire", arity: -3, keyed: expire,
			flags:      []string{"write", "fast"},
			categories: []string{"@keyspace", "@write", "@fast"},
			firstKey:   1, lastKey: 1, stepKey: 1,
			summary: "Set a key's time to live in seconds", since: "1.0.0", group: "generic",
			costs: "O(1)",
		},
		{
			name: "pexpire", arity: -3, keyed: pexpire,
			flags:      []string{"write", "fast"},
			categories: []string{"@keyspace", "@write", "@fast"},
			firstKey:   1, lastKey: 1, stepKey: 1,
			summary: "Set a key's time to live in milliseconds", since: "2.6.0", group: "generic",
			costs: "O(1)",
		},
		{
			name: "ttl", arity: 2, keyed: ttl,
			flags:      []string{"readonly", "fast"},
			categories: []string{"@keyspace", "@read", "@fast"},
			firstKey:   1, lastKey: 1, stepKey: 1,
			summary: "Get the time to live for a key in seconds", since: "1.0.0", group: "generic",
			costs: "O(1)",
		},
		{
			name: "pttl", arity: 2, keyed: pttl,
			flags:      []string{"readonly", "fast"},
			categories: []string{"@keyspace", "@read", "@fast"},
			firstKey:   1, lastKey: 1, stepKey: 1,
			summary: "Get the time to live for a key in milliseconds", since: "2.6.0", group: "generic",
			costs: "O(1)",
		},
		{
			name: "persist", arity: 2, keyed: persist,
			flags:      []string{"write", "fast"},
			categories: []string{"@keyspace", "@write", "@fast"},
			firstKey:   1, lastKey: 1, stepKey: 1,
			summary: "Remove the expiration from a key", since: "2.2.0", group: "generic",
			costs: "O(1)",
		},
		{
			name: "type", arity: 2, keyed: typeOf,
			flags:      []string{"readonly", "fast"},
			categories: []string{"@keyspace", "@read", "@fast"},
			firstKey:   1, lastKey: 1, stepKey: 1,
			summary: "Determine the type stored at key", since: "1.0.0", group: "generic",
			costs: "O(1)",
		},
		{
			name: "keys", arity: 2, fanOut: fanOutKeys,
			flags:      []string{"readonly"},
			categories: []string{"@keyspace", "@read", "@slow", "@dangerous"},
			summary:    "Find all keys matching the given pattern", since: "1.0.0", group: "generic",
			costs: "O(N)",
		},
		{
			name: "scan", arity: -2, fanOut: fanOutScan,
			flags:      []string{"readonly"},
			categories: []string{"@keyspace", "@read", "@slow"},
			summary:    "Incrementally iterate the keys space", since: "2.8.0", group: "generic",
			costs: "O(1) for every call",
		},
	}
}
