package records_test

import (
	"fmt"

	"github.com/freerun-go/freerun/offheap"
	"github.com/freerun-go/freerun/programs/records"
)

func ExampleStore() {
	arena, err := offheap.New(64 << 20)
	if err != nil {
		fmt.Println(err)
		return
	}
	store, err := records.NewStore(arena)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := store.Put(7, []byte("a session, say")); err != nil {
		fmt.Println(err) // offheap.ErrNoMemory: delete some, or refuse
	}
	buffer := make([]byte, 0, 256) // one for many calls, so that they allocate nothing
	value, found := store.Get(7, buffer)
	fmt.Printf("%s, %v\n", value, found)
	fmt.Println(store.Delete(7), store.Len())

	store.Close()
	fmt.Println(arena.Close())
	// Output:
	// a session, say, true
	// true 0
	// <nil>
}
