package reproduce

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"macroscope/model/lab/catalogue"
	"macroscope/model/learn/method"
	"macroscope/model/learn/sweep"
	"macroscope/serve/output"
)

// TestMain is also the program that runs the tasks of these tests:
//
//	copy TO FROM…   writes the file TO, or the standard output if TO is -: first the contents of
//	                the files FROM, then the word TO
//	count TO N      appends a dot to the file TO every 50 ms until it contains N dots
//	fail            fails
func TestMain(m *testing.M) {
	if os.Getenv("REPRODUCE_TASK") == "" || len(os.Args) < 2 {
		os.Exit(m.Run())
	}
	fmt.Fprintln(os.Stderr, "at work")
	var err error
	switch args := os.Args[2:]; os.Args[1] {
	case "copy":
		var all []byte
		for _, name := range withoutWorkers(args[1:]) {
			b, e := os.ReadFile(name)
			all, err = append(all, b...), errors.Join(err, e)
		}
		all = append(all, args[0]...)
		if args[0] == "-" {
			os.Stdout.Write(all)
			break
		}
		err = errors.Join(err, os.WriteFile(args[0], all, 0o644))
	case "count":
		b, _ := os.ReadFile(args[0])
		n := 0
		fmt.Sscan(args[1], &n)
		for len(b) < n {
			time.Sleep(50 * time.Millisecond)
			b = append(b, '.')
			err = os.WriteFile(args[0], b, 0o644)
		}
	default:
		err = fmt.Errorf("it was told to fail")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func copyTask(out string, in ...string) *Task {
	return &Task{Name: "copy " + out, Group: "copy", Args: append([]string{"copy", out}, in...), In: in, Out: []string{out}, Seconds: 1}
}

func graph(t *testing.T, tasks ...*Task) *Graph {
	t.Helper()
	g, err := NewGraph(tasks)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// write writes a file, and makes its folder.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func options(t *testing.T, dir string) Options {
	t.Setenv("REPRODUCE_TASK", "1")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Options{Dir: dir, Program: program, Jobs: 2, Stderr: io.Discard}
}

func TestNewGraph(t *testing.T) {
	a, b, c := copyTask("a"), copyTask("b", "a"), copyTask("c", "a", "b")
	g := graph(t, a, b, copyTask("a"), c)
	if !slices.Equal(g.Tasks, []*Task{a, b, c}) {
		t.Errorf("order %v", g.Tasks)
	}
	if !slices.Equal(g.Needs(c), []*Task{a, b}) || g.Find("copy b") != b || g.Find("x") != nil {
		t.Errorf("c needs %v", g.Needs(c))
	}
	for _, tc := range []struct {
		tasks []*Task
		says  string
	}{
		{[]*Task{copyTask("a", "x")}, `"copy a" reads x, which no task before it makes`},
		{[]*Task{copyTask("a", "b"), copyTask("b", "a")}, `"copy a" reads b`},
		{[]*Task{copyTask("a"), {Name: "other", Out: []string{"a"}}}, `written by "copy a" and by "other"`},
		{[]*Task{copyTask("a"), {Name: "copy a", Args: []string{"x"}}}, "two tasks"},
	} {
		if _, err := NewGraph(tc.tasks); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("error %v, want one that says %q", err, tc.says)
		}
	}
}

// begun returns how often a task was begun, from its log.
func begun(d folder, t *Task) int {
	b, _ := os.ReadFile(d.logPath(t))
	return strings.Count(string(b), "macroscope ")
}

// TestRun checks that every task is done once, and lies under its key. A task is done again only if a
// file that it writes was deleted. With other arguments, a task and those that need it get other files.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	o := options(t, dir)
	a, b, c := copyTask("a"), copyTask("b.txt", "a"), copyTask("c", "a")
	last := &Task{Name: "d", Group: "last", Args: []string{"copy", "-", "b.txt", "c"}, In: []string{"b.txt", "c"}, Out: []string{"sub/d.json"}, Stdout: true}
	run := func(content string, want ...int) folder {
		t.Helper()
		d := graph(t, a, b, c, last).in(dir)
		if err := d.Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		for i, task := range []*Task{a, b, c, last} {
			if got := begun(d, task); got != want[i] {
				t.Errorf("%s was begun %d times, want %d", task.Name, got, want[i])
			}
		}
		if got := read(t, filepath.Join(dir, "sub/d."+d.Key(last)[:8]+".json")); got != content {
			t.Errorf("d is %q, want %q", got, content)
		}
		return d
	}
	d := run("ab.txtac-", 1, 1, 1, 1)
	if s := readSpent(d.spentPath(last)); !strings.HasPrefix(s.Program, "SHA-256 ") && !strings.HasPrefix(s.Program, "commit ") {
		t.Errorf("made by %q", s.Program)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "work")); len(left) > 0 {
		t.Errorf("the work leaves %v", left)
	}
	run("ab.txtac-", 1, 1, 1, 1)
	os.Remove(d.path("b.txt")) // nothing needs it
	run("ab.txtac-", 1, 1, 1, 1)
	os.Remove(d.path("sub/d.json"))
	run("ab.txtac-", 1, 2, 1, 2)
	c.Args = append(slices.Clone(c.Args), "a")
	run("ab.txtaac-", 1, 2, 1, 1)
	if got := read(t, d.path("sub/d.json")); got != "ab.txtac-" {
		t.Errorf("the result of other arguments has become %q", got)
	}
}

// TestWorkers checks that a task done with one number of workers is not repeated with
// another.
func TestWorkers(t *testing.T) {
	dir := t.TempDir()
	o := options(t, dir)
	data := copyTask("data")
	for _, workers := range []string{"1", "2"} {
		data.Args = []string{"copy", "data", "-workers", workers}
		d := graph(t, data).in(dir)
		if err := d.Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		if n := begun(d, data); n != 1 {
			t.Errorf("the task was begun %d times", n)
		}
	}
}

