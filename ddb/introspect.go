package ddb

import (
	"slices"
	"sort"
	"strings"
)

// COMMAND and its subcommands: clients read the command table.

func sortedCommands() []*command {
	all := make([]*command, 0, len(commands))
	for _, c := range commands {
		all = append(all, c)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].name < all[j].name })
	return all
}

func commandAll(_ *connection, _ [][]byte, w *writer) {
	all := sortedCommands()
	w.array(len(all))
	for _, c := range all {
		c.describe(w)
	}
}

func commandCount(_ *connection, _ [][]byte, w *writer) { w.integer(int64(len(commands))) }

func commandInfo(c *connection, args [][]byte, w *writer) {
	if len(args) == 2 {
		commandAll(c, args, w)
		return
	}
	w.array(len(args) - 2)
	for _, name := range args[2:] {
		if found := lookupFull(string(name)); found != nil {
			found.describe(w)
		} else {
			w.null()
		}
	}
}

// lookupFull finds "get" and "client|id".
func lookupFull(name string) *command {
	container, sub, nested := strings.Cut(name, "|")
	c := lookup(commands, []byte(container))
	if c != nil && nested {
		c = lookup(c.subcommands, []byte(sub))
	}
	return c
}

func commandList(_ *connection, args [][]byte, w *writer) {
	chosen := func(*command) bool { return true }
	switch {
	case len(args) == 2:
	case len(args) != 5 || !equalFold(args[2], "FILTERBY"):
		w.fail(errSyntax)
		return
	case equalFold(args[3], "PATTERN"):
		pattern := string(args[4])
		chosen = func(c *command) bool { return matches(pattern, c.name, true) }
	case equalFold(args[3], "ACLCAT"):
		category := "@" + strings.ToLower(string(args[4]))
		chosen = func(c *command) bool { return slices.Contains(c.categories, category) }
	case equalFold(args[3], "MODULE"):
		chosen = func(*command) bool { return false }
	default:
		w.fail(errSyntax)
		return
	}
	var names []string
	for _, c := range sortedCommands() {
		if chosen(c) {
			names = append(names, c.name)
		}
	}
	w.texts(names...)
}

func commandGetKeys(_ *connection, args [][]byte, w *writer) {
	request := args[2:]
	c := lookup(commands, request[0])
	if c != nil && c.subcommands != nil && len(request) > 1 {
		c = lookup(c.subcommands, request[1])
	}
	switch {
	case c == nil:
		w.fail(errInvalidCommand)
		return
	case c.firstKey == 0:
		w.fail(errNoKeys)
		return
	case (c.arity >= 0 && len(request) != c.arity) || len(request) < -c.arity:
		w.fail(errInvalidNumArgs)
		return
	}
	at := c.keysOf(request)
	w.array(len(at))
	for _, i := range at {
		w.text(string(request[i]))
	}
}

func commandDocs(_ *connection, args [][]byte, w *writer) {
	chosen := sortedCommands()
	if len(args) > 2 {
		chosen = nil
		for _, name := range args[2:] {
			if c := lookupFull(string(name)); c != nil {
				chosen = append(chosen, c)
			}
		}
	}
	w.array(2 * len(chosen))
	for _, c := range chosen {
		c.document(w)
	}
}

// describe writes an element of COMMAND's reply.
func (c *command) describe(w *writer) {
	w.array(10)
	w.text(c.name)
	w.integer(int64(c.arity))
	w.flags(c.flags...)
	w.integer(int64(c.firstKey))
	w.integer(int64(c.lastKey))
	w.integer(int64(c.stepKey))
	w.flags(c.categories...)
	w.array(0) // tips
	w.array(0) // key specifications
	subcommands := c.sortedSubcommands()
	w.array(len(subcommands))
	for _, sub := range subcommands {
		sub.describe(w)
	}
}

// document writes a pair of COMMAND DOCS' reply.
func (c *command) document(w *writer) {
	subcommands := c.sortedSubcommands()
	fields := []string{"summary", c.summary, "since", c.since, "group", c.group}
	if c.costs != "" {
		fields = append(fields, "complexity", c.costs)
	}
	w.text(c.name)
	if len(subcommands) == 0 {
		w.texts(fields...)
		return
	}
	w.array(len(fields) + 2)
	w.each(w.text, fields)
	w.text("subcommands")
	w.array(2 * len(subcommands))
	for _, sub := range subcommands {
		sub.document(w)
	}
}

func (c *command) sortedSubcommands() []*command {
	all := make([]*command, 0, len(c.subcommands))
	for _, sub := range c.subcommands {
		all = append(all, sub)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].name < all[j].name })
	return all
}

// help makes the HELP of a container.
func help(container string, lines ...string) func(*connection, [][]byte, *writer) {
	return func(_ *connection, _ [][]byte, w *writer) {
		head := strings.ToUpper(container) + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"
		w.flags(append(append([]string{head}, lines...), "HELP", "    Prints this help.")...)
	}
}
