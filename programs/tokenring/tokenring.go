package tokenring

import (
	"fmt"

	"github.com/freerun-go/freerun/programs"
)

const paramRounds = "rounds"

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "tokenring",
	Doc:       "players in a ring pass a token around",
	Source:    "fourth paper, section 6, table 1",
	Operation: "pass",
	Params: []programs.Param{
		{Name: programs.Size, Letter: "n", Doc: "players", Default: 1000, Quick: 1000, Min: 10, Max: 1_000_000},
		{Name: paramRounds, Letter: "k", Doc: "times that the token goes around", Default: 1000, Quick: 100, Min: 1, Max: 1_000_000},
	},
	Variants: []programs.Variant{
		{Name: "activities", Kind: programs.Freerun, Doc: "an activity for each, and an activity.Semaphore for each turn", Run: runActivities},
		{Name: "units", Kind: programs.Freerun, Doc: "a unit for each; the token is a message", Simulable: true, Run: runUnits},
		{Name: "goroutines", Kind: programs.PlainGo, Doc: "a goroutine for each, and a channel to each", Run: runGoroutines},
	},
	Expected: func(v programs.Values) string {
		n, k := v.Get(programs.Size), v.Get(paramRounds)
		return checksum(n*k, k, k)
	},
}

// token is the token that the players pass. It counts its passes.
type token struct{ passes int }

// game is the players, and what they did.
type game struct {
	players, rounds int
	had             []int // how often each player had the token; owned by the player
	passes          int   // the token's count; written by its last holder
}

func newGame(v programs.Values) *game {
	g := &game{players: v.Get(programs.Size), rounds: v.Get(paramRounds)}
	g.had = make([]int, g.players)
	return g
}

// operations returns how often the token is passed.
func (g *game) operations() uint64 { return uint64(g.players) * uint64(g.rounds) }

// next returns the player beside player i.
func (g *game) next(i int) int { return (i + 1) % g.players }

// play is the turn of player i. It reports whether the token goes on; if not, the game is over.
func (g *game) play(i int, t *token) bool {
	g.had[i]++
	t.passes++
	if t.passes < g.players*g.rounds {
		return true
	}
	g.passes = t.passes
	return false
}

// checksum formats how often the token was passed, and the least and the most that a player had it.
func checksum(passes, least, most int) string {
	return fmt.Sprintf("%d passes, each player had it %d to %d times", passes, least, most)
}

func (g *game) checksum() string {
	least, most := g.had[0], g.had[0]
	for _, n := range g.had {
		least, most = min(least, n), max(most, n)
	}
	return checksum(g.passes, least, most)
}
