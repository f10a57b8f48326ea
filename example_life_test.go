package freerun_test

import (
	"context"
	"fmt"

	"github.com/freerun-go/freerun"
)

var record = freerun.Op("record line", func(_ *freerun.Context, lines *[]string, line string) (int, error) {
	*lines = append(*lines, line)
	return len(*lines), nil
})

// A unit is stopped in its turn: what was sent before runs, then its end function, and those who
// watch it are told.
func ExampleStop() {
	rt := freerun.New()
	defer rt.Close()
	c := rt.Context()
	log := freerun.NewUnit(rt, []string{}, freerun.OnEnd(func(_ *freerun.Context, lines *[]string) {
		fmt.Println("saved", *lines)
	}))
	ended := freerun.Watch(c, log)
	record.Tell(c, log, "a")
	record.Tell(c, log, "b")
	freerun.Stop(c, log)
	late := record.Send(c, log, "c")

	e, _ := ended.Wait(context.Background())
	fmt.Println(e.Err)
	_, err := late.Wait(context.Background())
	fmt.Println(err)
	// Output:
	// saved [a b]
	// freerun: the unit is stopped
	// freerun: the unit is stopped
}
