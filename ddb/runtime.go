package ddb

import "github.com/freerun-go/freerun"

// Runtime returns the runtime of the shards, for its figures or a recording. The server owns it and
// ends it; do not shut it down. Any goroutine may call it; it does not wait.
func (s *Server) Runtime() *freerun.Runtime { return s.rt }
