package main

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"sync"

	_ "modernc.org/sqlite"

	"github.com/freerun-go/freerun/programs"
)

// openDatabase opens a database of SQLite whose connections sync each transaction, with a table of
// states. A transaction begins as a writer, so that two do not find each other in the way.
func openDatabase(dir string) (*sql.DB, error) {
	name := filepath.ToSlash(filepath.Join(dir, "states.db"))
	db, err := sql.Open("sqlite", "file:"+name+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(60000)&_pragma=foreign_keys(ON)&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec("CREATE TABLE IF NOT EXISTS states (key INTEGER PRIMARY KEY, state BLOB NOT NULL)"); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// fillDatabase stores the states of the keys, in one transaction.
func fillDatabase(db *sql.DB, n int) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // an error after the commit, which does no harm
	insert, err := tx.Prepare("INSERT INTO states (key, state) VALUES (?, ?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	fresh := new(state).encoded()
	for key := range n {
		if _, err := insert.Exec(key, fresh); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// sqlite is a transaction for each command, by one goroutine: SQLite has one writer.
type sqlite struct {
	db       *sql.DB
	conn     *sql.Conn // the writer's
	get, set *sql.Stmt // of conn
	look     *sql.Stmt
	commands chan command
	reads    *readers
	ended    sync.WaitGroup
}

func openSQLite(dir string, cfg programs.Config) (contestant, error) {
	db, err := openDatabase(dir)
	if err != nil {
		return nil, err
	}
	s := &sqlite{db: db, commands: make(chan command, mostCommands)}
	if err := s.prepare(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s.reads = newReaders(cfg.Processors, s.read)
	s.ended.Go(s.run)
	return s, nil
}

func (s *sqlite) prepare() (err error) {
	ctx := context.Background()
	if s.conn, err = s.db.Conn(ctx); err != nil {
		return err
	}
	if s.get, err = s.conn.PrepareContext(ctx, "SELECT state FROM states WHERE key = ?"); err != nil {
		return err
	}
	if s.set, err = s.conn.PrepareContext(ctx, "UPDATE states SET state = ? WHERE key = ?"); err != nil {
		return err
	}
	s.look, err = s.db.Prepare("SELECT state FROM states WHERE key = ?")
	return err
}

func (s *sqlite) fill(n int) error { return fillDatabase(s.db, n) }

func (s *sqlite) add(key uint64, done func(error)) { s.commands <- command{key, done} }

func (s *sqlite) run() {
	for c := range s.commands {
		c.done(s.transact(c.key))
	}
}

func (s *sqlite) transact(key uint64) error {
	tx, err := s.conn.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // an error after the commit, which does no harm
	var stored []byte
	if err := tx.Stmt(s.get).QueryRow(int64(key)).Scan(&stored); err != nil {
		return err
	}
	if stored, err = raised(stored); err != nil {
		return err
	}
	if _, err := tx.Stmt(s.set).Exec(stored, int64(key)); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *sqlite) count(key uint64, done func(int64, error)) { s.reads.ask(key, done) }

func (s *sqlite) read(key uint64) (int64, error) {
	var stored []byte
	if err := s.look.QueryRow(int64(key)).Scan(&stored); err != nil {
		return 0, err
	}
	return countOf(stored)
}

func (s *sqlite) close() error {
	close(s.commands)
	s.ended.Wait()
	s.reads.close()
	return errors.Join(s.get.Close(), s.set.Close(), s.look.Close(), s.conn.Close(), s.db.Close())
}
