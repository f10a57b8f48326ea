package ddb

import "fmt"

// audit checks the books after a run: no request was lost or served twice, no update was lost,
// nothing was written to a wrong place.
func (db *database) audit() error {
	var added, shared int64
	for id, c := range db.clients {
		if c.asked != c.quota {
			return fmt.Errorf("client %d made %d requests, its quota is %d", id, c.asked, c.quota)
		}
		added += c.added
	}
	seen := 0
	for server, t := range db.tables {
		for key, value := range t.values {
			if h := home(key, len(db.tables)); h != server {
				return fmt.Errorf("server %d holds key %d, which belongs to server %d", server, key, h)
			}
			seen++
			if key < db.clients[0].shared {
				shared += value
				continue
			}
			c := db.clients[key-db.clients[0].shared]
			if value != c.added {
				return fmt.Errorf("key %d: the last tally written down is %d, the client added %d", key, value, c.added)
			}
		}
	}
	if want := db.clients[0].shared + len(db.clients); seen != want {
		return fmt.Errorf("the servers hold %d keys, there are %d", seen, want)
	}
	if shared != added {
		return fmt.Errorf("the shared keys sum up to %d, the clients added %d", shared, added)
	}
	return nil
}
