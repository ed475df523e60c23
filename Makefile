# Targets for development. `make test` is what the README names and what
# continuous integration runs.

GO      ?= go
PROTO   ?= dp8
TIME    ?= 30s
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)

FRAMES  ?= 10000000
SOAK    ?=

STATICCHECK ?= $(shell command -v staticcheck || echo $(GO) run honnef.co/go/tools/cmd/staticcheck@2026.2.2)

# What `make check` makes anew and compares.
GENERATED = docs/FIELDS.md docs/rules.md README.md testdata cmd/dpdissect/testdata dissect/render/testdata internal/report/testdata

export CGO_ENABLED = 0

.PHONY: test build platforms check fmt vet staticcheck generated race fuzz bench pgo traces golden docs cover soak mutants accuracy

test: ## all tests
	$(GO) test -timeout 5m ./...

build: ## bin/dpdissect
	$(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/dpdissect ./cmd/dpdissect

PLATFORMS ?= linux/amd64 linux/arm64 windows/amd64 windows/arm64 darwin/amd64 darwin/arm64 freebsd/amd64

platforms: ## bin/dpdissect-SYSTEM-MACHINE for all PLATFORMS, without C
	@for p in $(PLATFORMS); do \
		system=$${p%/*}; machine=$${p#*/}; echo "== $$p"; \
		GOOS=$$system GOARCH=$$machine $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" \
			-o bin/dpdissect-$$system-$$machine$$([ $$system = windows ] && echo .exe) ./cmd/dpdissect || exit 1; \
	done
	GOOS=windows $(GO) vet ./cmd/... ./internal/capture
	GOOS=darwin $(GO) vet ./cmd/... ./internal/capture

check: fmt vet staticcheck generated ## everything but the tests

fmt:
	@files=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$files" ] || { echo "gofmt would change:"; echo "$$files"; exit 1; }

vet:
	$(GO) vet ./...
	GOOS=windows $(GO) vet ./cmd/...
	GOOS=darwin $(GO) vet ./cmd/...

staticcheck:
	$(STATICCHECK) ./...

generated: traces golden docs ## files that are generated are those in the repository
	@changed=$$(git status --porcelain -- $(GENERATED)); [ -z "$$changed" ] || { echo "generated files differ:"; echo "$$changed"; exit 1; }

race: ## all tests with the race detector, which wants a C compiler
	CGO_ENABLED=1 $(GO) test -race -timeout 20m ./...

fuzz: ## every fuzz target of a package: make fuzz PROTO=dp8 TIME=30s, also PROTO=internal/capture
	@for f in $$($(GO) test ./$(PROTO) -list '^Fuzz' | grep '^Fuzz'); do \
		echo "== $$f"; $(GO) test ./$(PROTO) -run '^$$' -fuzz "^$$f$$" -fuzztime $(TIME) || exit 1; \
	done

soak: ## edits of conforming captures accuse nobody: make soak FRAMES=1000000 SOAK='-proto dp8 -seed 7 -time 1m'
	$(GO) run ./internal/lab/cmd/lab soak -frames $(FRAMES) $(SOAK)

mutants: ## every evaluated MUST rule has a mutant that is found and a near miss that is not
	$(GO) run ./internal/lab/cmd/lab mutants

accuracy: ## docs/accuracy.md, measured anew
	$(GO) run ./internal/lab/cmd/lab accuracy > docs/accuracy.md.new
	mv docs/accuracy.md.new docs/accuracy.md

bench: build ## dpdissect against other readers, whole processes; then all benchmarks
	$(GO) run ./internal/bench bin/dpdissect
	$(GO) test -run '^$$' -bench . -benchmem ./...

pgo: ## the profile that guides the compiler, from the benchmarks of the pipeline
	$(GO) test ./internal/pipeline -run '^$$' -bench . -benchtime 3s -cpuprofile cmd/dpdissect/default.pgo -o /dev/null

traces: ## the captures in testdata/pcaps and what is true of them
	$(GO) run ./internal/tracegen/cmd/tracegen -out testdata/pcaps >/dev/null

golden: ## outputs that tests compare with
	$(GO) test ./dissect/render ./internal/report ./internal/liveview -update
	$(GO) test ./cmd/dpdissect -run 'TestGolden|TestScript|TestReadme' -update

docs: ## the references of fields and rules
	$(GO) run ./cmd/dpdissect fields --markdown > docs/FIELDS.md.new
	mv docs/FIELDS.md.new docs/FIELDS.md
	$(GO) run ./cmd/dpdissect rules --markdown > docs/rules.md.new
	mv docs/rules.md.new docs/rules.md

cover: ## statements covered by all tests, for each function in cover.txt
	$(GO) test -timeout 10m -coverpkg ./... -coverprofile cover.out ./...
	$(GO) tool cover -func cover.out > cover.txt
	@tail -n 1 cover.txt
