# What can be done here; `make` alone prints this list. Most steps of .ci/run are targets of it.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# Folders of the modules in go.work, for tools that look at one module at a time.
MODULES = $(shell go list -m -f '{{.Dir}}')

# Where programs that import freerun must build. All modules build on all of them.
PLATFORMS := linux/arm64 linux/386 windows/amd64 darwin/arm64 wasip1/wasm

# Can be set on the command line: make stress COUNT=50 PACKAGES=./queue/...
PACKAGES ?= work
COUNT ?= 10
FUZZTIME ?= 30s
MAYHEM ?= 1h
CHAOS ?= 1h
SIMULATIONS ?= 1000000
RUN ?= .
PAIRS ?= 20
BENCH ?= .
RUN_MACHINES ?= --rounds 5 --seconds 2
RUN_COOPERATION ?=
RUN_CORPUS ?=
MUTATIONS ?= 246
ROOMS ?=
SELECT ?=

.PHONY: help
help: ## print this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 18

.PHONY: check
check: lint test race portable checkptr contracts explore cross smoke ## everything that decides whether a change is good

# Steps that ask no module proxy cannot fail because it is away for a moment. `go mod download` would fetch twice as much.
.PHONY: modules
modules: ## download the modules that the other steps need, for every platform
	go list -deps -test work >/dev/null
	@for platform in $(PLATFORMS); do (set -x; GOOS=$${platform%/*} GOARCH=$${platform#*/} go list -deps -test work >/dev/null); done
	GOWORK=off go list -C tools -deps tool >/dev/null

# Tests that find the same in every build for this machine are in make test, and not in each step that builds otherwise:
# internal/archtest reads source, in one goroutine, internal/verify/mutate runs the go command without their flags, and those
# of commands build the command, without their flags, and run it.
ALIKE := /(internal/archtest|internal/verify/mutate|cmd/freerun|cmd/freerun/internal/release|bench/freerun-bench|bench/freerun-draw)$$

.PHONY: test
test: ## the tests of all modules
	go test work

# Tests that start servers of NATS wait for them, and some promises have limits in seconds: with the race detector, where all
# takes ten times as long, they run one package after another.
SERVED := /cluster/nats

# Simulations in one goroutine, over code that starts none: the race detector has nothing to see there.
ALONE := /cluster/internal/(calls|partition)$$

.PHONY: race
race: ## the tests of all modules under the race detector
	@packages=$$(go list work | grep -vE '$(ALIKE)|$(SERVED)|$(ALONE)'); (set -x; go test -vet=off -timeout 30m -race $$packages)
	@packages=$$(go list work | grep -E '$(SERVED)'); (set -x; go test -vet=off -timeout 30m -race -p 1 $$packages)

# Packages that are built without freerun's runtime, and so the same everywhere. Packages with servers of NATS wait for
# these most of the time, and have nothing of their own in the portable build.
PLAIN := /cluster/internal/(calls|layout|partition|transfer)$$

.PHONY: portable
portable: ## all tests without assembly and go:linkname, as a Go that is too new builds them, and with 32 bits
	@$(MAKE) --no-print-directory --keep-going portable/newer portable/32

# Packages that have files of their own for 64 or for 32 bits, and the one that stands on them: of these each build is tested.
TWINS := . ./activity ./deque ./internal/michaelscott ./internal/sched ./internal/sync/... ./internal/sys/... ./lock ./offheap/... ./queue

# Go 1.27 is the first that freerun is not tested with, and it sets the tag go1.27. With that tag the root module is built as by
# that Go, whole with 32 bits (below). Other modules depend on modules of other people, whose files for go1.27 may need what only
# that Go has; so they are tested with freerun_portable instead. A test of internal/archtest checks that both tags choose the same
# files of freerun.
.PHONY: portable/newer
portable/newer:
	go test -vet=off -timeout 30m -tags go1.27 $(TWINS)
	@packages=$$(go list ./cluster/... ./cluster/internal/powercut ./ddb/... ./examples/... ./httpview/... ./otelfreerun/... | grep -vE '$(PLAIN)|$(SERVED)'); \
	(set -x; go test -vet=off -timeout 30m -tags freerun_portable $$packages)

