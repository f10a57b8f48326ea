package main

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	_ "github.com/dbos-inc/dbos-transact-golang/dbos/driver/sqlite"

	"github.com/freerun-go/freerun/programs"
)

// workflows is a workflow of DBOS for each command. The states are in the database of the
// workflows, so that DBOS makes one transaction of the state and of its note that the step is done.
type workflows struct {
	ctx   dbos.Context
	db    *sql.DB
	ds    *dbos.DataSource
	reads *readers
}

func openDBOS(dir string, cfg programs.Config) (contestant, error) {
	db, err := openDatabase(dir)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(8) // as DBOS does for a database that it opens
	w := &workflows{db: db}
	w.ctx, err = dbos.NewContext(context.Background(), dbos.Config{
		AppName: "durable", SQLiteSystemDB: db, Logger: slog.New(slog.DiscardHandler), ApplicationVersion: "1",
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	dbos.RegisterWorkflow(w.ctx, w.command)
	if w.ds, err = dbos.NewDataSource(w.ctx, db); err == nil {
		err = dbos.Launch(w.ctx)
	}
	if err != nil {
		return nil, errors.Join(err, w.shutdown())
	}
	w.reads = newReaders(cfg.Processors, w.read)
	return w, nil
}

// command is the workflow.
func (w *workflows) command(ctx dbos.Context, key int64) (int64, error) {
	return dbos.RunAsTransaction(ctx, w.ds, func(ctx context.Context, tx dbos.Tx) (int64, error) {
		var stored []byte
		if err := tx.QueryRow(ctx, "SELECT state FROM states WHERE key = $1", key).Scan(&stored); err != nil {
			return 0, err
		}
		stored, err := raised(stored)
		if err != nil {
			return 0, err
		}
		if _, err := tx.Exec(ctx, "UPDATE states SET state = $1 WHERE key = $2", stored, key); err != nil {
			return 0, err
		}
		return countOf(stored)
	})
}

func (w *workflows) fill(n int) error { return fillDatabase(w.db, n) }

func (w *workflows) add(key uint64, done func(error)) {
	go func() {
		h, err := dbos.RunWorkflow(w.ctx, w.command, int64(key))
		if err == nil {
			_, err = h.GetResult()
		}
		done(err)
	}()
}

func (w *workflows) count(key uint64, done func(int64, error)) { w.reads.ask(key, done) }

func (w *workflows) read(key uint64) (int64, error) {
	var stored []byte
	if err := w.db.QueryRow("SELECT state FROM states WHERE key = ?", int64(key)).Scan(&stored); err != nil {
		return 0, err
	}
	return countOf(stored)
}

func (w *workflows) close() error {
	w.reads.close()
	return w.shutdown()
}

// shutdown ends DBOS, which closes the database.
func (w *workflows) shutdown() error { return dbos.Shutdown(w.ctx, time.Minute) }
