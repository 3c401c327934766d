# Every command below runs with this Go, which the installed one fetches if it
# is older, and with SIMD.
export GOTOOLCHAIN := go1.27.4
export GOEXPERIMENT := simd
# A clone that belongs to another user, as in a container, has no readable
# commit to stamp.
export GOFLAGS := $(GOFLAGS) -buildvcs=false

# An asynchronous preemption leaves the vector registers in a state in which
# Go's scalar mathematics runs a hundred times slower until the next kernel
# (measured with Go 1.27.4): goroutines of tests and benchmarks yield by
# themselves.
export GODEBUG := asyncpreemptoff=1

WASM := GOOS=js GOARCH=wasm
# Ebitengine cannot start without a document, and these need a network or
# another program.
NOT_IN_NODE := ^macroscope($$|/serve|/wasm/e2e)
# Node passes on at most 8 kB of environment, so it gets only what it needs.
NODE = env -i 'PATH=$(PATH)' 'HOME=$(HOME)' '$$(go env GOROOT)/lib/wasm/go_js_wasm_exec'

# A package and its files: where WebAssembly has other files, it has another line.
FILES := {{.ImportPath}} {{.GoFiles}} {{.TestGoFiles}} {{.XTestGoFiles}}

# These take longest and go first: last, they would leave a core idle at the end.
LONGEST := ./model/lab/session ./model/learn/fit ./model/lab/catalogue ./sim/particle ./sim/polymer

.DEFAULT_GOAL := help
.PHONY: help run build native dist test check unit plain node browser cluster scales firefox arm64 bench clean
.NOTPARALLEL:

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## /{printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## build the lab and serve it at http://localhost:8080/
	bin/macroscope

build: native ## bin/macroscope, and the lab in dist/ with quick compression
	go run ./serve/dist -fast -out dist

native:
	@go build -o bin/macroscope ./serve

dist: ## the lab in dist/ as it is for a static host: smallest files, size checked
	go run ./serve/dist -out dist

test: check unit plain node browser ## everything below, in turn
	@echo "make test: all tests passed"

check: ## gofmt, and go vet of all and of what other targets have files of their own for
	@echo "== gofmt, go vet"
	@unformatted="$$("$$(go env GOROOT)/bin/gofmt" -l assets model serve sim ui wasm)"; \
	if [ -n "$$unformatted" ]; then echo "not formatted by gofmt:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	$(WASM) go vet $$({ go list -f '$(FILES)' ./...; go list -f '$(FILES)' ./...; $(WASM) go list -f '$(FILES)' ./...; } | \
		sort | uniq -u | cut -d ' ' -f 1)
	GOOS=linux GOARCH=arm64 go vet ./model/compute/kernel

unit: ## unit tests with SIMD
	@echo "== unit tests, SIMD"
	@list="$$(go list ./...)" && \
	go test -vet=off $(LONGEST) ./serve/cmd $$(echo "$$list" | grep -v /wasm/e2e)

plain: ## unit tests of the numerics without SIMD, and what a rebuild must leave as it is
	@echo "== unit tests, plain kernels"
	GOEXPERIMENT=nosimd go test -vet=off -short ./serve/frozen $(LONGEST) ./model/... ./sim/...

node: ## unit tests under WebAssembly in Node, of all that does not draw
	@echo "== unit tests, WebAssembly in Node"
	@list="$$($(WASM) go list -f '{{.ImportPath}} {{.Deps}} {{.TestImports}} {{.XTestImports}}' ./...)" && \
	$(WASM) go test -vet=off -short -exec="$(NODE)" $(LONGEST) $$(echo "$$list" | \
		grep -v hajimehoshi/ebiten | cut -d ' ' -f 1 | grep -vE '$(NOT_IN_NODE)')

browser: build ## the lab in headless Chromium
	@echo "== the lab in Chromium"
	go test -vet=off -count=1 -parallel 2 -timeout 25m ./wasm/e2e

cluster: native ## a reproduction on a real Slurm of two nodes, one of which is killed, against one without (root; installs Slurm)
	serve/reproduce/cluster.sh fails bin/macroscope "$$(mktemp -d)"

scales: native ## what a second node of such a Slurm brings (root; some 6 minutes of a quiet machine)
	serve/reproduce/cluster.sh scales bin/macroscope "$$(mktemp -d)"

firefox: build ## the lab in Firefox (Debian: firefox-esr; xvfb where there is no display)
	go test -vet=off -count=1 -timeout 15m -v ./wasm/e2e/firefox

arm64: ## kernel tests for arm64 on another machine, under qemu-aarch64 (qemu-user)
	GOOS=linux GOARCH=arm64 go test -exec="$$(command -v qemu-aarch64 || command -v qemu-aarch64-static)" ./model/compute/kernel ./sim/particle ./sim/lj ./sim/polymer

bench: native ## one line a figure, native and WebAssembly, built as for the page: bench NAME VALUE UNIT
	@bin/macroscope bench
	@$(WASM) go run $$(go run ./serve/dist -flags) -exec="$(NODE)" ./wasm/bench

clean: ## remove all that was built
	rm -rf bin dist shots
