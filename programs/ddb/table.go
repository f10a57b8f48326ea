package ddb

// table is the state of one server: its keys and values. Nothing in it is synchronised; the caller
// has exclusive access.
type table struct {
	values map[int]int64
	served uint64 // requests
}

// get returns the key's value, 0 if it was never put.
func (t *table) get(key int) int64 {
	t.served++
	return t.values[key]
}

// put makes value the key's value and returns it.
func (t *table) put(key int, value int64) int64 {
	t.served++
	t.values[key] = value
	return value
}

// increment adds to the key's value and returns the sum.
func (t *table) increment(key int, by int64) int64 {
	t.served++
	value := t.values[key] + by
	t.values[key] = value
	return value
}

// serve executes a request.
func (t *table) serve(r request) int64 {
	switch r.verb {
	case put:
		return t.put(r.key, r.value)
	case increment:
		return t.increment(r.key, r.value)
	default:
		return t.get(r.key)
	}
}

// home returns which of this many servers holds the key. The key's hash selects it (the finalizer
// of MurmurHash3), so that neighbouring keys make no pattern.
func home(key, servers int) int {
	h := uint64(key)
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	h ^= h >> 33
	return int(h % uint64(servers))
}