// TestDeleted checks that a deleted result is made again, even if the table that reads it exists, and that
// a task is done only if all of its files exist.
func TestDeleted(t *testing.T) {
	dir := t.TempDir()
	o := options(t, dir)
	result := &Task{Name: "eval", Args: []string{"copy", "-"}, Out: []string{"r.json"}, Stdout: true, Record: true}
	d := graph(t, result, copyTask("table", "r.json")).in(dir)
	for range 2 {
		if err := d.Run(t.Context(), o); err != nil || read(t, d.path("r.json")) != "-" {
			t.Fatal(err)
		}
		os.Remove(d.path("r.json"))
	}
	if n := begun(d, result); n != 2 {
		t.Errorf("the result was made %d times", n)
	}
	two := graph(t, &Task{Name: "two", Out: []string{"a", "b"}}).in(dir)
	write(t, two.path("a"), "")
	if two.done(two.Tasks[0]) {
		t.Error("a task is done without one of its files")
	}
}

// TestOlderFolder checks that a folder of an older version is refused, and left as it is.
func TestOlderFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "tasks"), 0o755); err != nil {
		t.Fatal(err)
	}
	g, table := graph(t, copyTask("a")), &Table{}
	run := g.Run(t.Context(), options(t, dir))
	_, written := table.WriteSweep(g, dir, new(output.File), new(output.File), "")
	for _, err := range []error{run, written} {
		if err == nil || !strings.Contains(err.Error(), dir+" was written by an older version of this program") || !strings.Contains(err.Error(), "-dir") {
			t.Errorf("error %v", err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("the folder has %v", left)
	}
}

// TestDamaged checks that if a task cannot read what another task wrote, the error says which file to
// delete, and that the task is done once the file is deleted.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	o := options(t, dir)
	d := graph(t, copyTask("model.bin"), copyTask("b", "model.bin")).in(dir)
	path := d.path("model.bin")
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	err := d.Do(t.Context(), o, d.Find("copy b"), func(string) {})
	if says := "if " + path + " is damaged, delete it, and the same command makes it again"; err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("error %v, want one that says %q", err, says)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := d.Run(t.Context(), o); err != nil || read(t, d.path("b")) != "model.binb" {
		t.Error(err)
	}
}

// TestFailure checks that after a failed task only the tasks that need it are skipped, and that
// the failed task's output is not kept.
func TestFailure(t *testing.T) {
	dir := t.TempDir()
	o := options(t, dir)
	bad := &Task{Name: "bad", Group: "bad", Args: []string{"fail"}, Out: []string{"x"}, Stdout: true}
	after, other := copyTask("y", "x"), copyTask("z")
	d := graph(t, bad, after, other).in(dir)
	err := d.Run(context.Background(), o)
	if err == nil || !strings.Contains(err.Error(), "failed: bad (see ") || strings.Contains(err.Error(), "copy y") {
		t.Errorf("error %v", err)
	}
	if !d.done(other) || begun(d, after) != 0 || begun(d, bad) != 1 {
		t.Error("the others were not done, or what cannot be was begun")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "x*")); left != nil {
		t.Errorf("it left %q", left)
	}
	if b, _ := os.ReadFile(d.logPath(bad)); !strings.Contains(string(b), "it was told to fail") {
		t.Errorf("the log says %q", b)
	}
}

// TestGoesOn stops a run during a task that saves its state, and checks that the next run
// continues the task.
func TestGoesOn(t *testing.T) {
	dir := t.TempDir()
	o := options(t, dir)
	task := &Task{Name: "count", Group: "count", Args: []string{"count", "part", "400"}, Out: []string{"whole"}, Partial: "part", Resume: []string{"count", "part", "5"}}
	d := graph(t, task).in(dir)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for {
			if b, _ := os.ReadFile(filepath.Join(d.workPath(task), "part")); len(b) >= 5 {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if err := d.Run(ctx, o); err == nil || !strings.Contains(err.Error(), "the same command goes on") {
		t.Fatalf("error %v", err)
	}
	if d.locked(task) || d.done(task) {
		t.Error("the lock was left behind, or the task is done")
	}
	before := readSpent(filepath.Join(d.workPath(task), spentName))
	if err := d.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(d.path("whole"))
	if err != nil || len(b) < 5 || len(b) >= 400 {
		t.Errorf("counted to %d, %v: the second run did not go on with -resume", len(b), err)
	}
	if s := readSpent(d.spentPath(task)); before == nil || !(before.CPU > 0) || !(s.CPU > before.CPU) {
		t.Errorf("before the stop it took %+v, and in all %+v", before, s)
	}
	if _, err := os.Stat(d.workPath(task)); err == nil {
		t.Error("what was kept is still there")
	}
}

// TestTwoRuns lets two runs share a folder. Every task must be done by only one of them.
func TestTwoRuns(t *testing.T) {
	dir := t.TempDir()
	o := options(t, dir)
	var tasks []*Task
	for i := range 8 {
		tasks = append(tasks, copyTask(fmt.Sprint("f", i)))
	}
	g := graph(t, tasks...)
	var failed atomic.Value
	done := make(chan bool)
	for range 2 {
		go func() {
			if err := g.Run(context.Background(), o); err != nil {
				failed.Store(err)
			}
			done <- true
		}()
	}
	<-done
	<-done
	if err := failed.Load(); err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		if n := begun(g.in(dir), task); n != 1 {
			t.Errorf("%s was begun %d times", task.Name, n)
		}
	}
}

// TestOthersFirst checks that a run does other tasks while another process works on one.
func TestOthersFirst(t *testing.T) {
	dir := t.TempDir()
	o := options(t, dir)
	o.Jobs = 1
	taken, free := copyTask("taken"), copyTask("free")
	d := graph(t, taken, free).in(dir)
	d.prepare()
	l, err := d.lock(t.Context(), taken)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- d.Run(t.Context(), o) }()
	for began := time.Now(); !d.done(free); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			t.Error("it waits for the other process and does nothing")
			break
		}
	}
	l.release()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestLock checks that only one process has a lock, and that a run takes over the lock of a process
