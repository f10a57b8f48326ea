package ddb

import "slices"

// command is one entry of the command table. Exactly one of keyed, local, fanOut, transacts and
// subcommands is set; but local may stand beside subcommands, for the form without a subcommand.
type command struct {
	name  string // lower case; for a subcommand "container|name"
	arity int    // number of arguments including the name; -n: at least n

	// One key, the first argument.
	keyed func(s *shard, args [][]byte, w *writer)
	// Answered by the connection itself.
	local func(c *connection, args [][]byte, w *writer)
	// Several shards. It returns nil after an error reply.
	fanOut func(c *connection, args [][]byte, w *writer) *fanOutReply

	// Commands about transactions.
	transacts func(c *connection, args [][]byte) slot

	subcommands map[string]*command

	grows  growth
	atomic bool // fanOut: on all shards at one instant
	// local: executed after all commands before it in the pipeline, and before all behind it.
	barrier   bool
	immediate bool // executed, not queued, between MULTI and EXEC
	// Also for clients that have not given the password: the flag no_auth.
	noAuth bool

	flags                        []string
	firstKey, lastKey, stepKey   int
	categories                   []string
	summary, since, group, costs string
}

// commands is the table by lower-case name. init writes it once, because its functions refer to it.
var commands map[string]*command

func init() {
	commands = map[string]*command{}
	for _, table := range [][]*command{stringCommands(), keyCommands(), serverCommands(), connectionCommands(), transactionCommands()} {
		for _, c := range table {
			c.noAuth = slices.Contains(c.flags, "no_auth")
			commands[c.name] = c
		}
	}
}

// longestName is longer than any command's name.
const longestName = 32

// lookup finds a command by its name as sent.
func lookup(table map[string]*command, name []byte) *command {
	if len(name) >= longestName {
		return nil
	}
	var folded [longestName]byte
	for i, c := range name {
		folded[i] = lower(c, true)
	}
	return table[string(folded[:len(name)])]
}

// resolve finds the command of a request, or returns the text of the error.
func resolve(args [][]byte) (*command, string) {
	c := lookup(commands, args[0])
	if c == nil {
		return nil, errUnknownCommand(args)
	}
	if c.subcommands != nil && len(args) > 1 {
		sub := lookup(c.subcommands, args[1])
		if sub == nil {
			return nil, errSubcommand(c.name, args[1])
		}
		c = sub
	}
	if (c.arity >= 0 && len(args) != c.arity) || len(args) < -c.arity {
		return nil, errArity(c.name)
	}
	return c, ""
}

// keysOf returns the positions of a request's keys.
func (c *command) keysOf(args [][]byte) []int {
	if c.firstKey == 0 {
		return nil
	}
	last := c.lastKey
	if last < 0 {
		last += len(args)
	}
	var at []int
	for i := c.firstKey; i <= last && i < len(args); i += c.stepKey {
		at = append(at, i)
	}
	return at
}
