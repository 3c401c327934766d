//go:build !js

package simd

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestNoMixture reads the compiler's listing of every package with vectors. Go encodes scalar
// arithmetic, and the clearing of arrays, as SSE instructions. On Intel's processors, a switch
// between SSE and vector instructions takes some 70 ns if the upper halves of the registers are
// dirty. So no path through a function may lead from a vector instruction to an SSE instruction, to a
// call or to the function's end without a VZEROUPPER in between. AMD's processors do not show such a
// mistake: it made the noise of the polymer 8 times as slow on Intel's alone.
func TestNoMixture(t *testing.T) {
	goTool := compiler(t)
	var packages []string
	for line := range strings.Lines(goTool("list", "-f", "{{.ImportPath}} {{.Imports}}", "./model/...", "./sim/...")) {
		if path, imports, _ := strings.Cut(line, " "); strings.Contains(imports, "simd/archsimd") {
			packages = append(packages, path)
		}
	}
	if len(packages) < 4 {
		t.Fatalf("packages with vectors: %q; want at least 4", packages)
	}
	functions := 0
	for _, path := range packages {
		text := goTool("build", "-gcflags="+path+"=-S", path)
		for name, code := range listing(text) {
			called := strings.Contains(text, "CALL\t"+name+"(SB)") || strings.Contains(text, name+"·f")
			if called && slices.ContainsFunc(code, instruction.wide) { // other functions are inlined
				functions++
				for _, found := range mixed(code) {
					if found.op == "RET" && part.MatchString(name) {
						continue
					}
					t.Errorf("%s: %s %s (%s) may follow vector instructions", name, found.op, found.args, found.place)
				}
			}
		}
	}
	if functions < 60 {
		t.Errorf("%d functions with vectors were read; want at least 60", functions)
	}
}

// TestSumsStayInRegisters checks that no loop of a tile keeps a vector on the stack. If it does, the
// vector may lie across two cache lines, and the loop takes up to six times as long.
func TestSumsStayInRegisters(t *testing.T) {
	const kernel = "macroscope/model/compute/kernel"
	loops := 0
	for name, code := range listing(compiler(t)("build", "-gcflags="+kernel+"=-S", kernel)) {
		if !tile.MatchString(name) {
			continue
		}
		for _, body := range innerLoops(code) {
			if !slices.ContainsFunc(body, func(i instruction) bool { return strings.HasPrefix(i.op, "VFMADD") }) {
				continue
			}
			loops++
			for _, i := range body {
				if i.wide() && strings.Contains(i.args, "(SP)") {
					t.Errorf("%s: %s %s (%s) is in the loop", name, i.op, i.args, i.place)
				}
			}
		}
	}
	if loops != 2*5*2 { // two loops in each of five tiles of two widths
		t.Errorf("%d loops of tiles were read, want 20", loops)
	}
}

// compiler returns a function that runs the go command for amd64 with vectors.
func compiler(t *testing.T) func(args ...string) string {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	// The go command runs a test again only if a file has changed that the test itself has looked at.
	for _, folder := range []string{"../../model", "../../sim"} {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".go" {
				_, err = os.Stat(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return func(args ...string) string {
		c := exec.Command("go", args...)
		c.Dir = "../.."
		c.Env = append(os.Environ(), "GOEXPERIMENT=simd", "GOOS=linux", "GOARCH=amd64", "GOAMD64=v1")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", args[0], err, out)
		}
		return string(out)
	}
}

// An instruction is a line of the compiler's listing.
type instruction struct {
	at              int // address in the function
	place, op, args string
}

var (
	header = regexp.MustCompile(`(?m)^(\S+) STEXT`)
	line   = regexp.MustCompile(`(?m)^\t0x[0-9a-f]+ (\d+) \((.*?)\)\t(\S+)\t?(.*)$`)
	wide   = regexp.MustCompile(`\b[YZ]\d+\b`)
	narrow = regexp.MustCompile(`\bX\d+\b`)
	tile   = regexp.MustCompile(`/kernel\.\(\*panel\)\.(wide|flat|triple|middle|narrow)`)
	// Functions that may end with dirty upper halves, because their callers clear them.
	part = regexp.MustCompile(`/polymer\.meetBlocks|` + tile.String())
	// Calls that are allowed while the upper halves are dirty. Those of the runtime end the program, or
	// happen once in many thousand steps.
	allowed = regexp.MustCompile(`^runtime\.(panic|growslice|gcWriteBarrier)|` + part.String())
)

func (i instruction) wide() bool { return strings.HasPrefix(i.op, "V") && wide.MatchString(i.args) }

// scalar says whether the instruction is SSE code or leads to it.
func (i instruction) scalar() bool {
	switch i.op {
	case "CALL":
		return !allowed.MatchString(i.args)
	case "RET":
		return true
	}
	return !strings.HasPrefix(i.op, "V") && narrow.MatchString(i.args)
}

// listing returns the instructions of each function in the output of go build -gcflags=-S.
func listing(text string) map[string][]instruction {
	functions := map[string][]instruction{}
	starts := header.FindAllStringSubmatchIndex(text, -1)
	for k, start := range starts {
		end := len(text)
		if k+1 < len(starts) {
			end = starts[k+1][0]
		}
		var code []instruction
		for _, m := range line.FindAllStringSubmatch(text[start[0]:end], -1) {
			if at, err := strconv.Atoi(m[1]); err == nil && !slices.Contains([]string{"TEXT", "FUNCDATA", "PCDATA", "NOP"}, m[3]) {
				code = append(code, instruction{at, m[2], m[3], m[4]})
			}
		}
		functions[text[start[2]:start[3]]] = code
	}
	return functions
}

// mixed follows all paths through a function. It returns the scalar instructions on paths where the
// upper halves are dirty.
func mixed(code []instruction) (found []instruction) {
	index := map[string]int{}
	for k, i := range slices.Backward(code) {
		index[strconv.Itoa(i.at)] = k
	}
	type state struct {
		k     int
		dirty bool
	}
	seen := map[state]bool{}
	for next := []state{{}}; len(next) > 0; {
		s := next[len(next)-1]
		next = next[:len(next)-1]
		if s.k >= len(code) || seen[s] {
			continue
		}
		seen[s] = true
		i := code[s.k]
		if s.dirty && i.scalar() {
			found = append(found, i)
		}
		dirty := (s.dirty || i.wide()) && i.op != "VZEROUPPER"
		if strings.HasPrefix(i.op, "J") {
			if to, ok := index[i.args]; ok {
				next = append(next, state{to, dirty})
			}
		}
		if i.op != "JMP" && i.op != "RET" && i.op != "UNDEF" && !strings.HasPrefix(i.args, "runtime.panic") {
			next = append(next, state{s.k + 1, dirty})
		}
	}
	return found
}

// innerLoops returns the instructions of every loop that contains no other loop.
func innerLoops(code []instruction) (bodies [][]instruction) {
	start := -1 // of the last loop
	for k, i := range code {
		to, err := strconv.Atoi(i.args)
		if !strings.HasPrefix(i.op, "J") || err != nil || to > i.at {
			continue
		}
		first := slices.IndexFunc(code, func(i instruction) bool { return i.at == to })
		if first > start {
			bodies, start = append(bodies, code[first:k+1]), first
		}
	}
	return bodies
}
