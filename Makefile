# Every command below runs with this Go version and with SIMD. If another Go version is
# installed, its go command downloads this one.
export GOTOOLCHAIN := go1.27.4
export GOEXPERIMENT := simd
# -buildvcs=false: a clone owned by another user, as in a container, has no readable commit to
# stamp. -trimpath: the build of the page's programs uses it too, so the tests can share their
# compiled packages. -dwarf=false: tables for a debugger take a seventh of the compiler's time.
# -s: the linker adds no such tables either. To debug a program, build it without these two flags.
export GOFLAGS := $(GOFLAGS) -buildvcs=false -trimpath -gcflags=all=-dwarf=false -ldflags=-s

# The compiler, the linker and vet are short-lived programs. With fewer collections of garbage they
# take a quarter less time, and at most 0.7 GB each.
export GOGC := 400

# An asynchronous preemption leaves the vector registers in a state that makes Go's scalar
# mathematics a hundred times slower until the next kernel runs (measured with Go 1.27.4). Tests
# and benchmarks therefore switch preemption off; their goroutines yield on their own.
export GODEBUG := asyncpreemptoff=1

# Without cgo, no C file has to be compiled, and a program resolves names and users in Go.
export CGO_ENABLED := 0

WASM := GOOS=js GOARCH=wasm
# The build flags of the page's programs. Vet and the tests use the same flags, so each package is
# compiled once.
PAGE = $$(go run ./serve/dist -flags)
# .ci/vet runs Go's own vet for the packages of this module alone.
VET = vet="$$(go tool -n vet)" go vet -vettool=.ci/vet
# staticcheck finds what vet does not, such as a value that is never used. Its version is that of
# .ci/tools.mod. The page's errors are whole sentences, which ST1005 forbids.
STATICCHECK = $$(go tool -modfile=.ci/tools.mod -n staticcheck) -checks inherit,-ST1005
# Packages that are not tested in Node, because they need a network or another program, or because
# all of their tests but at most one would only repeat in Node what they do natively. The rule below
# also leaves out packages that import Ebitengine, because Ebitengine needs a document.
NOT_IN_NODE := ^macroscope($$|/serve|/wasm/e2e|/model/lab/session$$|/model/lab/catalogue$$)
# Node passes on at most 8 kB of environment, so it gets only what it needs.
NODE = env -i 'PATH=$(PATH)' 'HOME=$(HOME)' '$$(go env GOROOT)/lib/wasm/go_js_wasm_exec'

# $(call own,ENVIRONMENT) lists the packages whose files differ between the default environment
# and ENVIRONMENT. It lists the default twice, so a line that occurs once is from ENVIRONMENT alone.
FILES := {{.ImportPath}} {{.GoFiles}} {{.TestGoFiles}} {{.XTestGoFiles}}
own = { go list -f '$(FILES)' ./...; go list -f '$(FILES)' ./...; $(1) go list -f '$(FILES)' ./...; } | sort | uniq -u | cut -d ' ' -f 1

# Flags of all tests. Go's limit of 10 minutes for a package is too short on a slow machine.
TEST := -vet=off -timeout 30m

# The slowest packages start first. If they started last, a core would be idle at the end.
LONGEST := ./model/lab/session ./model/learn/fit ./model/lab/catalogue ./serve/verify ./sim/polymer

.DEFAULT_GOAL := help
.PHONY: help run build native dist release test test-long numbers check vet lint unit plain narrow node browser pages fuzz cluster scales firefox webkit oldest arm64 bench clean
ifndef SIDE_BY_SIDE
.NOTPARALLEL:
endif

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## build the lab and serve it at http://localhost:8080/
	bin/macroscope

build: native ## bin/macroscope, and the lab in dist/ with quick compression
	go run ./serve/dist -fast -out dist

native:
	@go build -o bin/macroscope ./serve

dist: ## the lab in dist/ as it is for a static host: smallest files, size checked
	go run ./serve/dist -out dist

release: ## dist/release/: programs that contain the lab, for Linux, macOS and Windows, and the lab as a zip file
	go run ./serve/release -out dist/release

