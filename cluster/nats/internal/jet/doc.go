// Package jet is the engine of several machines over NATS JetStream: an [engine.Log].
//
//	stream    subjects               what
//	P-in      P.in.PARTITION         the logs; republished as P.log.PARTITION
//	P-st      P.st.PARTITION.B.KEY   the entries, one message each; B is the first byte of the key
//	          P.trim.PARTITION       up to where a log was trimmed
//
// Machines talk with each other over core NATS: subjects P.all and P.machine.NAME.
//
// [Connect] makes a connection, and [Open] opens the store. No call waits for the network: an
// outlet publishes, calls has what waits for an answer, and each follower reads one log.
//
// P is the name of the program, so several have a server together. A key stands in a subject as its
// letters and digits, and =XX for other bytes.
package jet
