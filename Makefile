# Targets for development. `make test` is what the README names and what
# continuous integration runs.

GO      ?= go
PROTO   ?= dp8
TIME    ?= 30s
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)

FRAMES  ?= 10000000
MUTATE  ?= -n 300 -seed 1
SOAK    ?=
MOST    ?= 16777216
PLUGIN  ?= 10000
GOGC    ?= 400

STATICCHECK ?= $(shell command -v staticcheck || echo $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2)

# What `make check` makes anew and compares.
GENERATED = deploy/clickhouse/tables.sql docs/FIELDS.md docs/rules.md docs/analysis.md docs/ci.md docs/THIRD_PARTY.md README.md testdata cmd/dpdissect/testdata dissect/render/testdata internal/report/testdata

export CGO_ENABLED = 0

.PHONY: test build platforms release packages check fmt vet vet-here staticcheck generated race fuzz bench pgo traces golden docs man databases cover edits soak mutants reduced mutate plugin ends pairs accuracy fleet fleet-cost fleet-simulation tables-day state-sizes wine-test shots web web-test

# With the profile, which guides the program's compiler, all packages would be compiled
# once more for the tests of cmd/dpdissect. What debuggers read takes a tenth of the time of the
# compiler and a third of that of the linker; tests that make the program take over these flags.
# `make vet` looks for more than `go test` would, and with the same flags compiles nothing again.
TESTED = GOFLAGS="$$GOFLAGS -pgo=off -ldflags=-w -gcflags=github.com/dpdissect/dpdissect/...=-dwarf=false" $(GO)

test: ## all tests, in 3 minutes of a machine with 2 cores
	GOGC=$(GOGC) $(TESTED) test -vet=off -timeout 15m ./...

wine-test: ## the program for Windows, under Wine: prints what that for Linux prints, passes the transcripts
	@command -v wine >/dev/null || { echo "wine-test: skipped, wine is not installed (Debian: wine wine64 gcc-mingw-w64-x86-64)"; exit 0; }; \
	DPDISSECT_WINE=1 $(GO) test ./cmd/dpdissect -run '^TestWine$$' -timeout 30m -count 1

shots: ## the pictures of docs, drawn by Chromium
	DPDISSECT_SHOTS=$(CURDIR)/docs/pictures $(GO) test ./cmd/dpdissect -run '^TestShots$$' -count 1
	DPDISSECT_WEB=1 DPDISSECT_SHOTS=$(CURDIR)/docs/pictures $(GO) test ./web -run '^TestLooks$$' -count 1

web: ## web/dist/dpdissect.html: the page that analyses captures in the browser, one file
	$(GO) run ./web/build -version "$(VERSION)" -o web/dist/dpdissect.html

web-test: ## that page in Node and Chromium, with a capture of a gigabyte: docs/web.md
	DPDISSECT_WEB=1 $(GO) test ./web -v -timeout 60m -count 1