# Some kernels for amd64 run no 386 programs, and no other machine does: a small one is tried first.
.PHONY: portable/32
portable/32:
	@mkdir -p .bin && GOARCH=386 go build -o .bin/probe386 ./docs/tour/first; \
	packages=$$(go list ./... | grep -vE '$(ALIKE)'); \
	if .bin/probe386 >/dev/null 2>&1; then set -x; GOARCH=386 go test -vet=off -timeout 30m -tags go1.27 $$packages; GOARCH=386 go test -vet=off -timeout 30m $(TWINS); \
	else echo "32 bits: skipped, this machine runs no 386 programs; their code is vetted"; set -x; GOARCH=386 go vet ./...; go test -vet=off -timeout 30m -tags go1.27 $$packages; fi

# The checks make frames larger, so that one waiting activity in thirteen outgrows the stack that it begins with: the test
# of that stack says something about the build that is shipped alone.
.PHONY: checkptr
checkptr: ## the tests of the root module with Go's checks of unsafe pointers, in the build that is shipped
	@packages=$$(go list ./... | grep -vE '$(ALIKE)'); (set -x; go test -vet=off -gcflags=all=-d=checkptr -skip '^TestWaitingActivityStack$$' $$packages)

.PHONY: contracts
contracts: ## the tests of the containers in a debug build, which checks what they require of their callers
	go test -vet=off -tags freerun_debug ./queue ./deque ./lock ./internal/sync/rolecheck ./offheap/...

EXPLORED := ./internal/verify/explore ./internal/verify/conformance ./queue ./deque ./lock ./offheap/... ./internal/michaelscott ./internal/mailbox ./internal/claim ./internal/ending ./internal/keytable ./internal/magazine ./internal/stripe ./internal/timerwheel ./internal/sync/hazard ./internal/sched ./internal/quiesce ./internal/promise ./activity ./ddb .

.PHONY: explore
explore: ## all interleavings of small programs over the real code, and the table of what that came to
	@mkdir -p .gate && rm -f .gate/explored.jsonl
	FREERUN_GATE=$(CURDIR)/.gate/explored.jsonl go test -vet=off -count 1 -timeout 20m -tags explore -run '^TestExplore' $(EXPLORED)
	go run ./internal/verify/gate .gate/explored.jsonl docs/algorithms/README.md

.PHONY: explore-long
explore-long: ## the same with more preemptions and a hundred times as many random schedules, for the night
	FREERUN_EXPLORE=long go test -count 1 -timeout 12h -tags explore -run '^TestExplore' $(EXPLORED)

# Changes are made in an overlay of the build, never in the tree; .mutate keeps the verdicts for the next run.
.PHONY: mutate
mutate: ## single changes of concurrent code, MUTATIONS of them, and which the tests let live; ROOMS= and SELECT= choose; an hour the first time
	go run ./internal/verify/mutate -count $(MUTATIONS) -rooms '$(ROOMS)' -run '$(SELECT)'

.PHONY: stress
stress: ## the tests COUNT times over with the race detector and 1, 2 and 4 processors; RUN= and PACKAGES= choose
	go test -race -count $(COUNT) -cpu 1,2,4 -run '$(RUN)' $(PACKAGES)

.PHONY: mayhem
mayhem: ## everything at once for MAYHEM, with the race detector, and every message accounted for
	FREERUN_MAYHEM=$(MAYHEM) go test -race -count 1 -timeout 0 -v -run '^TestMayhem$$' ./freeruntest

.PHONY: crashes
crashes: ## durable units whose process is killed 200 times, 10,000 flipped bits of a store, and 200 losses of power at each sync; half an hour
	FREERUN_CRASHES=200 FREERUN_FLIPS=10000 FREERUN_KILLS=100 FREERUN_CUTS=200 go test -count 1 -timeout 2h ./cluster/... ./cluster/internal/powercut/...

