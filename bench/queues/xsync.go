package queues

import (
	"github.com/puzpuzpuz/xsync/v4"

	"github.com/freerun-go/freerun/programs"
)

func xsyncSPSC[T item](programs.Values) line[T] { return totalLine[T](xsync.NewSPSCQueue[T](capacity)) }

func xsyncMPMC[T item](programs.Values) line[T] { return totalLine[T](xsync.NewMPMCQueue[T](capacity)) }