build: ## bin/dpdissect, of at most 16 MiB, and bin/dpdissect-fleet
	$(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/ ./cmd/dpdissect ./cmd/dpdissect-fleet
	@size=$$(wc -c < bin/dpdissect); [ $$size -le $(MOST) ] || { echo "bin/dpdissect has $$size bytes, at most $(MOST)"; exit 1; }

PLATFORMS ?= linux/amd64 linux/arm64 windows/amd64 windows/arm64 darwin/amd64 darwin/arm64 freebsd/amd64

platforms: ## bin/dpdissect-SYSTEM-MACHINE for all PLATFORMS, without C
	@for p in $(PLATFORMS); do \
		system=$${p%/*}; machine=$${p#*/}; echo "== $$p"; \
		GOOS=$$system GOARCH=$$machine $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" \
			-o bin/dpdissect-$$system-$$machine$$([ $$system = windows ] && echo .exe) ./cmd/dpdissect || exit 1; \
	done
	GOOS=windows $(GO) vet ./cmd/... ./internal/capture
	GOOS=darwin $(GO) vet ./cmd/... ./internal/capture

release: ## dist/: archives of both programs for all PLATFORMS, packages for Linux, what is linked, checksums; the same commit gives the same bytes
	$(GO) run ./internal/release -version "$(VERSION)" -out dist $(PLATFORMS)

packages: ## packages of this machine's kind alone, in dist/, installed, run and removed in a temporary folder
	$(GO) run ./internal/release -version "$(VERSION)" -out dist linux/$$($(GO) env GOARCH)
	DPDISSECT_DIST=$(CURDIR)/dist $(GO) test ./internal/release -run '^TestPackages$$' -count 1 -v

check: fmt vet staticcheck generated ## everything but the tests

fmt:
	@files=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$files" ] || { echo "gofmt would change:"; echo "$$files"; exit 1; }

vet: vet-here
	GOOS=windows $(GO) vet ./cmd/...
	GOOS=darwin $(GO) vet ./cmd/...

vet-here: ## vet for this system, of what make test compiled
	$(TESTED) vet ./...

staticcheck:
	$(STATICCHECK) ./...

generated: traces golden docs ## files that are generated are those in the repository
	@changed=$$(git status --porcelain -- $(GENERATED)); [ -z "$$changed" ] || { echo "generated files differ:"; echo "$$changed"; exit 1; }

race: ## all tests with the race detector, which wants a C compiler
	CGO_ENABLED=1 $(GO) test -race -timeout 60m ./...

# Minimizing inputs that are new would take most of the time.
fuzz: ## every fuzz target of a package: make fuzz PROTO=internal/testbed/whole TIME=5m, also PROTO=dp8
	@for f in $$($(GO) test ./$(PROTO) -list '^Fuzz' | grep '^Fuzz'); do \
		echo "== $$f"; $(GO) test ./$(PROTO) -run '^$$' -fuzz "^$$f$$" -fuzztime $(TIME) -fuzzminimizetime 20x || exit 1; \
	done

edits: ## edits of conforming captures accuse nobody: make edits FRAMES=1000000 SOAK='-proto dp8 -seed 7 -time 1m'
	$(GO) run ./internal/testbed/lab/cmd/lab soak -frames $(FRAMES) $(SOAK)

# What tests sample in `make test`, tried at length: filters against tcpdump, random
# sessions, strangers and edits, and all that is fuzzed.
soak: edits ## the long campaigns: edits, more of what tests sample, and TIME for each fuzz target
	DPDISSECT_FILTERS=500 $(GO) test -count=1 -timeout 30m ./internal/capfilter
	DPDISSECT_FORMS=all DPDISSECT_WILD=1-3000 DPDISSECT_INVENTED=20000 DPDISSECT_RANDOM=4000000 $(GO) test -count=1 -timeout 30m ./internal/testbed/whole ./internal/pipeline
	DPDISSECT_SOAK=20 $(GO) test -count=1 -timeout 30m ./internal/testbed/lab
	DPDISSECT_FORMS=all $(GO) test -count=1 -timeout 30m ./internal/capture
	DPDISSECT_FORMS=all $(GO) test -count=1 -timeout 90m ./cmd/dpdissect -run 'TestOutputOfWorkers|TestHostileReason|TestExternalCaptures|TestOutputsValidate|TestSameOutput|TestAnnotateSaysWhatDecodeSays|TestReportInBrowser|TestReportNumbers|TestLadder|TestPiecesAreOnePass|TestWiresharkShows'
	@for p in $$(git grep -l '^func Fuzz' -- '*_test.go' | xargs -n 1 dirname | sort -u); do \
		$(MAKE) --no-print-directory fuzz PROTO=$$p TIME=$(TIME) || exit 1; \
	done

mutants: ## every evaluated MUST rule has a mutant that is found and a near miss that is not
	$(GO) run ./internal/testbed/lab/cmd/lab mutants

reduced: ## the captures of all mutants, reduced to each of their findings: how small they become
	$(GO) run ./internal/testbed/lab/cmd/lab reduce

mutate: ## changes of the program that no test notices, in an hour: make mutate MUTATE='-n 300 -seed 1 -only ^session/'
	$(GO) run ./internal/testbed/mutate $(MUTATE)

plugin: ## the plugin for Wireshark over PLUGIN mutated captures, packets and comments: it never fails
	DPDISSECT_PLUGIN=$(PLUGIN) $(GO) test ./cmd/dpdissect -run '^TestWiresharkMutatedCaptures$$' -timeout 60m -count 1 -v

ends: ## sessions whose end is known: what explain says wrongly of them, by name
	$(GO) run ./internal/testbed/lab/cmd/lab ends -seeds 3

pairs: build ## captures at two points: what compare says wrongly of them, by name
	$(GO) run ./internal/testbed/lab/cmd/lab pairs -seeds 5

fleet: ## the queue at length: three servers of which one and two are killed, workers killed and paused
	DPDISSECT_FLEET=1 $(GO) test ./cmd/dpdissect-fleet -run '^TestFleet' -count 1 -timeout 20m -v

fleet-cost: build ## bytes a row, packets a second, and steps a second with 1, 8 and 64 workers, on one server and three
	DPDISSECT_FLEET=1 DPDISSECT_PROGRAM=$(CURDIR)/bin/dpdissect-fleet $(GO) test ./cmd/dpdissect-fleet -run '^TestRowCost$$' -count 1 -timeout 20m -v
	DPDISSECT_FLEET=1 $(GO) test ./internal/fleet -run '^TestStepsASecond$$' -count 1 -timeout 20m -v

state-sizes: ## how many bytes of state a connection has, over all captures
	DPDISSECT_FORMS=all $(GO) test ./cmd/dpdissect -run '^TestStateOfAConnection$$' -count 1 -v

tables-day: build ## a server's file that is followed for 24 hours, in minutes, with restarts: state, memory and rows
	DPDISSECT_DAY=$(CURDIR)/bin/dpdissect $(GO) test ./cmd/dpdissect -run '^TestTablesDay$$' -count 1 -timeout 60m -v

CHAINS ?= 10000

fleet-simulation: build ## an hour of CHAINS servers in minutes, end to end: make fleet-simulation CHAINS=1000
	DPDISSECT_CHAINS=$(CHAINS) DPDISSECT_PROGRAM=$(CURDIR)/bin/dpdissect-fleet $(GO) test ./cmd/dpdissect-fleet -run '^TestSimulation$$' -count 1 -timeout 120m -v

accuracy: build ## docs/accuracy.md, measured anew
	$(GO) run ./internal/testbed/lab/cmd/lab accuracy > docs/accuracy.md.new
	$(GO) run ./internal/testbed/lab/cmd/lab pairs -markdown -first 1001 -seeds 10 -ends 2 >> docs/accuracy.md.new
	mv docs/accuracy.md.new docs/accuracy.md

bench: build ## dpdissect beside other readers, whole processes (BENCH="-most 50000000" for the longest captures); then all benchmarks
	$(GO) run ./internal/testbed/bench $(BENCH) bin/dpdissect
	$(GO) test -run '^$$' -bench . -benchmem ./...

pgo: ## the profile that guides the compiler, from the benchmarks of the whole product
	$(GO) test ./internal/testbed/whole -run '^$$' -bench . -benchtime 3s -cpuprofile cmd/dpdissect/default.pgo -o /dev/null

traces: ## the captures in testdata/pcaps and what is true of them
	$(GO) run ./internal/testbed/tracegen/cmd/tracegen -out testdata/pcaps >/dev/null

golden: ## outputs that tests compare with
	$(GO) test ./dissect/render ./internal/report ./internal/liveview ./internal/tables -update
	$(GO) test ./cmd/dpdissect -run 'TestGolden|TestScript|TestReadme|TestGeneratedPages' -update

docs: ## the references of fields and rules, and the licences of what is linked
	$(GO) run ./cmd/dpdissect fields --markdown > docs/FIELDS.md.new
	mv docs/FIELDS.md.new docs/FIELDS.md
	$(GO) run ./cmd/dpdissect rules --markdown > docs/rules.md.new
	mv docs/rules.md.new docs/rules.md
	$(GO) run ./internal/licenses $(PLATFORMS) > docs/THIRD_PARTY.md.new
	mv docs/THIRD_PARTY.md.new docs/THIRD_PARTY.md

man: build ## the manual pages of all commands and help topics, in bin/man
	bin/dpdissect man bin/man

# Where `make databases` puts what reads tables back; tests look there.
DATABASES ?= $${TMPDIR:-/tmp}/dpdissect-databases

databases: ## DuckDB and ClickHouse for Node, 600 MB in a temporary folder: with them `go test ./cmd/dpdissect-fleet` reads tables back
	mkdir -p $(DATABASES) && cd $(DATABASES) && npm install --no-save @duckdb/node-api@1.5.6-r.1 chdb@3.4.0

cover: ## statements covered by all tests, for each function in cover.txt
	$(GO) test -timeout 10m -coverpkg ./... -coverprofile cover.out ./...
	$(GO) tool cover -func cover.out > cover.txt
	@tail -n 1 cover.txt
