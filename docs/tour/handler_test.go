package tour_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/freerun-go/freerun"
)

//tour:begin handler
type server struct{ ada *freerun.Unit[Account] }

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	balance, err := deposit.Call(r.Context(), s.ada, 5) // sends, and waits for the outcome
	switch {
	case errors.Is(err, freerun.ErrClosed), errors.Is(err, freerun.ErrFull):
		http.Error(w, "busy", http.StatusServiceUnavailable)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		fmt.Fprintln(w, balance)
	}
}

//tour:end

func Example_handler() {
	rt := freerun.New()
	defer rt.Close()
	//tour:begin handled
	s := &server{ada: freerun.NewUnit(rt, Account{})}
	answer := httptest.NewRecorder() // stands for a connection
	s.ServeHTTP(answer, httptest.NewRequest("POST", "/deposit", nil))
	fmt.Println(answer.Code, answer.Body)
	// Output: 200 5
	//tour:end
}
