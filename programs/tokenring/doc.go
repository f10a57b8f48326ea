// Package tokenring has players in a ring pass a token around, many times. There is one token, so
// nothing runs in parallel: the program measures the time from one task to the next that waits. One
// operation is one pass.
//
//	variant      file            how
//	activities   activities.go   an activity for each player, a Semaphore for each turn
//	units        units.go        a unit for each player; the token is a message
//	goroutines   goroutines.go   a goroutine for each player, and a channel to each
//
// The checksum is how often the token was passed, and how often the players had it.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an
// Efficient Lock-Free Scheduler, JSSPP 2015, sections 5 and 6, table 1.
package tokenring
