package ddb

import "slices"

// command is one entry of the command table. Exactly one of keyed, local, spread, transacts and subcommands is set (local
// may stand beside subcommands: it is then the form without a subcommand).
type command struct {
	name  string // in lower case; of a subcommand "container|name"
	arity int    // number of arguments with the name; -n: at least n

	keyed  func(s *shard, args [][]byte, w *writer)                   // one key, the first argument
	local  func(c *connection, args [][]byte, w *writer)              // answered by the connection itself
	fanOut func(c *connection, args [][]byte, w *writer) *fanOutReply // several shards; nil if it has answered with an error

	transacts func(c *connection, args [][]byte) slot // what has to do with transactions

	subcommands map[string]*command

	grows     growth
	atomic    bool // spread: over all shards at one instant
	barrier   bool // local: executed when all before it in the pipeline is done, and before all behind it
	immediate bool // executed, not queued, between MULTI and EXEC
	noAuth    bool // for clients that have not given the password too: those flagged no_auth

	flags                        []string
	firstKey, lastKey, stepKey   int
	categories                   []string
	summary, since, group, costs string
}

// commands is the table by lower-case name, written once in init (its functions refer to it).
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

// longestName is longer than any command's name; what is as long is unknown.
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

// resolve finds what a request asks for, or returns the text of the error.
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
