package ddb

import "strings"

// The containers: COMMAND, CONFIG, MEMORY and CLIENT.

func subcommands(all ...*command) map[string]*command {
	table := map[string]*command{}
	for _, c := range all {
		_, name, _ := strings.Cut(c.name, "|")
		table[name] = c
	}
	return table
}

func commandSubcommands() map[string]*command {
	return subcommands(
		&command{
			name: "command|count", arity: 2, local: commandCount,
			flags:      []string{"loading", "stale"},
			categories: []string{"@slow", "@connection"},
			summary:    "Get total number of Redis commands", since: "2.8.13", group: "server",
			costs: "O(1)",
		},
		&command{
			name: "command|docs", arity: -2, local: commandDocs,
			flags:      []string{"loading", "stale"},
			categories: []string{"@slow", "@connection"},
			summary:    "Get array of specific Redis command documentation", since: "7.0.0", group: "server",
			costs: "O(N)",
		},
		&command{
			name: "command|getkeys", arity: -4, local: commandGetKeys,
			flags:      []string{"loading", "stale"},
			categories: []string{"@slow", "@connection"},
			summary:    "Extract keys given a full Redis command", since: "2.8.13", group: "server",
			costs: "O(N)",
		},
		&command{
			name: "command|help", arity: 2, local: help("command", commandHelp...),
			flags:      []string{"loading", "stale"},
			categories: []string{"@slow", "@connection"},
			summary:    "Show helpful text about the different subcommands", since: "5.0.0", group: "server",
			costs: "O(1)",
		},
		&command{
			name: "command|info", arity: -2, local: commandInfo,
			flags:      []string{"loading", "stale"},
			categories: []string{"@slow", "@connection"},
			summary:    "Get array of specific Redis command details, or all when no argument is given.", since: "2.8.13", group: "server",
			costs: "O(N)",
		},
		&command{
			name: "command|list", arity: -2, local: commandList,
			flags:      []string{"loading", "stale"},
			categories: []string{"@slow", "@connection"},
			summary:    "Get an array of Redis command names", since: "7.0.0", group: "server",
			costs: "O(N)",
		},
	)
}

func configSubcommands() map[string]*command {
	return subcommands(
		&command{
			name: "config|get", arity: -3, local: configGet,
			flags:      []string{"admin", "noscript", "loading", "stale"},
			categories: []string{"@admin", "@slow", "@dangerous"},
			summary:    "Get the values of configuration parameters", since: "2.0.0", group: "server",
			costs: "O(N) when N is the number of configuration parameters provided",
		},
		&command{
			name: "config|help", arity: 2, local: help("config", configHelp...),
			flags:      []string{"loading", "stale"},
			categories: []string{"@slow"},
			summary:    "Show helpful text about the different subcommands", since: "5.0.0", group: "server",
			costs: "O(1)",
		},
		&command{
			name: "config|set", arity: -4, local: configSet, barrier: true,
			flags:      []string{"admin", "noscript", "loading", "stale"},
			categories: []string{"@admin", "@slow", "@dangerous"},
			summary:    "Set configuration parameters to the given values", since: "2.0.0", group: "server",
			costs: "O(N) when N is the number of configuration parameters provided",
		},
		&command{
			name: "config|resetstat", arity: 2, fanOut: fanOutResetStat,
			flags:      []string{"admin", "noscript", "loading", "stale"},
			categories: []string{"@admin", "@slow", "@dangerous"},
			summary:    "Reset the stats returned by INFO", since: "2.0.0", group: "server",
			costs: "O(1)",
		},
	)
}

func memorySubcommands() map[string]*command {
	return subcommands(
		&command{
			name: "memory|help", arity: 2, local: help("memory", memoryHelp...),
			flags:      []string{"loading", "stale"},
			categories: []string{"@slow"},
			summary:    "Show helpful text about the different subcommands", since: "4.0.0", group: "server",
			costs: "O(1)",
		},
		&command{
			name: "memory|purge", arity: 2, local: memoryPurge, barrier: true,
			categories: []string{"@slow"},
			summary:    "Ask the allocator to release memory", since: "4.0.0", group: "server",
			costs: "Depends on how much memory is allocated, could be slow",
		},
		&command{
			name: "memory|usage", arity: -3, fanOut: fanOutMemoryUsage,
			flags:      []string{"readonly"},
			categories: []string{"@read", "@slow"},
			firstKey:   2, lastKey: 2, stepKey: 1,
			summary: "Estimate the memory usage of a key", since: "4.0.0", group: "server",
			costs: "O(1)",
		},
	)
}

