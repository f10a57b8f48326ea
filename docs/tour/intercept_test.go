package tour_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/freerun-go/freerun"
)

//tour:begin interceptors
type userKey struct{}

var errForeign = errors.New("not your account")

func onlyOwner(c *freerun.Context, i *freerun.Invocation) error {
	if c.Value(userKey{}) != i.Unit() {
		return errForeign // the operation does not run
	}
	return i.Next(c)
}

//tour:end

func Example_interceptors() {
	ctx := context.Background()
	//tour:begin interceptors-used
	rt := freerun.New(freerun.CarryValues(userKey{}))
	defer rt.Close()
	ada := freerun.NewUnit(rt, Account{}, freerun.UnitName("ada"), freerun.Intercept(onlyOwner))
	for _, user := range []string{"ada", "bob"} {
		request := context.WithValue(ctx, userKey{}, user) // as a handler gets it
		fmt.Println(deposit.Call(request, ada, 5))
	}
	// Output:
	// 5 <nil>
	// 0 not your account
	//tour:end
}
