package ddb

import "github.com/freerun-go/freerun"

// Runtime returns the runtime that the shards live in, for those who want to look at it: its figures, a trace. It belongs to the server, which ends it.
func (s *Server) Runtime() *freerun.Runtime { return s.rt }
