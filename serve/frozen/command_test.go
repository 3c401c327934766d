//go:build amd64

package frozen

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab/catalogue"
	"macroscope/serve/cmd"
)

// trainings are the command lines of "macroscope train" whose checkpoints TestTrainings compares.
// {particles} and {mixing} stand for files of a few small trajectories.
//
// For an entry with `begins`, the test compares the initial weights and takes no step, because
// steps would take too long. One step of the preset "paper" takes minutes on the plain kernels. The
// method ae-aug does not accept -data and would simulate hundreds of trajectories.
// TestSteps takes steps of these trainings.
var trainings = []struct {
	spec, args string
	begins     string
}{
	{spec: "line/flow@browser", args: "-experiment demo -preset browser -steps 3"},
	{spec: "line/flow@laptop eps 0.3 zdim 2 seed 7", args: "-experiment demo -preset laptop -steps 3 -eps 0.3 -zdim 2 -seed 7"},
	{spec: "particles/deepset@quick macro gyration", args: "-experiment particles -preset quick -data {particles} -macro gyration -steps 3 -law-steps 6"},
	{spec: "particles/deepset@paper", begins: "particles/flow@paper"},
	{spec: "particles/ae-aug@quick", begins: "particles/ae-aug@quick"},
	{spec: "particles/ae-aug@browser", begins: "particles/ae-aug@browser"},
	{spec: "particles/ae-aug@laptop", begins: "particles/ae-aug@laptop"},
	{spec: "particles/ae-aug@paper", begins: "particles/ae-aug@paper"},
	{spec: "mixing/deepset@browser separate no share", args: "-experiment mixing -preset browser -data {mixing} -law separate -share=false -steps 2 -law-steps 3"},
	{spec: "mixing/deepset@browser onsager full", args: "-experiment mixing -preset browser -data {mixing} -drift onsager -noise full -steps 2 -law-steps 3"},
	{spec: "mixing/deepset@paper", begins: "mixing/flow@paper"},
}

// simulations are the command lines that make the input files of trainings and evaluations.
var simulations = map[string]string{
	"particles": "simulate -experiment particles -n 6 -particles 24 -components 2 -steps 24 -seed 1",
	"mixing":    "simulate -experiment mixing -n 3 -steps 2000 -seed 1",
	"many":      "simulate -experiment particles -n 1 -particles 300 -components 2 -steps 24 -seed 1",
	"fixed":     "simulate -experiment mixing -fixed -n 2 -steps 2000 -seed 1",
	"flock":     "simulate -experiment flock -n 2 -particles 24 -steps 24 -seed 1",
}

// evaluations are the command lines of eval whose output the test compares.
var evaluations = []string{
	"eval -json -model {models}/demo-eps0.1-z8.safetensors", // gives the KL of 0.0065 nats in the README
	"eval -json -sets 20 -samples 64 -eps 0.03 -zdim 1 -model {models}/line-flow-tunable.safetensors",
	"eval -json -sets 20 -samples 64 -eps 0.3 -zdim 4 -model {models}/line-flow-tunable.safetensors",
	"eval -json -model {models}/particles-laptop.safetensors -data {particles}",
	"eval -json -model {models}/particles-laptop.safetensors -trajectories 1",
	"eval -json -model {models}/particles-ae-aug.safetensors -trajectories 1",
	"eval -json -model {models}/mixing-laptop.safetensors -data {mixing}",
}

// shipped returns a command line of eval for each shipped model, on few data. The data
// have as many particles as the models that accept only one number. {chains} is a file that is not
// simulated (see chains).
func shipped(t *testing.T) (lines []string) {
	t.Helper()
	for _, model := range modelNames(t) {
		flags := "-sets 5 -samples 32"
		for prefix, file := range map[string]string{"particles": "{many}", "mixing": "{fixed}", "polymer": "{chains}", "flock": "{flock}"} {
			if strings.HasPrefix(model, prefix) {
				flags = "-data " + file
			}
		}
		lines = append(lines, fmt.Sprintf("eval -json -workers 2 %s -model {models}/%s", flags, model))
	}
	return lines
}

// modelNames lists the files of all shipped models.
func modelNames(t *testing.T) (names []string) {
	t.Helper()
	paths, err := filepath.Glob("../../assets/models/*.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		names = append(names, filepath.Base(p))
	}
	return names
}

// relative is the tolerance of eval's figures. Mathematical functions round differently on other
// processors, and a rollout accumulates the differences.
const relative = 1e-6

// rounding is the absolute tolerance of eval's figures. A figure that is 0 without rounding errors can
// be anything below it.
const rounding = 1e-12

// shell runs command lines of the program. Their input files are in the folder `dir`.
type shell struct {
	t   *testing.T
	dir string
}

