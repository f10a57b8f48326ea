// Package submit hands empty tasks from one ordinary goroutine to a pool, and waits until all have
// run. It measures what a task from outside the runtime costs, submitter and runner together. One
// operation is one task.
//
// The tasks are as empty as a checked result allows: each counts itself, in a word of its thread.
//
//	variant      file       how
//	tell         units.go   a free operation for each task by Tell, then Runtime.Quiesce
//	futures      units.go   a free operation for each task by Send, then Wait on each future
//	goroutines   plain.go   a goroutine for each task, and a sync.WaitGroup
//
// The pools that a user might choose instead are rivals, in the module bench. [Variant] makes
// variants of them, as of these.
package submit
