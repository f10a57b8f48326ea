// Package keytable has a hash table from keys to objects, [Table], that any number of goroutines
// read and change without locks, at memory's speed with millions of keys.
//
// It stores no objects but pointers to them. An object begins with an [Entry], which has its key:
//
//	type account struct {
//		keytable.Entry[string]
//		balance int
//	}
//
//	var accounts keytable.Table[string]
//	there, loaded := accounts.LoadOrStore(&a.Entry)
//	b := (*account)(unsafe.Pointer(accounts.Load("b")))
//
// The package knows neither units nor the runtime.
package keytable
