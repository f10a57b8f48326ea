package ddb

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// ErrClosed is the error of Listen and Serve on a server that was shut down or closed.
var ErrClosed = errors.New("ddb: server closed")

// The replies of Redis 7.0, word for word, because client libraries compare them.
const (
	errSyntax          = "ERR syntax error"
	errNotInteger      = "ERR value is not an integer or out of range"
	errNotInt32        = "ERR value is out of range, value must between -2147483648 and 2147483647"
	errOverflow        = "ERR increment or decrement would overflow"
	errDecrOverflow    = "ERR decrement would overflow"
	errTooLong         = "ERR string exceeds maximum allowed size (proto-max-bulk-len)"
	errInvalidCursor   = "ERR invalid cursor"
	errDBIndex         = "ERR DB index is out of range"
	errNoProto         = "NOPROTO unsupported protocol version"
	errProtoNotInteger = "ERR Protocol version is not an integer or out of range"
	errWrongPass       = "WRONGPASS invalid username-password pair or user is disabled."
	errNoPassword      = "ERR AUTH <password> called without any password configured for the default user." +
		" Are you sure your configuration is correct?"
	errNoAuth      = "NOAUTH Authentication required."
	errNoAuthHello = "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO AUTH <user> <pass>" +
		" option can be used to authenticate the client and select the RESP protocol version at the same time"
	errClientName     = "ERR Client names cannot contain spaces, newlines or special characters."
	errExpireNX       = "ERR NX and XX, GT or LT options at the same time are not compatible"
	errExpireGTLT     = "ERR GT and LT options at the same time are not compatible"
	errMaxClients     = "ERR max number of clients reached"
	errNoKeys         = "ERR The command has no key arguments"
	errInvalidCommand = "ERR Invalid command specified"
	errNested         = "ERR MULTI calls can not be nested"
	errWatchInside    = "ERR WATCH inside MULTI is not allowed"
	errExecAbort      = "EXECABORT Transaction discarded because of previous errors."
	errOOM            = "OOM command not allowed when used memory > 'maxmemory'."
	errInvalidNumArgs = "ERR Invalid number of arguments specified for command"
)

// Replies of this server that Redis does not have.
const (
	errShuttingDown    = "ERR server is shutting down"
	errTransactionSize = "ERR the transaction is larger than a request may be"
	errInternal        = "ERR internal error: the command failed in the server, see its log"
)

func errArity(name string) string {
	return "ERR wrong number of arguments for '" + name + "' command"
}

func errNoMulti(name string) string { return "ERR " + name + " without MULTI" }

// errAborted is the reply to an EXEC that is wrong itself.
func errAborted(msg string) string {
	return "EXECABORT Transaction discarded because of: " + strings.TrimPrefix(msg, "ERR ")
}

func errExpireTime(name string) string {
	return "ERR invalid expire time in '" + name + "' command"
}

func errSubcommand(container string, sub []byte) string {
	return fmt.Sprintf("ERR unknown subcommand '%s'. Try %s HELP.", clip(sub, 128), strings.ToUpper(container))
}

// errUnknownCommand quotes the name, and as many arguments as fit into 128 bytes.
func errUnknownCommand(args [][]byte) string {
	var quoted []byte
	for _, arg := range args[1:] {
		if len(quoted) >= 128 {
			break
		}
		quoted = fmt.Appendf(quoted, "'%s' ", clip(arg, 128-len(quoted)))
	}
	return fmt.Sprintf("ERR unknown command '%s', with args beginning with: %s", clip(args[0], 128), quoted)
}

// clip returns at most n bytes of b, up to the first zero byte, as C's printf does.
func clip(b []byte, n int) []byte {
	if zero := bytes.IndexByte(b, 0); zero >= 0 {
		b = b[:zero]
	}
	return b[:min(n, len(b))]
}

func errUnsupported(option []byte) string {
	return "ERR Unsupported option " + string(clip(option, len(option)))
}
