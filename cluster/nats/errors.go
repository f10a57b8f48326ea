package nats

import "github.com/freerun-go/freerun/cluster/nats/internal/jet"

// Errors of a store that cannot be opened. Test with [errors.Is]. Their texts say which server,
// stream or subject, and what to do. Streams that are not there are
// [github.com/freerun-go/freerun/cluster.ErrStateLost].
var (
	// ErrNoServer says that no server has answered in time, or not as many as are needed: a
	// majority of those that have the streams. Start them, or wait for longer ([Within]).
	ErrNoServer = jet.ErrNoServer
	// ErrNoJetStream says that the server, or the account, has no JetStream. Start the server with
	// -js.
	ErrNoJetStream = jet.ErrNoJetStream
	// ErrTooOld says that the server is older than 2.12.
	ErrTooOld = jet.ErrTooOld
	// ErrPermission says that a server refuses the credentials ([Connection]), or that they may not
	// publish or subscribe to a subject that is needed.
	ErrPermission = jet.ErrPermission
	// ErrMismatch says that the streams of the program's name are not as the program asks: they
	// were made by something else, have another number of partitions, or fewer replicas.
	ErrMismatch = jet.ErrMismatch
	// ErrKeeps says that an option of [Connection] has the connection keep what is sent while it
	// has no server, and send it later: an effect might come hours after its call then.
	ErrKeeps = jet.ErrKeeps
)
