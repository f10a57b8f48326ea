package otelfreerun_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/otelfreerun"
)

var (
	stock = freerun.NewKind[string, int]("stock", func(*freerun.Context, string) (int, error) { return 10, nil })
	take  = freerun.Op("take", func(_ *freerun.Context, left *int, n int) (int, error) {
		*left -= n
		return *left, nil
	})
	answer = freerun.FreeOp("answer", func(_ *freerun.Context, taken freerun.Future[int]) (string, error) {
		return fmt.Sprintf("%d left", taken.Value()), nil
	})
	checkout = freerun.FreeOp("checkout", func(c *freerun.Context, item string) (string, error) {
		taken := take.Send(c, stock.At(c, item), 1)
		return freerun.Forward(c, answer.Send(c, taken))
	})
)

// A request comes with the trace of its sender. What the handler calls has spans below that of the
// request, in the process of a shop with an exporter of its own.
func ExampleTrace() {
	exporter := tracetest.NewInMemoryExporter() // a program has one for OTLP
	provider := sdk.NewTracerProvider(sdk.WithSyncer(exporter))
	tracer := provider.Tracer("example.org/shop")
	rt := freerun.New(otelfreerun.Trace(tracer)...)
	defer rt.Close()

	// otelhttp.NewHandler does the first three lines.
	handler := func(w http.ResponseWriter, r *http.Request) {
		ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		ctx, span := tracer.Start(ctx, "POST /checkout")
		defer span.End()
		text, err := checkout.Call(ctx, rt, "apple")
		fmt.Fprint(w, text, " ", err)
	}
	request := httptest.NewRequest("POST", "/checkout", nil)
	request.Header.Set("traceparent", "00-0102030405060708090a0b0c0d0e0f10-0102030405060708-01")
	response := httptest.NewRecorder()
	handler(response, request)
	rt.Quiesce(context.Background())

	fmt.Println(response.Body)
	show(exporter.GetSpans())
	// Output:
	// 9 left <nil>
	// POST /checkout
	//   checkout
	//     take on stock(apple)
	//     answer, which waited for take
}

// show prints spans as a tree, by their ends.
func show(spans tracetest.SpanStubs) {
	names := map[trace.SpanID]string{}
	below := map[trace.SpanID][]tracetest.SpanStub{}
	for _, s := range spans {
		names[s.SpanContext.SpanID()] = last(s.Name)
		below[s.Parent.SpanID()] = append(below[s.Parent.SpanID()], s)
	}
	var show func(parent trace.SpanID, indent string)
	show = func(parent trace.SpanID, indent string) {
		for _, s := range below[parent] {
			line := indent + names[s.SpanContext.SpanID()]
			for _, a := range s.Attributes {
				if a.Key == otelfreerun.Unit {
					line += " on " + last(a.Value.AsString())
				}
			}
			for _, l := range s.Links {
				line += ", which waited for " + names[l.SpanContext.SpanID()]
			}
			fmt.Println(line)
			show(s.SpanContext.SpanID(), indent+"  ")
		}
	}
	for _, s := range spans {
		if s.Parent.IsRemote() {
			show(s.Parent.SpanID(), "")
		}
	}
}

// last returns a name without the package.
func last(name string) string {
	if slash := strings.LastIndexByte(name, '/'); slash >= 0 && !strings.Contains(name, " ") {
		name = name[slash+1:]
	}
	if _, after, found := strings.Cut(name, "."); found && !strings.Contains(name, " ") {
		return after
	}
	return name
}
