// Package jet is the engine of several machines over NATS JetStream: an [engine.Log].
//
//	stream    subjects                what
//	P-in-I    P.in.I.PARTITION        the logs of pair I; republished as P.log.PARTITION
//	P-st-I    P.st.I.PARTITION.B.KEY  the entries, one message each; B is the first byte of a key
//	          P.trim.I.PARTITION      up to where a log was trimmed
//
// There are one or more pairs of streams, each stream with a leader of its own; a partition has all
// that it has in pair PARTITION mod the number of pairs.
//
// Machines talk with each other over core NATS: subjects P.all and P.machine.NAME.
//
// [Connect] makes a connection, and [Open] opens the store. No call waits for the network: an
// outlet publishes, calls has what waits for an answer, and each follower reads one log.
//
// P is the name of the program, so several have a server together. A key stands in a subject as its
// letters and digits, and =XX for other bytes.
package jet
