// Package lock measures tasks that lock and unlock. Each has a lock of its own, without contention,
// if "local" is 1; otherwise all have the same lock. The task that holds a lock adds one to the
// lock's count. What the table calls an operation is one lock and unlock. (The program "locks"
// compares queue locks for goroutines; this one has the locks that suspend tasks.)
//
//	variant           file            how
//	activities        activities.go   activity.Mutex, which running activities may barge into
//	activities-fair   activities.go   activity.FairMutex, handed over in the order of arrival
//	goroutines        goroutines.go   sync.Mutex
//
// The checksum is the count.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an
// Efficient Lock-Free Scheduler, JSSPP 2015, section 6 and figure 9.
package lock