# The browser tests spend a third of their time waiting, so the unit tests run at the same time.
# -Otarget prints the output of each target in one piece when the target ends.
test: vet build ## all tests for a change: some 7 minutes on two cores
	@SIDE_BY_SIDE=yes $(MAKE) --no-print-directory -j2 -Otarget numbers pages
	@echo "make test: all tests passed"

numbers:
	@SIDE_BY_SIDE= $(MAKE) --no-print-directory unit node $(if $(ALL),plain narrow)

test-long: ## make test with every package in every build, and longer runs: some 15 minutes on two cores
	@$(MAKE) --no-print-directory test ALL=yes

check: vet lint ## gofmt, go vet and staticcheck, before a commit

vet: $(if $(ALL),lint) ## gofmt, and go vet for this platform and for the page's files specific to WebAssembly
	@echo "== gofmt, go vet"
	@unformatted="$$("$$(go env GOROOT)/bin/gofmt" -l assets model serve sim ui wasm)"; \
	if [ -n "$$unformatted" ]; then echo "not formatted by gofmt:"; echo "$$unformatted"; exit 1; fi
	$(VET) ./...
	$(WASM) $(VET) $(PAGE) $(if $(ALL),./...,$$($(call own,$(WASM)) | grep -vE '$(NOT_IN_NODE)'))
	$(if $(ALL),GOOS=linux GOARCH=arm64 go build ./model/compute/kernel)

# It takes three minutes the first time, so make test leaves it to make check and make test-long.
lint: ## staticcheck for this platform and for the page's files specific to WebAssembly
	@echo "== staticcheck"
	$(STATICCHECK) ./...
	staticcheck="$(STATICCHECK)"; $(WASM) $$staticcheck $$($(call own,$(WASM)) | grep -vE '$(NOT_IN_NODE)')

unit: ## unit tests with SIMD
	@echo "== unit tests, SIMD"
	@list="$$(go list ./...)" && \
	go test $(TEST) $(LONGEST) ./serve/frozen ./serve/cmd $$(echo "$$list" | grep -v /wasm/e2e)
	$(if $(ALL),go test $(TEST) ./sim/lj ./sim/polymer ./serve/verify ./serve/release ./model/lab/catalogue -long)

# make test leaves this target out: the build with SIMD tests the plain kernels too, and
# TestOtherBuilds type-checks the build without SIMD.
plain: ## unit tests of the build without SIMD
	@echo "== unit tests, plain kernels"
	GOEXPERIMENT=nosimd go test $(TEST) -short $(LONGEST) ./model/... ./sim/...

# Another SIMD width changes the last bits, and then every chaotic run. Tests must pass with all widths.
narrow: ## unit tests with the vectors of processors without AVX-512
	@echo "== unit tests, AVX2"
	MACROSCOPE_SIMD=avx2 go test $(TEST) $(LONGEST) ./serve/frozen ./model/... ./sim/...

# The packages that the page uses are those that the packages in wasm import.
node: ## unit tests under WebAssembly in Node, for packages with files specific to it and for packages that the page uses
	@echo "== unit tests, WebAssembly in Node"
	@list="$$($(WASM) go list -f '{{.ImportPath}} {{.Deps}} {{.TestImports}} {{.XTestImports}}' ./... | \
		grep -v hajimehoshi/ebiten | cut -d ' ' -f 1 | grep -vE '$(NOT_IN_NODE)')" && \
	own="$$($(call own,$(WASM)); $(WASM) go list -f '{{join .Imports "\n"}}' ./wasm/...)" && \
	$(WASM) go test $(PAGE) $(TEST) -short -exec="$(NODE)" $(if $(ALL),$(LONGEST) $$list,$$(echo "$$list" | grep -Fx "$$own"))
	$(WASM) go test $(PAGE) $(TEST) $(if $(ALL),,-short) -exec="$(NODE)" -run 'TestReferences|TestPlainEverywhere' ./serve/verify ./model/lab/catalogue

browser: build pages ## the lab in headless Chromium

