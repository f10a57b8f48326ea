// Package queues is the program queues with the best queues of other Go libraries.
//
//	xsync   github.com/puzpuzpuz/xsync/v4   v4.5.0
//	lscq    github.com/bytedance/gopkg      v0.1.4
//
// The rivals are no part of programs/queues because they are not in the standard library.
package queues