// asProgram is an environment variable that makes this test program the command macroscope.
const asProgram = "MACROSCOPE_FROZEN_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		catalogue.Plain()
		cmd.Main()
		os.Exit(0)
	}
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" && os.Getenv(stepsTo) == "" {
		catalogue.Plain()
	}
	os.Exit(m.Run())
}

func newShell(t *testing.T) *shell {
	t.Helper()
	s := &shell{t, t.TempDir()}
	simulated.Do(func() {
		for name, args := range simulations {
			s.run(args + " -out " + s.file(name))
			b, err := os.ReadFile(s.file(name))
			if err != nil {
				t.Fatal(err)
			}
			inputs[name] = b
		}
	})
	for name := range simulations {
		if err := os.WriteFile(s.file(name), inputs[name], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// simulated ensures that `inputs`, the simulated files that all tests use, are made only once.
var (
	simulated sync.Once
	inputs    = make(map[string][]byte)
)

func (s *shell) file(name string) string { return filepath.Join(s.dir, name+".npz") }

// command returns the program's command for a line, with the placeholders replaced.
func (s *shell) command(line string) *exec.Cmd {
	files := []string{"{models}", "../../assets/models", "{chains}", s.file("chains")}
	for name := range simulations {
		files = append(files, "{"+name+"}", s.file(name))
	}
	line = strings.NewReplacer(files...).Replace(line)
	c := exec.Command(os.Args[0], strings.Fields(line)...)
	c.Env = append(os.Environ(), asProgram+"=yes")
	return c
}

func (s *shell) run(line string) []byte {
	s.t.Helper()
	program := s.command(line)
	var stderr bytes.Buffer
	program.Stderr = &stderr
	out, err := program.Output()
	if err != nil {
		s.t.Fatalf("macroscope %s: %v\n%s", line, err, stderr.Bytes())
	}
	return out
}

// evaluate runs a command line of eval. It returns the output, or an object with the error for a
// model that eval refuses.
func (s *shell) evaluate(line string) []byte {
	program := s.command(line)
	var stderr bytes.Buffer
	program.Stderr = &stderr
	out, err := program.Output()
	if err == nil {
		return out
	}
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	out, err = json.Marshal(map[string]string{"error": lines[len(lines)-1]})
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// runUntil runs a command line and kills it when it has written a line with the given prefix to
// standard error.
func (s *shell) runUntil(line, prefix string) {
	s.t.Helper()
	program := s.command(line)
	pipe, err := program.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		s.t.Fatal(err)
	}
	var said []byte
	found := false
	for b := make([]byte, 4096); !found; {
		n, err := pipe.Read(b)
		said = append(said, b[:n]...)
		for l := range strings.FieldsFuncSeq(string(said), func(r rune) bool { return r == '\n' || r == '\r' }) {
			found = found || strings.HasPrefix(l, prefix)
		}
		if err != nil {
			break
		}
	}
	program.Process.Kill()
	program.Wait()
	if !found {
		s.t.Fatalf("macroscope %s ended before it wrote %q:\n%s", line, prefix, said)
	}
}

func TestTrainings(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	var out strings.Builder
	for _, c := range trainings {
		if c.begins != "" {
			fmt.Fprintf(&out, "%s: %s\n", c.spec, hashes(beginning(t, c.begins)))
			continue
		}
		model := filepath.Join(s.dir, "m.safetensors")
		os.Remove(model)
		s.runUntil(fmt.Sprintf("train %s -workers 2 -out %s", c.args, model), "wrote ")
		b, err := os.ReadFile(model)
		if err != nil {
			t.Fatal(err)
		}
		f, err := ckpt.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s: %s\n", c.spec, hashes(f))
	}
	golden(t, "train.txt", out.String())
}

// hashes returns two hashes of a checkpoint's numbers: a hash of the weights, and one of all
// other numbers (scales and the optimiser's state).
func hashes(f *ckpt.File) string {
	var weights, rest []ckpt.Tensor
	for _, t := range f.Tensors {
		if strings.HasPrefix(t.Name, "param.") || strings.HasPrefix(t.Name, "law.param.") {
			weights = append(weights, t)
		} else {
			rest = append(rest, t)
		}
	}
	hash := func(list []ckpt.Tensor) string {
		slices.SortFunc(list, func(a, b ckpt.Tensor) int { return strings.Compare(a.Name, b.Name) })
		var b bytes.Buffer
		for _, t := range list {
			fmt.Fprint(&b, t.Name, t.Shape, " ")
			for _, v := range t.F32 {
				fmt.Fprintf(&b, "%x ", math.Float32bits(v))
			}
			for _, v := range t.F64 {
				fmt.Fprintf(&b, "%x ", math.Float64bits(v))
			}
			for _, v := range t.I64 {
				fmt.Fprintf(&b, "%d ", v)
			}
		}
		return fmt.Sprintf("%d tensors %s", len(list), short(b.Bytes()))
	}
	return "weights " + hash(weights) + ", rest " + hash(rest)
}

// TestEvaluations compares the output of eval -json with a file in testdata. It ignores durations
// and the name of the folder.
func TestEvaluations(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	chains(t, s.file("chains"), 220, 100)
	path := filepath.Join("testdata", "eval.txt")
	var want []string
	if b, err := os.ReadFile(path); err == nil {
		want = strings.Split(string(b), "\n")
	}
	var out strings.Builder
	for i, line := range slices.Concat(evaluations, shipped(t)) {
		got := s.evaluate(line)
		got = bytes.ReplaceAll(got, []byte(s.dir), []byte("."))
		var v map[string]any
		if err := json.Unmarshal(got, &v); err != nil {
			t.Fatal(err)
		}
		delete(v, "seconds")
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s\n%s\n", line, b)
		if *update {
			continue
		}
		var w any
		if 2*i+1 >= len(want) || want[2*i] != line || json.Unmarshal([]byte(want[2*i+1]), &w) != nil {
			t.Fatalf("%s:%d is not of macroscope %s", path, 2*i+1, line)
		}
		if !near(any(v), w) {
			t.Errorf("macroscope %s, tolerance %g\n got %s\nwant %s", line, relative, b, want[2*i+1])
		}
	}
	if *update {
		golden(t, "eval.txt", out.String())
	}
}

// TestHelp compares the help of the program and of every subcommand. The number of workers is the
// machine's number of cores.
func TestHelp(t *testing.T) {
	t.Parallel()
	s := &shell{t: t}
	of := func(line string) string {
		program := s.command(line)
		text, err := program.CombinedOutput()
		if err != nil {
			t.Fatalf("macroscope %s: %v\n%s", line, err, text)
		}
		return workers.ReplaceAllString(string(text), "$1 CORES")
	}
	all := of("-h")
	out := "macroscope -h\n" + all
	_, rest, _ := strings.Cut(all, "\nSUBCOMMANDS\n")
	list, _, ok := strings.Cut(rest, "\n\n")
	if !ok {
		t.Fatalf("the help lists no subcommands:\n%s", all)
	}
	for row := range strings.Lines(list) {
		line := strings.Fields(row)[0] + " -h"
		out += "\nmacroscope " + line + "\n" + of(line)
	}
	golden(t, "help.txt", out)
}

var workers = regexp.MustCompile(`(?m)^(  -workers) \d+$`)

// near compares JSON values; numbers may differ by the relative tolerance.
func near(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if w, ok := b[k]; !ok || !near(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, near)
	case float64:
		b, ok := b.(float64)
		return ok && math.Abs(a-b) <= relative*math.Abs(b)+rounding
	}
	return a == b
}

// unsummed returns a checkpoint's file without its checksum.
func unsummed(b []byte) []byte {
	n := 8 + binary.LittleEndian.Uint64(b)
	header := bytes.TrimRight(checksum.ReplaceAll(b[8:n], nil), " ")
	for len(header)%8 != 0 {
		header = append(header, ' ')
	}
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), append(header, b[n:]...)...)
}

