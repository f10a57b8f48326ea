// Package buddy hands out blocks of a space of offsets: powers of two, split and coalesced, without locks.
package buddy