func clientSubcommands() map[string]*command {
	return subcommands(
		&command{
			name: "client|getname", arity: 2, local: clientGetName,
			flags:      []string{"noscript", "loading", "stale"},
			categories: []string{"@slow", "@connection"},
			summary:    "Get the current connection name", since: "2.6.9", group: "connection",
			costs: "O(1)",
		},
		&command{
			name: "client|help", arity: 2, local: help("client", clientHelp...),
			flags:      []string{"loading", "stale"},
			categories: []string{"@slow", "@connection"},
			summary:    "Show helpful text about the different subcommands", since: "5.0.0", group: "connection",
			costs: "O(1)",
		},
		&command{
			name: "client|id", arity: 2, local: clientID,
			flags:      []string{"noscript", "loading", "stale"},
			categories: []string{"@slow", "@connection"},
			summary:    "Returns the client ID for the current connection", since: "5.0.0", group: "connection",
			costs: "O(1)",
		},
		&command{
			name: "client|info", arity: 2, local: clientInfo,
			flags:      []string{"noscript", "loading", "stale"},
			categories: []string{"@slow", "@connection"},
			summary:    "Returns information about the current client connection.", since: "6.2.0", group: "connection",
			costs: "O(1)",
		},
		&command{
			name: "client|list", arity: -2, local: clientList,
			flags:      []string{"admin", "noscript", "loading", "stale"},
			categories: []string{"@admin", "@slow", "@dangerous", "@connection"},
			summary:    "Get the list of client connections", since: "2.4.0", group: "connection",
			costs: "O(N)",
		},
		&command{
			name: "client|setinfo", arity: 4, local: clientSetInfo,
			flags:      []string{"noscript", "loading", "stale"},
			categories: []string{"@slow", "@connection"},
			summary:    "Tell the name or version of the client library", since: "7.2.0", group: "connection",
			costs: "O(1)",
		},
		&command{
			name: "client|setname", arity: 3, local: clientSetName,
			flags:      []string{"noscript", "loading", "stale"},
			categories: []string{"@slow", "@connection"},
			summary:    "Set the current connection name", since: "2.6.9", group: "connection",
			costs: "O(1)",
		},
	)
}

var commandHelp = []string{
	"(no subcommand)",
	"    Return details about all commands of this server.",
	"COUNT",
	"    Return the number of commands of this server.",
	"DOCS [<command-name> ...]",
	"    Return documentation about the commands named, or all.",
	"GETKEYS <full-command>",
	"    Return the keys of a full command.",
	"INFO [<command-name> ...]",
	"    Return details about the commands named, or all.",
	"LIST [FILTERBY (MODULE <name>|ACLCAT <category>|PATTERN <pattern>)]",
	"    Return the names of the commands of this server.",
}

var configHelp = []string{
	"GET <pattern> [<pattern> ...]",
	"    Return parameters matching the glob-like <pattern> and their values.",
	"SET <directive> <value> [<directive> <value> ...]",
	"    Set the configuration <directive> to <value>: client-output-buffer-limit, maxmemory, maxmemory-clients, maxmemory-policy, maxmemory-samples, protected-mode, requirepass.",
	"RESETSTAT",
	"    Reset statistics reported by the INFO command.",
}

var memoryHelp = []string{
	"PURGE",
	"    Give memory that is free back to the system.",
	"USAGE <key> [SAMPLES <count>]",
	"    Return memory in bytes used by <key> and its value. There is nothing to sample.",
}

var clientHelp = []string{
	"GETNAME",
	"    Return the name of the current connection.",
	"ID",
	"    Return the ID of the current connection.",
	"INFO",
	"    Return information about the current client connection.",
	"LIST [TYPE <type>|ID <id> ...]",
	"    Return information about client connections.",
	"SETINFO (LIB-NAME|LIB-VER) <value>",
	"    Accept what the client library tells about itself.",
	"SETNAME <name>",
	"    Assign the name <name> to the current connection.",
}
