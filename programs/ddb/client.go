package ddb

// verb is the kind of a request.
type verb uint8

const (
	get verb = iota
	put
	increment
)

// request is one request of a client to a server. The value is for put and increment.
type request struct {
	verb  verb
	key   int
	value int64
}

// hotKey is the key with the heavy load.
const hotKey = 0

// client chooses the next request from the last answer. It is the same in all variants, which
// differ only in how requests and answers travel. Nothing in it is synchronised.
type client struct {
	shared int    // keys 0 to shared-1 belong to all clients
	tally  int    // the key that belongs to this client
	hot    int    // percentage of reads that go to the hot key
	quota  int    // requests to make
	random uint64 // state of the generator, never 0

	asked int     // requests made
	added int64   // sum of all increments
	last  request // the request that the next answer belongs to
}

func newClient(id, shared, hot, quota int) *client {
	return &client{
		shared: shared,
		tally:  shared + id,
		hot:    hot,
		quota:  quota,
		random: uint64(id+1) * 0x9e3779b97f4a7c15,
		last:   request{verb: put},
	}
}

// next returns the request that follows from the answer to the last one, and false if the client
// has made all its requests. For the first request the answer is 0.
//
// A client reads a key and then increments it, by an amount that depends on the value read; some
// values make it store its tally instead. After incrementing a key to a multiple of 8 it reads the
// same key again, otherwise another. The last request stores the tally.
func (c *client) next(answer int64) (request, bool) {
	switch {
	case c.asked == c.quota:
		return request{}, false
	case c.asked == c.quota-1:
		c.last = request{put, c.tally, c.added}
	case c.last.verb == get && answer%16 == 15:
		c.last = request{put, c.tally, c.added}
	case c.last.verb == get:
		c.last = request{increment, c.last.key, 1 + answer%3}
		c.added += c.last.value
	case c.last.verb == increment && answer%8 == 0:
		c.last = request{get, c.last.key, 0}
	default:
		c.last = request{get, c.pick(), 0}
	}
	c.asked++
	return c.last, true
}

// pick returns the key to read next: the hot one or any.
func (c *client) pick() int {
	// Marsaglia's xorshift: three shifts, so that choosing costs next to nothing.
	c.random ^= c.random << 13
	c.random ^= c.random >> 7
	c.random ^= c.random << 17
	if int(c.random>>40%100) < c.hot {
		return hotKey
	}
	return int(c.random % uint64(c.shared))
}