var checksum = regexp.MustCompile(`"crc32(\.all)?":"[0-9a-f]{8}",`)

// TestShippedCheckpoints reads every shipped model and writes it again. Package ckpt must write
// the same bytes except for the checksum. Package model may add metadata that an old file lacks.
func TestShippedCheckpoints(t *testing.T) {
	t.Parallel()
	names := modelNames(t)
	ships := len(catalogue.Filmed())
	for _, l := range catalogue.All() {
		ships += len(l.Shipped)
	}
	if len(names) != ships {
		t.Fatalf("%d models, want the %d of the labs", len(names), ships)
	}
	var out strings.Builder
	encode := func(f *ckpt.File) []byte {
		var b bytes.Buffer
		if err := ckpt.Encode(&b, f); err != nil {
			t.Fatal(err)
		}
		return unsummed(b.Bytes())
	}
	for _, name := range names {
		b := asset(t, "models/"+name)
		f, err := ckpt.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if b = unsummed(b); !bytes.Equal(encode(f), b) {
			t.Errorf("%s becomes other bytes by ckpt alone", name)
		}
		g, err := reread(f)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i := range g.Tensors { // a file can have weights of 16 and of 32 bits
			if was := f.Tensor(g.Tensors[i].Name); was != nil {
				g.Tensors[i].Half = was.Half
			}
		}
		again := encode(g)
		fmt.Fprintf(&out, "%s: %s", name, short(again))
		if bytes.Equal(again, b) {
			out.WriteString(", as it was")
		}
		for _, key := range slices.Sorted(maps.Keys(g.Metadata)) {
			if old, ok := f.Metadata[key]; !ok || old != g.Metadata[key] {
				fmt.Fprintf(&out, ", %s=%q was %q", key, g.Metadata[key], old)
			}
		}
		out.WriteString("\n")
	}
	golden(t, "shipped.txt", out.String())
}