.PHONY: chaos
chaos: ## machines and NATS servers as processes that are killed, stopped and cut off for CHAOS, then servers lose power for a twentieth of it, and every command accounted for
	FREERUN_CHAOS=$(CHAOS) go test -count 1 -timeout 0 -v -run '^TestChaos' ./cluster/nats/internal/jet

.PHONY: simulate-long
simulate-long: ## durable units under SIMULATIONS schedules, with crashes and faults of the disk, for the night
	FREERUN_SIMULATIONS=$(SIMULATIONS) go test -count 1 -timeout 12h -run 'TestBooks|TestTransfers' ./cluster/clustertest

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME; RUN= chooses by name
	@grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sed -E 's#/[^/]*:func # #' | grep -E '$(RUN)' | while read -r folder target; do \
		tools/fuzz.sh "$$folder" "$$target" $(FUZZTIME); \
	done

.PHONY: lint
lint: vet tidy formatted staticcheck ## go vet, gofumpt and staticcheck over all modules, and whether their go.mod is tidy

.PHONY: vet
vet:
	go vet work
	go vet -tags go1.27 ./...
	go vet -tags explore ./...
	go vet -tags freerun_debug ./...

.PHONY: tidy
tidy: # each module by itself, without go.work, as in other people's modules
	@status=0; for module in $(MODULES) tools; do (set -x; tools/tidy.sh "$$module") || status=1; done; exit $$status

.PHONY: formatted
formatted: .bin/gofumpt
	@files=$$(.bin/gofumpt -l .); [ -z "$$files" ] || { echo "not formatted; run make format:"; echo "$$files"; exit 1; }

.PHONY: staticcheck
staticcheck: .bin/staticcheck
	@status=0; for module in $(MODULES); do (set -x; cd "$$module" && "$(CURDIR)/.bin/staticcheck" ./...) || status=1; done; exit $$status

.PHONY: format
format: .bin/gofumpt ## rewrite all files as make lint wants them
	.bin/gofumpt -w .

.PHONY: vulncheck
vulncheck: .bin/govulncheck ## known vulnerabilities in what is used, if the database can be reached
	@.ci/vulncheck $(MODULES)

.PHONY: cross
cross: $(PLATFORMS:%=cross/%) ## build and vet all modules for every platform

.PHONY: $(PLATFORMS:%=cross/%)
$(PLATFORMS:%=cross/%):
	GOOS=$(word 2,$(subst /, ,$@)) GOARCH=$(word 3,$(subst /, ,$@)) go build work
	GOOS=$(word 2,$(subst /, ,$@)) GOARCH=$(word 3,$(subst /, ,$@)) go vet work

.PHONY: smoke
smoke: ## run every program once at a reduced size, as the README tells a newcomer to
	go run ./cmd/freerun bench

.PHONY: bench
bench: .bin/benchstat ## the benchmarks of PACKAGES, BENCH= chooses, COUNT times; compared with BASE= if it is given
	@mkdir -p .bench
	go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) $(PACKAGES) | tee .bench/latest.txt
	.bin/benchstat $(BASE) .bench/latest.txt

# A module of its own, and not of the workspace: goakt depends on some 200 modules.
.PHONY: goakt
goakt: ## bench/rivals beside goakt: its tests, and the benchmarks that BENCH= chooses, COUNT times
	cd bench/rivals/goakt && GOWORK=off go test -timeout 60m -bench '$(BENCH)' -benchtime 1x -count $(COUNT) .

# SQLite and DBOS: a module of its own, too. Its figures are those of go run ./cmd/freerun bench durable.
.PHONY: durable
durable: ## the tests of what durable units are measured beside
	cd bench/rivals/durable && GOWORK=off go vet . && GOWORK=off go test -timeout 10m .

