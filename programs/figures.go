package programs

import "github.com/freerun-go/freerun"

// MessagesPerProcessor returns how many operations each processor of the runtime has run so far
// (paper 1, figure 7). Any goroutine may call it.
func MessagesPerProcessor(rt *freerun.Runtime) Figure {
	stats := rt.Stats()
	messages := make([]uint64, len(stats.Processors))
	for i, p := range stats.Processors {
		messages[i] = p.Messages
	}
	return Figure{Name: "messages_per_processor", Doc: "messages run by each processor", Value: messages}
}

// Steals returns how many steals from another processor succeeded so far, and how many units and
// free operations they took. Any goroutine may call it.
func Steals(rt *freerun.Runtime) Figure {
	var raids, taken uint64
	for _, p := range rt.Stats().Processors {
		raids += p.Steals
		taken += p.Stolen
	}
	return Figure{
		Name: "steals", Doc: "successful raids, and the units and free operations that they took",
		Value: []uint64{raids, taken}, Labels: []string{"raids", "tasks taken"},
	}
}
