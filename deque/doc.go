// Package deque holds double-ended queues for work stealing: one owner pushes and pops at one end, last in first out;
// any number of thieves take from the other end, first in first out. Roles are types: the owner keeps the deque, a thief
// gets a [Thief], which can only steal.
//
//	type        bound   owner              thief      progress
//	Growable    none    Push, Pop          Steal      lock-free (owner wait-free but for growth)
//
// The values are pointers, as what is scheduled has an identity; a deque drops its reference to a value once it was
// popped, and with the owner's next Pop after it was stolen.
package deque