# A module of its own as well. Whether its modules are there is asked first: without a network nothing can be measured.
.PHONY: machines
machines: ## calls to units in another process beside those of actor libraries and NATS: the tests, and then a run; RUN_MACHINES= has its flags
	@cd bench/machines && export GOWORK=off; \
	if ! go list -deps -test . >/dev/null; then echo "machines: skipped, the modules of the rivals cannot be downloaded, and so nothing can be built"; exit 0; fi; \
	set -x; go vet . && go test -count 1 -timeout 10m . && go run . $(RUN_MACHINES)

# A module of its own, too, since it depends on the libraries whose benchmarks it runs.
.PHONY: cooperation
cooperation: ## what freerun build costs: programs with activities, PAIRS times by go build and by freerun build, and the benchmarks of libraries; RUN_COOPERATION= has flags of these
	go run ./bench/internal/compare -cooperate -pairs $(PAIRS)
	cd bench/cooperation && export GOWORK=off && go vet ./... && go test ./... && go run . $(RUN_COOPERATION)

# Each module is downloaded by its exact version; none is in a go.mod of ours.
.PHONY: corpus
corpus: ## the tests of libraries in activities of one processor, compiled by freerun test, beside go test: a quarter of an hour; RUN_CORPUS= has flags
	cd bench/cooperation && export GOWORK=off && go vet ./... && go test ./... && go run ./corpus $(RUN_CORPUS)

.PHONY: apidiff
apidiff: .bin/apidiff ## what the exported API has gained, lost and changed since the last release, or since BASE=
	@tools/apidiff.sh "$(CURDIR)/.bin/apidiff" "$(BASE)"

.PHONY: compare
compare: ## whether the working tree is slower than the commit BASE=: binaries alternate, PAIRS times; RUN= chooses programs; about seven minutes
	go run ./bench/internal/compare -base "$(BASE)" -run '$(RUN)' -pairs $(PAIRS)

.PHONY: release
release: ## a release of all modules: VERSION=v0.2.0 sets it, commits and tags, and writes a module proxy into .release
	go run ./cmd/freerun/internal/release -version "$(VERSION)" -proxy .release -commit

# Costs that are not like real runs are not kept, and the command says so: measure again on a machine that does nothing else.
CALIBRATE = .bench/freerun-bench simulate --processors 1,2 --calibration .bench/costs.json
.PHONY: calibration
calibration: ## measure what simulated processors cost, for docs/simulation: two minutes on a machine that does nothing else
	@mkdir -p .bench
	@rm -f .bench/costs.json
	go build -o .bench/freerun-bench ./bench/freerun-bench
	$(CALIBRATE) fib --size 18 --variants futures,lazy
	$(CALIBRATE) fib --size 18 --variants futures --work 100
	$(CALIBRATE) fib --size 16 --variants futures --work 1000
	$(CALIBRATE) fib --size 13 --variants futures --work 10000
	$(CALIBRATE) fib --size 22 --variants join,join-closures --model 2
	$(CALIBRATE) skynet --size 10000
	$(CALIBRATE) bank --size 5000 --accounts 1000 --work 1000
	$(CALIBRATE) ddb --size 500
	$(CALIBRATE) pingpong --size 20000
	$(CALIBRATE) matrix --size 120 --tasks 16 --variants activities
	$(CALIBRATE) submit --size 20000 --variants tell,futures --model 2
	$(CALIBRATE) fanin --size 20000 --model 2
	$(CALIBRATE) hot --size 1000 --depth 1000 --callers 1,4 --pause 0 --model 2
	cp .bench/costs.json docs/simulation/costs.json
	go test ./bench -run 'TestPageHasTheComparison|TestCalibrationIsLikeRealRuns' -update

