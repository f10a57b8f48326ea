// Package submit hands empty tasks from one ordinary goroutine to whoever runs them, and waits until all have been run. It
// measures what a task from outside the runtime costs, its submitter and its runner together. One operation is one task.
//
// The tasks are as empty as a checked result allows: each counts itself, in a word of its thread.
//
//	variant      file       how
//	tell         units.go   a free operation for each task by Tell, and Runtime.Quiesce to wait for all
//	futures      units.go   a free operation for each task by Send, and Wait on each future
//	goroutines   plain.go   a goroutine for each task, and a sync.WaitGroup
//
// The pools that a user might pick instead are rivals, in the module bench; they are made into variants by [Variant], as
// those here are.
package submit
