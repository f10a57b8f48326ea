package jet

import "errors"

// Errors of opening. Each that Open returns says what to do.
var (
	// ErrNoServer says that no server has answered in time, or too few of them have.
	ErrNoServer = errors.New("no server of NATS has answered")
	// ErrNoJetStream says that the server, or the account, has no JetStream.
	ErrNoJetStream = errors.New("the server of NATS has no JetStream")
	// ErrTooOld says that the server is older than what is needed.
	ErrTooOld = errors.New("the server of NATS is too old")
	// ErrPermission says that the server refuses the credentials, or that they may not do something
	// that is needed.
	ErrPermission = errors.New("the server of NATS does not permit it")
	// ErrMismatch says that streams are not as the program asks: they are of another program, or
	// were made otherwise.
	ErrMismatch = errors.New("the streams are not those of this program")
	// ErrKeeps says that a connection keeps what is sent while it has no server.
	ErrKeeps = errors.New("the connection keeps what is sent while it has no server, and sends it later")
)
