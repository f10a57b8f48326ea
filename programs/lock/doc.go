// Package lock has tasks lock and unlock: each a lock of its own ("local" is 1), which nobody contends for, or all the same one. Who has a lock counts under it. One
// operation is once locked and unlocked. (The program "locks" compares queue locks, for goroutines; here it is the locks that suspend tasks.)
//
//	variant           file            how
//	activities        activities.go   activity.Mutex, where who runs may barge in
//	activities-fair   activities.go   activity.FairMutex, which is handed over in the order of arrival
//	goroutines        goroutines.go   sync.Mutex
//
// The checksum is what was counted.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an Efficient Lock-Free Scheduler, JSSPP 2015, section 6 and figure 9.
package lock
