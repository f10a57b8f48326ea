// Package eratosthenes finds prime numbers by a chain of sieves. The numbers from 2 on go to the
// first sieve. A sieve is a task. It keeps the first number that it gets, which is a prime, drops
// the multiples of it, and passes the others to the next sieve. There are as many sieves as primes;
// they are created when they are needed, and mostly wait. One operation is one number that one
// sieve gets.
//
//	variant      file            how
//	activities   activities.go   an activity for each sieve, activity.Mailbox between them
//	units        units.go        a unit for each sieve; numbers are messages
//	goroutines   goroutines.go   a goroutine for each sieve, buffered channels between them
//
// Alike: a hundred numbers may wait before a sieve (--buffer), and whoever has one more waits. A
// sieve that is a task waits for room in the middle of its loop. A unit never waits: it gives as
// many numbers as the next unit has asked for, and keeps what comes when these are used up; the
// next one asks for more when it has taken half of what may wait. So for each 50 numbers there is
// one message back. freerun.MailboxLimit would not do: a unit whose own mailbox is above its limit
// is not held back, and along a chain that adds up.
//
// Not alike: a task looks whether a number passes, and waits then; a unit that may not give keeps
// the number unseen.
//
// The checksum is the number of primes, their sum, and how many numbers the sieves got.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an
// Efficient Lock-Free Scheduler, JSSPP 2015, sections 5 and 6, table 1.
package eratosthenes
