package ddb

func transactionCommands() []*command {
	return []*command{
		{
			name: "multi", arity: 1, transacts: multi, immediate: true,
			flags:      []string{"noscript", "loading", "stale", "fast", "allow_busy"},
			categories: []string{"@fast", "@transaction"},
			summary:    "Mark the start of a transaction block", since: "1.2.0", group: "transactions",
			costs: "O(1)",
		},
		{
			name: "exec", arity: 1, transacts: execAll, immediate: true,
			flags:      []string{"noscript", "loading", "stale", "skip_slowlog"},
			categories: []string{"@slow", "@transaction"},
			summary:    "Execute all commands issued after MULTI", since: "1.2.0", group: "transactions",
			costs: "Depends on commands in the transaction",
		},
		{
			name: "discard", arity: 1, transacts: discard, immediate: true,
			flags:      []string{"noscript", "loading", "stale", "fast", "allow_busy"},
			categories: []string{"@fast", "@transaction"},
			summary:    "Discard all commands issued after MULTI", since: "2.0.0", group: "transactions",
			costs: "O(N), when N is the number of queued commands",
		},
		{
			name: "watch", arity: -2, transacts: watch, immediate: true,
			flags:      []string{"noscript", "loading", "stale", "fast", "allow_busy"},
			categories: []string{"@fast", "@transaction"},
			firstKey:   1, lastKey: -1, stepKey: 1,
			summary: "Watch the given keys to determine execution of the MULTI/EXEC block", since: "2.2.0", group: "transactions",
			costs: "O(1) for every key.",
		},
		{
			name: "unwatch", arity: 1, transacts: unwatch,
			flags:      []string{"noscript", "loading", "stale", "fast", "allow_busy"},
			categories: []string{"@fast", "@transaction"},
			summary:    "Forget about all watched keys", since: "2.2.0", group: "transactions",
			costs: "O(1)",
		},
	}
}
