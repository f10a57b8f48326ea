package ddb

func connectionCommands() []*command {
	return []*command{
		{
			name: "ping", arity: -1, local: ping,
			flags:      []string{"fast"},
			categories: []string{"@fast", "@connection"},
			summary:    "Ping the server", since: "1.0.0", group: "connection",
			costs: "O(1)",
		},
		{
			name: "echo", arity: 2, local: echo,
			flags:      []string{"loading", "stale", "fast"},
			categories: []string{"@fast", "@connection"},
			summary:    "Echo the given string", since: "1.0.0", group: "connection",
			costs: "O(1)",
		},
		{
			name: "select", arity: 2, local: selectDB,
			flags:      []string{"loading", "stale", "fast"},
			categories: []string{"@fast", "@connection"},
			summary:    "Change the selected database for the current connection", since: "1.0.0", group: "connection",
			costs: "O(1)",
		},
		{
			name: "client", arity: -2, subcommands: clientSubcommands(),
			categories: []string{"@slow"},
			summary:    "A container for client connection commands", since: "2.4.0", group: "connection",
			costs: "Depends on subcommand",
		},
		{
			name: "hello", arity: -1, local: hello,
			flags:      []string{"noscript", "loading", "stale", "fast", "no_auth", "allow_busy"},
			categories: []string{"@fast", "@connection"},
			summary:    "Handshake with Redis", since: "6.0.0", group: "connection",
			costs: "O(1)",
		},
		{
			name: "quit", arity: -1, local: quit, immediate: true,
			flags:      []string{"noscript", "loading", "stale", "fast", "no_auth", "allow_busy"},
			categories: []string{"@fast", "@connection"},
			summary:    "Close the connection", since: "1.0.0", group: "connection",
			costs: "O(1)",
		},
		{
			name: "auth", arity: -2, local: auth,
			flags:      []string{"noscript", "loading", "stale", "fast", "no_auth", "allow_busy"},
			categories: []string{"@fast", "@connection"},
			summary:    "Authenticate to the server", since: "1.0.0", group: "connection",
			costs: "O(N)",
		},
		{
			name: "reset", arity: 1, local: reset, immediate: true,
			flags:      []string{"noscript", "loading", "stale", "fast", "no_auth", "allow_busy"},
			categories: []string{"@fast", "@connection"},
			summary:    "Reset the connection", since: "6.2.0", group: "connection",
			costs: "O(1)",
		},
	}
}