# What docs/report is drawn from: this machine's processors, and simulated ones for the figures of the first paper, which had 32.
REVISED = go build -ldflags "-X main.revision=$$(git describe --always --abbrev=12 --dirty=-modified)" -o .bench/freerun-bench ./bench/freerun-bench
DRAW = .bench/freerun-bench bench --from docs/report/rows.jsonl --from docs/simulation/fib.jsonl --from docs/simulation/ddb.jsonl --report docs/report/index.html --svg docs/report/svg --note "$(NOTE)"
.PHONY: rows
rows: ## measure all that the report shows of the programs ONLY=, or of all that are not measured yet at this commit: for a machine that others use
	@mkdir -p .bench
	@$(REVISED)
	@tools/rows.sh .bench/freerun-bench $(ONLY)

# The rows of all programs are of one commit and one machine. Those of a machine of another make stay, as the other end of ratios.
.PHONY: report
report: ## measure and simulate all figures in some minutes, and draw docs/report, docs/benchmarks.md and README's; NOTE= says what else the machine did
	@$(MAKE) rows ONLY=
	@rows=.bench/rows/$$(git describe --always --abbrev=12).jsonl; make=$$(grep -o -m 1 '"machine":"[^"]*"' $$rows); \
		grep -qF "$$make" docs/report/rows.jsonl || cp docs/report/rows.jsonl docs/report/earlier.jsonl; \
		cp $$rows docs/report/rows.jsonl
	@$(MAKE) figures NOTE="$(NOTE)"

SIMULATE = .bench/freerun-bench simulate --processors 1,2,4,8,16,32,64 --calibration docs/simulation/costs.json --json
.PHONY: figures
figures: ## simulate what docs/simulation has for figures 4 to 9 by the repository's costs, in a minute, and draw docs/report; NOTE= is the page's remark
	@mkdir -p .bench
	$(REVISED)
	$(SIMULATE) fib --size 25 --variants futures --work 0,100,1000,10000 > .bench/fib.jsonl
	$(SIMULATE) fib --size 25 --variants lazy --work 0 >> .bench/fib.jsonl
	$(SIMULATE) ddb --size 20000 > .bench/ddb.jsonl
	cp .bench/fib.jsonl .bench/ddb.jsonl docs/simulation
	$(DRAW)
	go test ./bench ./bench/report -run 'TestPageHas' -update

# Real runs, and simulations by both models, for the table of longer runs in docs/simulation.md. The first model simulates no joins.
LONGER = '$(1) fib --size 25 --variants futures' '$(1) fib --size 28 --variants lazy' '$(1) skynet --size 1000000 --variants futures,lazy' \
	'$(1) bank --size 50000 --accounts 1000 --work 1000 --variants units'
LONGJOIN = '$(1) fib --size 28 --variants join'
LONGREAL = bench --processors 1,2 --runs 15 --json
LONGSIM = simulate --processors 1,2 --calibration docs/simulation/costs.json --json
.PHONY: longer
longer: ## measure and simulate the longer runs of docs/simulation.md, in half a minute, on the machine of its costs.json that does nothing else
	@mkdir -p .bench
	@rm -f .bench/longer.jsonl
	$(REVISED)
	@set -e; for of in $(call LONGER,$(LONGREAL)) $(call LONGJOIN,$(LONGREAL)) $(call LONGER,$(LONGSIM)) \
			$(call LONGER,$(LONGSIM) --model 2) $(call LONGJOIN,$(LONGSIM) --model 2); do \
		echo "freerun $$of"; .bench/freerun-bench $$of >> .bench/longer.jsonl; done
	cp .bench/longer.jsonl docs/simulation
	go test ./bench -run TestPageHasLongerRuns -update

.PHONY: speedups
speedups: ## whether 8 to 64 simulated processors gain what ADR 49 asks for, at its sizes: a minute
	FREERUN_SPEEDUPS=full go test -count 1 -v -run '^TestSpeedups$$' ./bench

# The linters are built from the versions in tools/go.mod, which is no part of the workspace: no other module gets its dependencies.
.bin/gofumpt .bin/staticcheck .bin/govulncheck .bin/benchstat .bin/apidiff: tools/go.mod tools/go.sum
	GOWORK=off go build -C tools -o ../.bin/ tool
	@touch .bin/*