pages:
	@echo "== the lab in Chromium"
	go test $(TEST) -count=1 -parallel 2 ./wasm/e2e$(if $(ALL), -long)

# FUZZTIME is how long each fuzz target runs. FUZZLEAST is the smallest acceptable number of
# executions per second: a target that spends its time on large seeds tests nothing. The fuzzer would
# also take up to a minute to make each input that reaches new code shorter, without counting these
# executions. It may take ten of them.
FUZZTIME ?= 10m
FUZZLEAST ?= 100
fuzz: ## every fuzz target for FUZZTIME (10m) each, with its executions; fewer than 100 per second is a failure
	@grep -r --include='*_test.go' '^func Fuzz' assets model serve sim ui wasm/app wasm/bridge wasm/worker | \
	sed -E 's,/[^/]*_test.go:func (Fuzz[A-Za-z0-9]*).*, \1,' | sort | { failed=0; while read -r folder target; do \
		out="$$(go test -vet=off -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "./$$folder" 2>&1 < /dev/null)" || { echo "$$out"; failed=1; }; \
		echo "$$out" | awk -v what="$$folder $$target" -v least=$(FUZZLEAST) ' \
			/^fuzz: elapsed:/ { t = $$3; s = 0; while (match(t, /^[0-9]+[hms]/)) { \
				u = substr(t, RLENGTH, 1); s += substr(t, 1, RLENGTH - 1) * (u == "h" ? 3600 : u == "m" ? 60 : 1); t = substr(t, RLENGTH + 1) } \
				n = $$5 } \
			END { printf "%-40s %9d executions, %6d a second\n", what, n, n / (s ? s : 1); exit n < least * (s ? s : 1) }' || failed=1; \
	done; [ $$failed = 0 ] || { echo "make fuzz: a target failed, or has fewer than $(FUZZLEAST) executions a second"; exit 1; }; }

cluster: native ## compares a reproduction and a sweep on a real Slurm of two nodes, one of which is killed, with undisturbed ones (root; installs Slurm)
	serve/reproduce/cluster.sh fails bin/macroscope "$$(mktemp -d)"

scales: native ## the speedup from a second Slurm node (root; some 6 minutes on an idle machine)
	serve/reproduce/cluster.sh scales bin/macroscope "$$(mktemp -d)"

firefox: build ## the lab in Firefox (Debian: firefox-esr; xvfb where there is no display)
	go test $(TEST) -count=1 -v -run '/^$@$$' ./wasm/e2e/engines

webkit: build ## the lab in WebKit, Safari's engine (Debian: webkit2gtk-driver; xvfb where there is no display)
	go test $(TEST) -count=1 -v -run '/^$@$$' ./wasm/e2e/engines

# The versions are those of oldest_test.go.
oldest: build ## the lab in the oldest Chromium that is promised, and a sentence in an older one (fetches both by npm)
	for version in 103.0.0 92.0.0; do \
		[ -d bin/oldest/$$version/node_modules ] || npm install --prefix bin/oldest/$$version --ignore-scripts --no-audit --no-fund @sparticuz/chromium@$$version || exit 1; \
	done
	go test $(TEST) -count=1 -v -run '/^$@$$' ./wasm/e2e/engines

arm64: ## kernel tests for arm64 on another machine, under qemu-aarch64 (qemu-user)
	GOOS=linux GOARCH=arm64 go test -exec="$$(command -v qemu-aarch64 || command -v qemu-aarch64-static)" ./model/compute/kernel ./sim/particle ./sim/lj ./sim/polymer
	GOOS=linux GOARCH=arm64 go test -exec="$$(command -v qemu-aarch64 || command -v qemu-aarch64-static)" -run TestReferences ./serve/verify

bench: export GOGC := 100
bench: native ## benchmarks, native and WebAssembly as built for the page; one line each: bench NAME VALUE UNIT
	@bin/macroscope bench
	@$(WASM) go run $(PAGE) -exec="$(NODE)" ./wasm/bench

clean: ## remove all that was built
	rm -rf bin dist shots
