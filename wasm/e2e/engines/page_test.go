//go:build !js

package engines

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"macroscope/serve/httpd"
)

// patience is the longest duration of a wait. Tests wait for a state, never for a fixed time.
// Software GL on shared cores is slow.
const patience = 3 * time.Minute

// driver drives the only tab of a browser.
type driver interface {
	navigate(url string) error
	reload() error
	// eval returns the value of an expression in the page: a string or a boolean.
	eval(expression string) (any, error)
	// shot returns a picture of the page as a PNG.
	shot() ([]byte, error)
}

// engine is a browser that the tests can start.
type engine struct {
	name string
	// open starts the browser with a new profile. `webgl` says whether WebGL is available. If the
	// browser is not installed, open skips the test. The browser ends with the test.
	open func(t *testing.T, webgl bool) driver
}

var engines = []engine{{"firefox", openFirefox}, {"webkit", openWebKit}, {"oldest", openOldest}}

// each runs a test in every engine.
func each(t *testing.T, test func(t *testing.T, e engine)) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) { test(t, e) })
	}
}

// tab is the lab's page in one engine.
type tab struct {
	driver
	t    *testing.T
	name string // of the engine
}

func (e engine) tab(t *testing.T, webgl bool) *tab {
	t.Helper()
	p := &tab{e.open(t, webgl), t, e.name}
	t.Logf("%s says that it is %s", e.name, p.text("navigator.userAgent"))
	return p
}

// serve serves the lab until the test ends.
func serve(t *testing.T) (url string) {
	t.Helper()
	handler, err := httpd.New("../../../dist", nil)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: handler}
	go func() { _ = srv.Serve(ln) }()
	t.Cleanup(func() { _ = srv.Close() })
	return "http://" + ln.Addr().String() + "/"
}

// environment returns environment variables for a browser. They set the home folder, software GL
// and a display. If there is no display, environment starts Xvfb until the test ends. If Xvfb is
// not installed either, ok is false.
func environment(t *testing.T, home string) (env []string, ok bool) {
	t.Helper()
	env = append(os.Environ(), "LIBGL_ALWAYS_SOFTWARE=1", "HOME="+home, "XDG_RUNTIME_DIR="+home)
	if os.Getenv("DISPLAY") != "" {
		return env, true
	}
	path, err := exec.LookPath("Xvfb")
	if err != nil {
		return env, false
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	cmd := exec.Command(path, "-displayfd", "3", "-screen", "0", "1400x1000x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w} // descriptor 3: Xvfb writes the number of its display there
	start(t, cmd)
	_ = w.Close()
	var number int
	if _, err := fmt.Fscan(r, &number); err != nil {
		t.Fatalf("Xvfb names no display: %v", err)
	}
	return append(env, fmt.Sprintf("DISPLAY=:%d", number)), true
}

// start starts a program, which is killed when the test ends. The channel is closed when the
// program has ended.
func start(t *testing.T, cmd *exec.Cmd) (ended <-chan struct{}) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(done)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-done
	})
	return done
}

const (
	live = `document.getElementById("view").classList.contains("live") && !document.getElementById("groups").disabled`
	// status is the status of a training, and steps its number of steps. The page of the
	// particles gives the steps in a sentence.
	status = `document.documentElement.dataset.status`
	steps  = `(parseInt(document.getElementById("f-step")?.textContent.replace(/[^0-9\/]/g, "")) || parseInt(document.getElementById("task").textContent.match(/step (\d+)/)?.[1]) || 0)`
)

// do runs a statement in the page.
func (p *tab) do(statement string) {
	p.t.Helper()
	if _, err := p.eval("(() => { " + statement + " })()"); err != nil {
		p.t.Fatalf("%s: %v", statement, err)
	}
}

func (p *tab) text(expression string) string {
	p.t.Helper()
	v, err := p.eval("String(" + expression + ")")
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return fmt.Sprint(v)
}

// wait waits until an expression is true.
func (p *tab) wait(what, expression string) {
	p.t.Helper()
	var err error
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(200 * time.Millisecond) {
		var v any
		if v, err = p.eval("Boolean(" + expression + ")"); err == nil && v == true {
			return
		}
	}
	page, _ := p.eval(`location.href + "\n" + JSON.stringify(document.documentElement.dataset) + "\n" + document.body.innerText.slice(0, 1500)`)
	p.t.Fatalf("waited in vain for %s (%s): %v\nthe page: %v", what, expression, err, page)
}

func (p *tab) click(id string) {
	p.t.Helper()
	p.do(`document.getElementById("c-` + id + `").click()`)
}

func (p *tab) choose(id, value string) {
	p.t.Helper()
	p.do(`const e = document.getElementById("c-` + id + `"); if (e.tagName === "SELECT") { e.value = "` + value + `"; e.dispatchEvent(new Event("change", { bubbles: true })); } else document.querySelector('#c-` + id + ` [value="` + value + `"]').click();`)
}

// visit opens an address, or loads the open page again if the address is empty.
func (p *tab) visit(url string) {
	p.t.Helper()
	var err error
	if url == "" {
		err = p.reload()
	} else {
		// A lab that is open would follow a new fragment instead of loading.
		err = errors.Join(p.navigate("about:blank"), p.navigate(url))
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// picture returns a picture of the page and writes it to the folder of screenshots.
func (p *tab) picture(name string) string {
	p.t.Helper()
	b, err := p.shot()
	if err != nil {
		p.t.Fatal(err)
	}
	dir := filepath.Join("..", "..", "..", "shots")
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, p.name+"-"+name+".png"), b, 0o644)); err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

// trainsAStep trains from the lab's state until one step is done and saved.
func (p *tab) trainsAStep() {
	p.t.Helper()
	p.click("train")
	p.wait("training", status+` === "training"`)
	p.wait("a step", steps+` >= 1`)
	p.do(`delete document.documentElement.dataset.saved;`)
	p.wait("a save of that", `document.documentElement.dataset.saved`)
}

// installed finds a program, or skips the test.
func installed(t *testing.T, what, debian string, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
		if found, _ := filepath.Glob(name); len(found) > 0 && strings.HasPrefix(name, "/") {
			return found[len(found)-1]
		}
	}
	t.Skipf("there is no %s on this machine, so the lab is not tested in it; Debian has it as %s", what, debian)
	return ""
}