// that has ended.
func TestLock(t *testing.T) {
	task := copyTask("a")
	d := graph(t, task).in(t.TempDir())
	if err := d.prepare(); err != nil {
		t.Fatal(err)
	}
	l, err := d.lock(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.lock(t.Context(), task); err != errTaken || !d.locked(task) {
		t.Errorf("a second lock: %v", err)
	}
	old := time.Now().Add(-2 * lockStale)
	os.Chtimes(d.lockPath(task), old, old)
	if d.locked(task) {
		t.Error("a lock that nobody touches still counts")
	}
	again, err := d.lock(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	if l.release() || !d.locked(task) {
		t.Error("the first process ends the lock of the second")
	}
	if !again.release() {
		t.Error("the second process has lost the lock")
	}
	if _, err := os.Stat(d.lockPath(task)); err == nil {
		t.Error("an ended process leaves its lock")
	}
}

// TestHeartbeat checks, on a fake clock, that a process at work touches its lock.
func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		task := copyTask("a")
		d := graph(t, task).in(t.TempDir())
		if err := d.prepare(); err != nil {
			t.Fatal(err)
		}
		l, err := d.lock(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		defer l.release()
		os.Chtimes(d.lockPath(task), time.Now(), time.Now()) // by the fake clock
		for range 3 {
			time.Sleep(lockStale)
			synctest.Wait()
			if age, err := d.heartbeat(task); err != nil || age > lockBeat {
				t.Errorf("the lock was touched %s ago, %v", age, err)
			}
		}
	})
}

// TestLockOfTheFuture checks, on a fake clock, that a lock whose time is in the future counts no longer than
// any other: as long as its process touches it, and for lockStale afterwards.
func TestLockOfTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		task := copyTask("a")
		d := graph(t, task).in(t.TempDir())
		if err := d.prepare(); err != nil {
			t.Fatal(err)
		}
		write(t, d.lockPath(task), "another process")
		for k := range 3 { // the clock of the process that has the lock is a year ahead
			at := time.Now().AddDate(1, 0, k)
			os.Chtimes(d.lockPath(task), at, at)
			if !d.locked(task) {
				t.Error("the lock of a process at work does not count")
			}
			time.Sleep(lockStale)
		}
		time.Sleep(time.Second)
		l, err := d.lock(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		l.release()
	})
}

