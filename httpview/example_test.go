package httpview_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/httpview"
)

var deposit = freerun.Op("deposit", func(_ *freerun.Context, balance *int, amount int) (int, error) {
	*balance += amount
	return *balance, nil
})

// A program shows itself: the page at /, metrics for Prometheus at /metrics. The program's own
// collectors go beside the runtime's.
func ExampleHandler() {
	rt := freerun.New(freerun.Processors(2))
	defer rt.Close()
	open := prometheus.NewGauge(prometheus.GaugeOpts{Name: "shop_open_orders", Help: "Orders not delivered."})
	open.Set(3)

	server := httptest.NewServer(httpview.Handler(rt, httpview.Title("shop"), httpview.Metrics(open)))
	defer server.Close()

	account := freerun.NewUnit(rt, 100)
	if _, err := deposit.Call(context.Background(), account, 5); err != nil {
		fmt.Println(err)
		return
	}

	response, err := http.Get(server.URL + "/metrics")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if line := lines.Text(); strings.HasPrefix(line, "freerun_messages_done") || strings.HasPrefix(line, "shop_") {
			fmt.Println(line)
		}
	}
	// Output:
	// freerun_messages_done_total 1
	// shop_open_orders 3
}

// A program with a registry of its own adds the runtime's figures to it.
func ExampleNewCollector() {
	rt := freerun.New(freerun.Processors(2))
	defer rt.Close()
	registry := prometheus.NewRegistry()
	registry.MustRegister(httpview.NewCollector(rt))

	families, err := registry.Gather()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, family := range families {
		if family.GetName() == "freerun_processors" {
			fmt.Println(family.GetName(), family.GetMetric()[0].GetGauge().GetValue())
		}
	}
	// Output:
	// freerun_processors 2
}
