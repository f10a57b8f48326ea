package freerun_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
)

// tome is a book of orders: so small that the way to it is what counts.
type tome struct {
	mu    sync.Mutex // for the mutex version
	best  int
	count int
}

func (b *tome) place(price int) int {
	b.best = max(b.best, price)
	b.count++
	return b.best
}

// posted is an order for the goroutine of a book.
type posted struct {
	price  int
	answer chan int
}

var placeInTome = freerun.Op("placeInTome", func(_ *freerun.Context, b *tome, price int) (int, error) {
	return b.place(price), nil
})

// BenchmarkBooks has 64 connections post orders for 10,000 books to three servers of net/http in
// turns. A handler calls the unit of a book, locks the book's mutex, or sends to the book's
// goroutine. It reports requests a second and the 99th percentile, each the median of b.N rounds of
// 32,000 requests.
//
//	go test -run '^$' -bench Books -benchtime 15x .
func BenchmarkBooks(b *testing.B) {
	const books, connections, requests = 10_000, 64, 500
	rt := freerun.New()
	defer rt.Close()
	units, locked := make([]*freerun.Unit[tome], books), make([]tome, books)
	for i := range units {
		units[i] = freerun.NewUnit(rt, tome{})
	}
	orders := make([]chan posted, books)
	var goroutines sync.WaitGroup
	for i := range orders {
		orders[i] = make(chan posted)
		goroutines.Go(func() {
			own := tome{}
			for o := range orders[i] {
				o.answer <- own.place(o.price)
			}
		})
	}
	defer func() {
		for _, o := range orders {
			close(o)
		}
		goroutines.Wait()
	}()
	serve := func(place func(ctx context.Context, book, price int) (int, error)) *client {
		return dial(b, connections, func(w http.ResponseWriter, r *http.Request) {
			book, err := strconv.Atoi(r.FormValue("book"))
			price, err2 := strconv.Atoi(r.FormValue("price"))
			if err := errors.Join(err, err2); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			best, err := place(r.Context(), book, price)
			if err != nil {
				http.Error(w, err.Error(), http.StatusServiceUnavailable)
				return
			}
			fmt.Fprintf(w, "%08d", best)
		})
	}
	rivals := []struct {
		name string
		*client
		rates, late []float64
	}{
		{name: "call", client: serve(func(ctx context.Context, book, price int) (int, error) {
			return placeInTome.Call(ctx, units[book], price)
		})},
		{name: "mutex", client: serve(func(_ context.Context, book, price int) (int, error) {
			locked[book].mu.Lock()
			defer locked[book].mu.Unlock()
			return locked[book].place(price), nil
		})},
		{name: "channel", client: serve(func(ctx context.Context, book, price int) (int, error) {
			answer := make(chan int, 1)
			orders[book] <- posted{price, answer}
			select {
			case best := <-answer:
				return best, nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		})},
	}
	for b.Loop() {
		for i := range rivals {
			took, times := rivals[i].round(b, requests, books)
			rivals[i].rates = append(rivals[i].rates, float64(len(times))/took.Seconds())
			rivals[i].late = append(rivals[i].late, float64(times[len(times)*99/100])/float64(time.Millisecond))
		}
	}
	b.ReportMetric(0, "ns/op") // of a round, which nobody asks for
	median := func(of []float64) float64 { slices.Sort(of); return of[len(of)/2] }
	for _, r := range rivals {
		b.ReportMetric(median(r.rates), r.name+"-req/s")
		b.ReportMetric(median(r.late), r.name+"-p99-ms")
	}
}

// client has the connections to a server.
type client struct {
	conns  []net.Conn
	answer int // the length of each answer
}

// dial starts a server, and connects to it.
func dial(b *testing.B, connections int, handler http.HandlerFunc) *client {
	server := httptest.NewServer(handler)
	b.Cleanup(server.Close)
	c := &client{}
	for range connections {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { conn.Close() })
		c.conns = append(c.conns, conn)
	}
	c.answer = c.measure(b)
	return c
}

const order = "POST /?book=%05d&price=%05d HTTP/1.1\r\nHost: books\r\nContent-Length: 0\r\n\r\n"

// measure does one request, and returns the length of the answer, which all have.
func (c *client) measure(b *testing.B) int {
	fmt.Fprintf(c.conns[0], order, 0, 0)
	read := 0
	counted := bufio.NewReader(readerFunc(func(p []byte) (int, error) {
		n, err := c.conns[0].Read(p)
		read += n
		return n, err
	}))
	r, err := http.ReadResponse(counted, nil)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil || r.StatusCode != http.StatusOK {
		b.Fatal(r.Status, err)
	}
	return read
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// round does so many requests on each connection, and returns their times, in order.
func (c *client) round(b *testing.B, requests, books int) (took time.Duration, times []time.Duration) {
	times = make([]time.Duration, requests*len(c.conns))
	var all sync.WaitGroup
	begin := time.Now()
	for i, conn := range c.conns {
		all.Go(func() {
			answer := make([]byte, c.answer)
			for n := range requests {
				text := fmt.Appendf(nil, order, rand.IntN(books), n)
				sent := time.Now()
				_, err := conn.Write(text)
				if err == nil {
					_, err = io.ReadFull(conn, answer)
				}
				if err != nil || string(answer[:12]) != "HTTP/1.1 200" {
					b.Errorf("%v, %s", err, answer)
					return
				}
				times[i*requests+n] = time.Since(sent)
			}
		})
	}
	all.Wait()
	took = time.Since(begin)
	slices.Sort(times)
	return took, times
}
