package ddb

import "hash/maphash"

// hasher hashes keys. Its seed is random, so that a client cannot prepare keys that collide.
type hasher struct {
	seed maphash.Seed
	mask uint64 // the bits that count: all, except in tests of collisions
}

func newHasher() hasher { return hasher{seed: maphash.MakeSeed(), mask: ^uint64(0)} }

func (h hasher) hash(key []byte) uint64   { return maphash.Bytes(h.seed, key) & h.mask }
func (h hasher) hashOf(key string) uint64 { return maphash.String(h.seed, key) & h.mask }
