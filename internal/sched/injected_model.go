//go:build explore

package sched

import "github.com/freerun-go/freerun/internal/mailbox"

// TakeInjected takes the tasks of Normal that were injected, oldest first: for explorations of
// other packages, whose threads run them in the place of processors.
func (s *Scheduler) TakeInjected() *mailbox.Node { return s.inbox.TakeAll() }