// TestStoppedProcess lets another process take a task over, and finish it, while this one does not touch its
// lock. This one then finds the task done, and changes nothing.
func TestStoppedProcess(t *testing.T) {
	dir := t.TempDir()
	o := options(t, dir)
	task := &Task{Name: "long", Args: []string{"count", "dots", "40"}, Out: []string{"dots"}, Partial: "dots", Resume: []string{"count", "dots", "40"}}
	d := graph(t, task).in(dir)
	done := make(chan error)
	go func() { done <- d.Run(t.Context(), o) }()
	for {
		if _, err := os.Stat(filepath.Join(d.workPath(task), "dots")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	old := time.Now().Add(-2 * lockStale)
	os.Chtimes(d.lockPath(task), old, old)
	l, err := graph(t, task).in(dir).lock(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(d.workPath(task), "dots")); !strings.HasPrefix(got, ".") {
		t.Errorf("the work of the stopped process is lost: %q", got)
	}
	// What the stopped process writes from now on is not seen here.
	write(t, filepath.Join(d.workPath(task), "dots"), "of another process")
	write(t, filepath.Join(d.workPath(task), spentName), "{}")
	time.Sleep(200 * time.Millisecond)
	if err := d.leave(task); err != nil {
		t.Fatal(err)
	}
	if !l.release() {
		t.Error("the lock was lost")
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := read(t, d.path("dots")); got != "of another process" {
		t.Errorf("the result is %q", got)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "work")); len(left) > 0 {
		t.Errorf("the folder of the work holds %v", left)
	}
}

var systems = catalogue.Systems()

// TestFlags checks that every task gets the flags of a graph, and that -plain, but not the number of
// workers, makes it another task.
func TestFlags(t *testing.T) {
	with := func(flags ...string) *Graph {
		tables, err := Tables(systems, Sizes()[0], flags...)
		if err != nil {
			t.Fatal(err)
		}
		return graph(t, Tasks(tables, flags)...)
	}
	one, two, plain := with("-workers", "1"), with("-workers", "2"), with("-workers", "1", "-plain")
	for i, task := range plain.Tasks {
		for _, args := range [][]string{task.Args, task.Resume} {
			if args != nil && !slices.Contains(args, "-plain") {
				t.Errorf("%s: macroscope %s", task.Name, strings.Join(args, " "))
			}
		}
		if a, b := one.Key(one.Tasks[i]), two.Key(two.Tasks[i]); a != b || a == plain.Key(task) {
			t.Errorf("%s: the keys are %s and %s, and with -plain %s", task.Name, a, b, plain.Key(task))
		}
	}
}

// TestTables checks that the tables of every size form a graph, with all methods and the
// requested number of seeds, and that the trainings have the presets' settings.
func TestTables(t *testing.T) {
	for _, s := range Sizes() {
		if s.Preset == "paper" && testing.Short() {
			continue
		}
		tables, err := Tables(systems, s, "-workers", "1")
		if err != nil {
			t.Fatal(err)
		}
		g := graph(t, Tasks(tables, []string{"-preset", s.Preset})...)
		left, place := make(map[*Task]bool), make(map[string]int)
		for _, task := range g.Tasks {
			left[task] = true
		}
		for k, tasks := range g.arrays(left) {
			place[tasks[0].Group] = k + 1
		}
		for _, task := range g.Tasks {
			for _, need := range g.Needs(task) {
				if need.Group != task.Group && !(place[need.Group] < place[task.Group]) {
					t.Errorf("%s: on Slurm, %s would not wait for %s", s.Preset, task.Name, need.Name)
				}
			}
		}
		for _, name := range []string{"line", "table 1", "table 2", "sensitivity zdim", "sensitivity eps", "polymer"} {
			if g.Find(name) == nil {
				t.Errorf("%s: no %s", s.Preset, name)
			}
		}
		at := func(name string) int {
			return slices.IndexFunc(g.Tasks, func(t *Task) bool { return t.Name == name })
		}
		last := at(fmt.Sprintf("mixing/inve@%s law.share=false seed %d: eval", s.Preset, s.Seeds))
		for _, boundary := range []string{"12", "16", "20"} {
			file := "tests/mixing-figure/boundary " + boundary + ".npz"
			if k := at("mixing boundary " + boundary + ": simulate"); k < last || !slices.Equal(g.Tasks[k].Out, []string{file}) {
				t.Errorf("%s: what a figure shows is simulated as task %d, and the last training is %d", s.Preset, k, last)
			}
			for _, name := range []string{"figure mixing predictions.svg", "figure mixing predictions, OnsagerNet.png"} {
				if f := g.Find(name); f == nil || at(name) < last || !slices.Contains(f.In, file) || !slices.Contains(f.Args, path.Dir(file)) {
					t.Errorf("%s: %s simulates for itself: %+v", s.Preset, name, f)
				}
			}
		}
		trainings := 0
		for _, task := range g.Tasks {
			if strings.HasPrefix(task.Group, "train ") {
				trainings++
				if task.Partial == "" || !(task.Seconds > 0) || !slices.Contains(task.Args, task.Partial) || !slices.Contains(task.Resume, task.Partial) {
					t.Errorf("%+v", task)
				}
			}
		}
		// rows counts the different trainings in all tables. The first training is the tunable
		// model of the line's table. The sweeps of particles have a second tunable model. In most
		// sizes this is the tunable model of table 1, which is counted below. In the size laptop,
		// the sweeps have a smaller preset than table 1, so their tunable model is a further
		// training.
		rows := 1
		if s.Preset == "laptop" {
			rows++
		}
		// The line has 12 rows, and one for each of two further methods. Each of the two sweeps of particles has 8 rows. Both sweeps contain
		// a row with the preset's own settings. This row counts once, so the sweeps have 15
		// different rows together. Every method has a row. For mixing, the method "flow" has
		// another row, with the share of species 1. For both systems, the method "flow" has
		// another row for each of the two OnsagerNets.
		rows += 12 + 2 + 8 + 7 + len(method.MethodsFor("particles")) + len(method.MethodsFor("mixing")) + 1 + 2*2
		chains := len(method.MethodsFor("polymer")) + len(method.MethodsFor("polymer-video"))
		rows += chains
		switch s.Preset {
		case "laptop":
			rows += chains - 1 // rows of long chains, without the tunable model
			rows++             // the row of preset wide
		case "paper":
			rows += chains - 3 // for chains, the paper lacks three methods: the memory, the tunable model and AE-Aug
		}
		if s.Preset != "laptop" {
			rows-- // the shared row of the sweeps is also in table 1
		}
		for _, system := range []string{"particles", "mixing", "polymer", "polymer-video"} {
			for _, m := range method.MethodsFor(system) {
				pair := system + "/" + m.Name + "@"
				if s.Preset != "paper" && !slices.ContainsFunc(g.Tasks, func(t *Task) bool { return strings.HasPrefix(t.Name, pair) }) {
					t.Errorf("%s: no row of tables.txt is of %s/%s; add one", s.Preset, system, m.Name)
				}
			}
		}
		if trainings != rows*s.Seeds {
			t.Errorf("%s: %d trainings, want %d", s.Preset, trainings, rows*s.Seeds)
		}
		for _, sys := range []string{"particles", "mixing"} {
			for _, m := range method.MethodsFor(sys) {
				if m.Name != "flow" && !slices.ContainsFunc(method.PublishedRows(sys), func(r method.PublishedRow) bool { return r.Method == m.Name }) {
					t.Logf("%s/%s has no published row", sys, m.Name)
				}
			}
		}
	}
}

// TestRender writes a table from invented results.
func TestRender(t *testing.T) {
	dir := t.TempDir()
	tables, err := Tables(systems, Size{Preset: "quick", Seeds: 2, Trajectories: 3}, "-workers", "1")
	if err != nil {
		t.Fatal(err)
	}
	zdim := tables[3]
	d := graph(t, Tasks(tables, nil)...).in(dir)
	for i, r := range zdim.Rows {
		for _, name := range r.Cells[len(r.Cells)-1].Files { // of the tunable model
			write(t, d.path(name), `{"impossible": [{"set": "in-dst"}]}`)
		}
		for k, name := range r.Cells[1].Files {
			text := fmt.Sprintf(`{"seconds": 1, "tests": [{"set": "in-dst", "mre": %g}, {"set": "diff-init", "mre": null, "undefined": {"mre": "it diverges"}}], "impossible": [{"set": "diff-N"}]}`, 0.001*float64(i+1+2*k))
			write(t, d.path(name), text)
		}
	}
	if err := zdim.render(d, "the command"); err != nil {
		t.Fatal(err)
	}
	md, err := os.ReadFile(d.path("paper/sensitivity-zdim.md"))
	if err != nil || !strings.Contains(string(md), "| ẑ dim = 1 | 1.6e-3 | 2.00e-03 ± 1e-03 (**× 1.2**) | not finite | n/a |") || !strings.Contains(string(md), "Made by `the command`") || !strings.Contains(string(md), "- ẑ dim = 8, in-dst: 173 times the published figure\n") {
		t.Errorf("%v:\n%s", err, md)
	}
	table, err := os.ReadFile(d.path("paper/sensitivity-zdim.csv"))
	if err != nil || !strings.Contains(string(table), "ẑ dim = 8,in-dst,mre,5.2e-5,0.009,0.00141421,2,0.008 0.01\n") {
		t.Errorf("%v:\n%s", err, table)
	}
	var file sweep.File
	b, err := os.ReadFile(d.path("paper/sensitivity-zdim.json"))
	if err == nil {
		err = json.Unmarshal(b, &file)
	}
	if want := (sweep.Point{At: map[string]float64{"eps": 0.01, "encoder.zdim": 8}, Set: "in-dst", Values: []float64{0.008, 0.01}, Published: 5.2e-5}); err != nil || len(file.Points) != 8 || !reflect.DeepEqual(file.Points[7], want) || len(file.Fields) != 2 {
		t.Errorf("%v: the sweep is %+v", err, file)
	}
	for _, name := range []string{"paper/sensitivity-zdim.png", "paper/sensitivity-zdim.svg"} {
		if info, err := os.Stat(d.path(name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
	damaged := d.path(zdim.Rows[0].Cells[1].Files[0])
	write(t, damaged, "{")
	if err := d.Render(dir, zdim.Name); err == nil || !strings.Contains(err.Error(), damaged+" is not what eval prints") || !strings.Contains(err.Error(), "delete it, and the same command makes it again") {
		t.Errorf("a damaged result: %v", err)
	}
}

// TestBeside writes a sweep with an additional column for a tunable model, from invented
// results. One training of this model serves all rows, so its cost must not count in the rows.
// The model's results must not be in the sweep's JSON file.
func TestBeside(t *testing.T) {
	dir := t.TempDir()
	tables, err := Tables(systems, Size{Preset: "laptop", Sweeps: "browser", Seeds: 1, Trajectories: 3}, "-workers", "1")
	if err != nil {
		t.Fatal(err)
	}
	g := graph(t, Tasks(tables, []string{"-preset", "laptop"})...)
	d := g.in(dir)
	if err := d.prepare(); err != nil {
		t.Fatal(err)
	}
	result := func(file, text string) {
		t.Helper()
		write(t, d.path(file), text)
		took := spent{Training: 7, Program: "the rows' own"}
		if strings.Contains(file, method.Tunable) {
			took = spent{Training: 100, Program: "another"}
		}
		if err := took.write(d.spentPath(g.maker[file])); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct{ name, file, row, none string }{
		{"line", "line", "| ε = 0.3, ẑ dim = 8 | 1.00e+00 | 8.30e+00 | 1 | 7 |", ""},
		{"sensitivity zdim", "sensitivity-zdim", "| ẑ dim = 8 | 5.2e-5 | 1.00e+00 (**× 19231**) | n/a | n/a | 8.00e+00 | 1 | 7 |", ""},
		{"sensitivity eps", "sensitivity-eps", "| ε = 1e-02 | 5.2e-5 | 1.00e+00 (**× 19231**) | n/a | n/a | 8.00e+00 | 1 | 7 |", "| n/a | 1 | 7 |"},
	} {
		table := tables[slices.IndexFunc(tables, func(t *Table) bool { return t.Name == tc.name })]
		for _, r := range table.Rows {
			for _, c := range r.Cells {
				for _, file := range c.Files {
					if !c.Beside {
						result(file, `{"kl": 1, "tests": [{"set": "in-dst", "mre": 1}], "impossible": [{"set": "diff-init"}, {"set": "diff-N"}]}`)
						continue
					}
					var tests []string
					for _, eps := range []float64{0.03, 0.1, 0.3} {
						for zdim := range 8 {
							tests = append(tests, fmt.Sprintf(`{"set": "in-dst", "eps": %g, "zdim": %d, "mre": %d, "kl": %g}`, eps, zdim+1, zdim+1, float64(zdim+1)+eps))
						}
					}
					result(file, fmt.Sprintf(`{"tests": [%s]}`, strings.Join(tests, ",")))
				}
			}
		}
		if err := table.render(d, "the command"); err != nil {
			t.Fatal(err)
		}
		md, err := os.ReadFile(d.path(table.file() + ".md"))
		if err != nil || !strings.Contains(string(md), tc.row) || !strings.Contains(string(md), tc.none) || !strings.Contains(string(md), "trainings 1, core seconds each 100 for all rows") {
			t.Errorf("%v: %s is\n%s", err, tc.name, md)
		}
		var file sweep.File
		if b, err := os.ReadFile(d.path(table.file() + ".json")); err != nil || json.Unmarshal(b, &file) != nil {
			t.Fatal(err)
		}
		if !slices.Equal(file.Programs, []string{"the rows' own"}) {
			t.Errorf("%s: the page's file names the programs %q", tc.name, file.Programs)
		}
		for _, p := range file.Points {
			if len(p.Values) != 1 || p.Values[0] != 1 {
				t.Errorf("%s: the page's file has %+v, which is not of the row's own model", tc.name, p)
			}
		}
	}
}

// TestRecords publishes part of a table. A reproduction in another folder must adopt the published
// results if they come from the same tasks. It must then skip all tasks that only make inputs of
// adopted results.
func TestRecords(t *testing.T) {
	to := filepath.Join(t.TempDir(), "assets")
	make := func(workers, settings string) (*Graph, *Table, *Task, *Task) {
		train := &Task{Name: "m: train", Group: "train x", Args: []string{"copy", "model", "-workers", workers}, In: []string{"data"}, Out: []string{"model"}, Settings: settings}
		eval := &Task{
			Name: "m: eval", Group: "eval x", Args: []string{"copy", "-", "data"}, In: []string{"model", "data"}, Out: []string{"r.json"}, Stdout: true, Record: true,
		}
		data := &Task{Name: "data", Group: "simulate", Args: []string{"copy", "data"}, Out: []string{"data"}}
		other := &Task{Name: "o: eval", Group: "eval x", Args: []string{"fail"}, Out: []string{"o.json"}, Record: true, Stdout: true}
		none := &Task{Name: "none: eval", Args: []string{"fail"}, Out: []string{"none.json"}}
		table := &Table{Name: "t", Title: "A table", Measure: "words", Columns: []string{"c"}, tasks: []*Task{data, train, eval, other, none}}
		for _, file := range []string{"r.json", "o.json"} {
			table.Rows = append(table.Rows, Row{Name: file, Cells: []Cell{{Files: []string{file}, Figure: "n", Published: "2"}}})
		}
		return graph(t, table.tasks...), table, train, eval
	}
	publish := func(dir string, g *Graph, table *Table) string {
		t.Helper()
		later := &Table{Name: "later", Title: "Another", Columns: []string{"c"}, Rows: []Row{{Name: "a", Cells: []Cell{{Files: []string{"none.json"}, Figure: "n"}}}}}
		if err := g.Publish([]*Table{table, later}, dir, to, "A page", "macroscope reproduce", func(string) {}); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(to, "later.csv")); err == nil {
			t.Error("a table of which nothing was run has a file")
		}
		return read(t, filepath.Join(to, "README.md"))
	}
	first := t.TempDir()
	g, table, _, eval := make("1", "rate=1")
	if err := g.Run(t.Context(), options(t, first)); err == nil {
		t.Fatal("what fails did not")
	}
	// The stand-in program does not write JSON, so the test writes the result.
	result := `{"n": 1, "seconds": 3}`
	write(t, g.in(first).path("r.json"), result+"\n")
	if err := (&spent{Training: 7, Program: "commit abc"}).write(g.in(first).spentPath(eval)); err != nil {
		t.Fatal(err)
	}
	page := publish(first, g, table)
	for _, says := range []string{"| r.json | 1.00e+00 (× 0.5) | 1 | 7 |", "| o.json | not run |", "commit abc", "Not run yet: `macroscope reproduce -only \"later\"`."} {
		if !strings.Contains(page, says) {
			t.Errorf("the page lacks %q:\n%s", says, page)
		}
	}
	if records := read(t, filepath.Join(to, "records.jsonl")); strings.Count(records, "\n") != 1 || !strings.Contains(records, `"macroscope copy model -workers 1"`) {
		t.Errorf("records\n%s", records)
	}

	// Files of other origin are kept, here a page that was edited, and a table that was there before.
	write(t, filepath.Join(to, "README.md"), "edited")
	write(t, filepath.Join(to, "t.csv"), "mine")
	for range 2 {
		publish(first, g, table)
	}
	if kept, _ := filepath.Glob(filepath.Join(to, "*.bak*")); len(kept) != 2 || read(t, filepath.Join(to, "README.md.bak")) != "edited" || read(t, filepath.Join(to, "t.csv.bak")) != "mine" {
		t.Errorf("%q are kept", kept)
	}

	second := t.TempDir()
	g, table, train, eval := make("2", "rate=1") // the number of workers has no effect
	if taken, err := g.Adopt(second, to); err != nil || taken != 1 {
		t.Fatalf("%d results were taken: %v", taken, err)
	}
	g.Run(t.Context(), options(t, second))
	if d := g.in(second); begun(d, train) != 0 || begun(d, eval) != 0 || begun(d, g.Find("data")) != 0 {
		t.Error("what a record holds was done again")
	}
	if again := publish(second, g, table); again != page {
		t.Errorf("the page has changed:\n%s", again)
	}

	// Both a new row and the training of a recorded row need the data.
	row := &Task{Name: "row", Group: "eval x", Args: []string{"copy", "row"}, In: []string{"data"}, Out: []string{"row"}}
	g = graph(t, append(table.tasks, row)...)
	g.Run(t.Context(), options(t, second))
	if d := g.in(second); begun(d, row) != 1 || begun(d, g.Find("data")) != 1 || begun(d, train) != 0 {
		t.Errorf("with a new row, it began %d times, its data %d times and a recorded row's training %d times", begun(d, row), begun(d, g.Find("data")), begun(d, train))
	}

	// After a change of the training's settings, the folder's adopted result no longer counts.
	g, _, train, eval = make("1", "rate=2")
	g.Run(t.Context(), options(t, second))
	if d := g.in(second); begun(d, train) != 1 || begun(d, eval) != 1 {
		t.Errorf("with other settings, the training began %d times and its measurement %d times", begun(d, train), begun(d, eval))
	}

	third := t.TempDir()
	g, _, _, _ = make("1", "rate=2")
	if taken, err := g.Adopt(third, to); err != nil || taken != 0 {
		t.Errorf("%d results of another preset were taken: %v", taken, err)
	}
	if err := os.WriteFile(filepath.Join(to, "records.jsonl"), []byte("{\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Adopt(third, to); err == nil || !strings.Contains(err.Error(), "line 1 is not a record") {
		t.Errorf("a spoilt file: %v", err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// slurm puts shell scripts with the names of Slurm's programs in the path. The text `record` is the
// script for sbatch. This script appends its arguments as a line to the file `calls`, and prints
// the number of lines in the file. The function `script` replaces the script with the given name.
func slurm(t *testing.T) (script func(name, text string), calls, record string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs a shell")
	}
	bin := t.TempDir()
	calls = filepath.Join(bin, "calls")
	script = func(name, text string) {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	record = `for a; do printf '%s|' "$a"; done >>` + calls + `; echo >>` + calls + `; wc -l <` + calls + "\n"
	script("sbatch", record)
	script("squeue", "echo 99 /another/folder\n")
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return script, calls, record
}

// TestSubmit checks the calls of sbatch, and runs tasks as the jobs of Slurm would.
func TestSubmit(t *testing.T) {
	script, calls, record := slurm(t)
	dir := t.TempDir()
	o := options(t, dir)
	o.Again = []string{"sweep", "-set", "it's"}
	a, b := copyTask("a"), copyTask("b")
	c := &Task{Name: "c", Group: "later", Args: []string{"copy", "c", "a"}, In: []string{"a"}, Out: []string{"c"}}
	g := graph(t, a, b, c)
	if err := g.Submit(context.Background(), o, Cluster{Partition: "main", Time: "1:00", Cores: 2, Memory: "1G"}); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(calls)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "|--array|0-1|--cpus-per-task|2|") || !strings.Contains(lines[0], "|--partition|main|--time|1:00|--mem|1G|") ||
		strings.Contains(lines[0], "afterok") || !strings.Contains(lines[1], "|--array|0-0|") || !strings.Contains(lines[1], "|--dependency|afterok:1|") || !strings.Contains(lines[1], `'sweep' '-set' 'it'\''s' '-dir' `) {
		t.Fatalf("sbatch was called with\n%s", text)
	}
	lists, _ := filepath.Glob(filepath.Join(dir, "slurm", "*-0.tasks"))
	for _, index := range []string{"2", "-1", "", "1x"} {
		if err := g.DoOf(t.Context(), o, lists[0], index); err == nil {
			t.Errorf("job %q has a task", index)
		}
	}
	if err := g.DoOf(t.Context(), o, lists[0], "1"); err != nil || begun(g.in(dir), a) != 0 || begun(g.in(dir), b) != 1 {
		t.Errorf("job 1 has begun a %d times and b %d times: %v", begun(g.in(dir), a), begun(g.in(dir), b), err)
	}
	if err := g.Do(context.Background(), o, c, func(string) {}); err == nil || !strings.Contains(err.Error(), `needs "copy a"`) {
		t.Errorf("a task before what it needs: %v", err)
	}
	script("squeue", "echo 1 /another/folder; echo 2 '"+dir+"'; echo 2 '"+dir+"'\n")
	if err := g.Submit(context.Background(), o, Cluster{}); err == nil || !strings.Contains(err.Error(), "jobs 2 of this folder") {
		t.Errorf("submitted twice: %v", err)
	}
	script("squeue", "")
	script("sbatch", `case "$*" in *afterok*) exit 1; esac; `+record)
	if err := g.Submit(context.Background(), o, Cluster{}); err == nil {
		t.Error("the second array was refused, without an error")
	}
}

// TestLongArray submits more tasks than an array of Slurm can have jobs. Every task must belong to
// exactly one job.
func TestLongArray(t *testing.T) {
	_, calls, _ := slurm(t)
	dir := t.TempDir()
	var tasks []*Task
	for i := range maxArray + 5 {
		tasks = append(tasks, copyTask(fmt.Sprint(i)))
	}
	g := graph(t, tasks...)
	if err := g.Submit(t.Context(), options(t, dir), Cluster{}); err != nil {
		t.Fatal(err)
	}
	if text := read(t, calls); strings.Count(text, "\n") != 1 || !strings.Contains(text, "|--array|0-999|") {
		t.Fatalf("sbatch was called with\n%s", text)
	}
	lists, _ := filepath.Glob(filepath.Join(dir, "slurm", "*.tasks"))
	times := make(map[*Task]int)
	for i := range maxArray {
		of, err := g.tasksOf(lists[0], fmt.Sprint(i))
		if err != nil || len(of) > 2 {
			t.Fatalf("job %d has %d tasks: %v", i, len(of), err)
		}
		for _, task := range of {
			times[task]++
		}
	}
	for _, task := range tasks {
		if times[task] != 1 {
			t.Errorf("%s is a task of %d jobs", task.Name, times[task])
		}
	}
	if _, err := g.tasksOf(lists[0], fmt.Sprint(maxArray)); err == nil {
		t.Error("there is a job after the last one")
	}
}

// TestKilled begins with the files that a killed run leaves. Half of a file must not count as a result.
// Once the lock is old enough, a run must do the task again.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	o := options(t, dir)
	task := copyTask("a")
	d := graph(t, task).in(dir)
	if err := errors.Join(d.prepare(), d.enter(task)); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(d.lockPath(task), nil, 0o644)
	os.WriteFile(filepath.Join(d.workPath(task), "a"), []byte("ha"), 0o644)
	if d.done(task) || !d.left()[task] || !d.locked(task) {
		t.Error("half of a file is taken for the result, or the lock does not count")
	}
	old := time.Now().Add(-2 * lockStale)
	os.Chtimes(d.lockPath(task), old, old)
	if err := d.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if got := read(t, d.path("a")); got != "a" {
		t.Errorf("a is %q", got)
	}
}

// TestCompare checks that the duration of a task makes no difference.
func TestCompare(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	g := graph(t, copyTask("a"), copyTask("r.json"), copyTask("b"))
	for i, dir := range []string{one, two} {
		write(t, g.in(dir).path("a"), "same")
		write(t, g.in(dir).path("r.json"), fmt.Sprintf(`{"seconds": %d, "mre": 1}`, i))
		write(t, g.in(dir).path("b"), fmt.Sprint(i))
	}
	if same, differ := g.Compare(one, two); same != 2 || !slices.Equal(differ, []string{"b"}) {
		t.Errorf("%d are the same, %v differ", same, differ)
	}
}

// TestPolymerTable checks the table of chains. A single simulation must make the chains for models
// of labelled beads and for models of films. The simulation must have the preset's number of beads.
// In the table, each test must have a column for the error and a column for the KS distance. The
// figures must read the test data from files.
func TestPolymerTable(t *testing.T) {
	dir := t.TempDir()
	tables, err := Tables(systems, Size{Preset: "laptop", Sweeps: "browser", Seeds: 1, Trajectories: 3}, "-workers", "1")
	if err != nil {
		t.Fatal(err)
	}
	table := tables[len(tables)-2]
	g := graph(t, Tasks(tables, []string{"-preset", "laptop"})...)
	d := g.in(dir)
	for name, beads := range map[string]string{"polymer: simulate": "100", "polymer slow: simulate": "100", "polymer-300: simulate": "300", "polymer-300 slow: simulate": "300"} {
		task := g.Find(name)
		if task == nil {
			t.Fatalf("no task %s", name)
		}
		if k := slices.Index(task.Args, "-particles"); k < 0 || task.Args[k+1] != beads || !(task.Seconds > 0) {
			t.Errorf("%s: %v, %g seconds", name, task.Args, task.Seconds)
		}
	}
	for _, tc := range []struct{ figure, training, data string }{
		{"polymer", "polymer/flow@browser law.trajectories=720", "polymer"},
		{"polymer-video", "polymer-video/flow@browser", "polymer"},
		{"polymer-video-150", "polymer-video/flow-memory@browser", "polymer"},
		{"polymer-300", "polymer/flow@laptop law.trajectories=600", "polymer-300"},
		{"polymer-video-300-150", "polymer-video/flow-memory@laptop", "polymer-300"},
	} {
		if train := g.Find(tc.training + " seed 1: train"); train == nil || !slices.Contains(train.In, "data/"+tc.data+".npz") {
			t.Errorf("%s is not trained on the chains of all: %+v", tc.training, train)
		}
		figure := g.Find("figure " + tc.figure + " predictions.png")
		if figure == nil {
			t.Fatalf("no figure of %s", tc.figure)
		}
		if k := slices.Index(figure.Args, "-tests"); k < 0 || !slices.Contains(figure.In, figure.Args[k+1]+"/slow.npz") {
			t.Errorf("the figure of %s simulates the tests: %v reads %v", tc.figure, figure.Args, figure.In)
		}
		eval := g.Find(tc.training + " seed 1: eval")
		if k := slices.Index(eval.Args, "-tests"); k < 0 || !slices.Contains(eval.In, eval.Args[k+1]+"/fast.npz") {
			t.Errorf("%s is measured on %v, which reads %v", tc.training, eval.Args, eval.In)
		}
	}
	for i, r := range table.Rows {
		text := fmt.Sprintf(`{"tests": [{"zdim": %[1]g, "set": "fast", "passage_share": -0.01, "ks": 0.1}, {"zdim": %[1]g, "set": "medium", "passage_share": 0.02, "ks": 0.2}, {"zdim": %[1]g, "set": "slow", "passage_share": %[2]g, "ks": %[3]g}]}`, r.Cells[0].At["zdim"], -0.3-float64(i), 0.4+float64(i))
		write(t, d.path(r.Cells[0].Files[0]), text)
	}
	if err := table.render(d, "the command"); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(d.path(table.file() + ".md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"|  | fast, error | fast, KS | medium, error | medium, KS | slow, error | slow, KS | trainings | core seconds each |",
		"| deep set and flow, from labelled beads | -1.0 % | 0.100 | +2.0 % | 0.200 | -30.0 % | 0.400 |",
		"| deep set and flow, from video | -1.0 % | 0.100 | +2.0 % | 0.200 |",
	} {
		if !strings.Contains(string(b), line) {
			t.Errorf("no line %s in\n%s", line, b)
		}
	}
}

// TestDamagedResults reads results that are not what eval prints. None may be left out of a mean without
// a word.
func TestDamagedResults(t *testing.T) {
	d := graph(t, copyTask("one.json"), copyTask("two.json")).in(t.TempDir())
	write(t, d.path("one.json"), `{"n": 1}`)
	table := &Table{Columns: []string{"c"}, Rows: []Row{{with: map[string]float64{"x": 1}, Cells: []Cell{{Files: []string{"one.json", "two.json"}, Figure: "n"}}}}}
	for _, text := range []string{"", "{", "{}", "null", "[]", `{"n": "x"}`, `{"n": null}`, `{"N": 1}`, `{"n": 1}{`, `{"n": 1, "tests": 3}`, `{"n": 1e999}`, "\x00"} {
		write(t, d.path("two.json"), text)
		for _, partial := range []bool{false, true} {
			_, err := table.summarize(d, partial)
			if err == nil || !strings.Contains(err.Error(), d.path("two.json")+" is not what eval prints") || strings.Contains(err.Error(), "Go ") {
				t.Errorf("%q: error %v", text, err)
			}
		}
	}
	write(t, d.path("two.json"), `{"n": null, "undefined": {"n": "it diverges"}}`)
	s, err := table.summarize(d, false)
	if err != nil || s.written() != "2 of 2 results; 1 of them not finite, and in no mean" || s.rows[0][0].show(&table.Rows[0].Cells[0]) != "1.00e+00 (1 more not finite)" {
		t.Errorf("%v: %q", err, s.written())
	}
}

// TestWhatIsNotThere distinguishes a figure that a method cannot have from a figure that is not
// computed yet because some trainings are missing.
func TestWhatIsNotThere(t *testing.T) {
	d := graph(t, copyTask("one.json"), copyTask("two.json")).in(t.TempDir())
	write(t, d.path("one.json"), `{"n": 1, "impossible": [{"set": "diff-N"}]}`)
	files := []string{"one.json", "two.json"}
	has, lacks, none := Cell{Files: files, Figure: "n"}, Cell{Files: files, Figure: "n", Set: "diff-N"}, Cell{Files: files[1:], Figure: "n"}
	table := &Table{Rows: []Row{{Cells: []Cell{has, lacks, none}}}}
	s, err := table.summarize(d, true)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"1.00e+00", "n/a", "not run"} {
		if got := s.rows[0][i].show(&table.Rows[0].Cells[i]); got != want {
			t.Errorf("cell %d is %q, want %q", i, got, want)
		}
	}
}
