package ddb

func serverCommands() []*command {
	return []*command{
		{
			name: "dbsize", arity: 1, fanOut: fanOutDBSize,
			flags:      []string{"readonly", "fast"},
			categories: []string{"@keyspace", "@read", "@fast"},
			summary:    "Return the number of keys in the selected database", since: "1.0.0", group: "server",
			costs: "O(1)",
		},
		{
			name: "flushall", arity: -1, fanOut: fanOutFlush, atomic: true,
			flags:      []string{"write"},
			categories: []string{"@keyspace", "@write", "@slow", "@dangerous"},
			summary:    "Remove all keys from all databases", since: "1.0.0", group: "server",
			costs: "O(N)",
		},
		{
			name: "flushdb", arity: -1, fanOut: fanOutFlush, atomic: true,
			flags:      []string{"write"},
			categories: []string{"@keyspace", "@write", "@slow", "@dangerous"},
			summary:    "Remove all keys from the current database", since: "1.0.0", group: "server",
			costs: "O(N)",
		},
		{
			name: "info", arity: -1, fanOut: fanOutInfo,
			flags:      []string{"loading", "stale"},
			categories: []string{"@slow", "@dangerous"},
			summary:    "Get information and statistics about the server", since: "1.0.0", group: "server",
			costs: "O(1)",
		},
		{
			name: "command", arity: -1, local: commandAll, subcommands: commandSubcommands(),
			flags:      []string{"loading", "stale"},
			categories: []string{"@slow", "@connection"},
			summary:    "Get array of Redis command details", since: "2.8.13", group: "server",
			costs: "O(N)",
		},
		{
			name: "memory", arity: -2, subcommands: memorySubcommands(),
			categories: []string{"@slow"},
			summary:    "A container for memory diagnostics commands", since: "4.0.0", group: "server",
			costs: "Depends on subcommand",
		},
		{
			name: "config", arity: -2, subcommands: configSubcommands(),
			categories: []string{"@slow"},
			summary:    "A container for server configuration commands", since: "2.0.0", group: "server",
			costs: "Depends on subcommand",
		},
	}
}
