//go:build !js

package firefox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// patience is the longest duration of a wait. Tests wait for a state, never for a fixed time.
// Software GL on shared cores is slow.
const patience = 3 * time.Minute

// tab is one page in its own Firefox, driven by WebDriver BiDi.
type tab struct {
	t       *testing.T
	ctx     context.Context
	socket  *websocket.Conn
	context string // the page's id in the protocol
	last    int    // number of the last command
}

// browserPath finds a Firefox, or skips the test.
func browserPath(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"firefox-esr", "firefox"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("there is no Firefox on this machine, so the lab is not tested in it; Debian has it as firefox-esr")
	return ""
}

// launched matches Firefox's message that it is listening.
var launched = regexp.MustCompile(`WebDriver BiDi listening on (ws://\S+)`)

// open starts a Firefox with a new profile and some preferences, and returns its only tab. If
// there is no display, it uses Xvfb or runs headless.
func open(t *testing.T, preferences ...string) *tab {
	t.Helper()
	path, dir := browserPath(t), t.TempDir()
	prefs := append([]string{
		`"browser.shell.checkDefaultBrowser", false`, `"datareporting.policy.dataSubmissionEnabled", false`, `"app.update.enabled", false`,
		`"webgl.force-enabled", true`, // allows WebGL with software GL
	}, preferences...)
	var text strings.Builder
	for _, p := range prefs {
		fmt.Fprintf(&text, "user_pref(%s);\n", p)
	}
	if err := os.WriteFile(filepath.Join(dir, "user.js"), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{path, "--no-remote", "--profile", dir, "--remote-debugging-port", "0", "about:blank"}
	if os.Getenv("DISPLAY") == "" {
		if run, err := exec.LookPath("xvfb-run"); err == nil {
			args = append([]string{run, "-a", "-s", "-screen 0 1400x1000x24"}, args...)
		} else {
			args = append(args, "--headless")
		}
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "LIBGL_ALWAYS_SOFTWARE=1", "MOZ_CRASHREPORTER_DISABLE=1", "HOME="+dir)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	ctx, stop := context.WithCancel(context.Background())
	p := &tab{t: t, ctx: ctx}
	t.Cleanup(func() {
		if p.socket != nil {
			_, _ = p.call("browser.close", map[string]any{})
			_ = p.socket.CloseNow()
		}
		stop()
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
		}
		_ = log.Close()
	})
	p.connect(log.Name(), ended)
	return p
}

// connect begins a WebDriver session. The browser has written its address to the file log.
func (p *tab) connect(log string, ended <-chan struct{}) {
	p.t.Helper()
	said := func() []byte {
		b, _ := os.ReadFile(log)
		return b
	}
	var at string
	for until := time.Now().Add(patience); at == ""; time.Sleep(100 * time.Millisecond) {
		if m := launched.FindSubmatch(said()); m != nil {
			at = string(m[1])
		}
		select {
		case <-ended:
			p.t.Fatalf("Firefox has ended:\n%s", said())
		default:
		}
		if time.Now().After(until) {
			p.t.Fatalf("Firefox does not listen:\n%s", said())
		}
	}
	socket, _, err := websocket.Dial(p.ctx, at+"/session", nil)
	if err != nil {
		p.t.Fatal(err)
	}
	socket.SetReadLimit(64 << 20)
	p.socket = socket
	p.must("session.new", map[string]any{"capabilities": map[string]any{}}, nil)
	var tree struct {
		Contexts []struct {
			Context string `json:"context"`
		} `json:"contexts"`
	}
	p.must("browsingContext.getTree", map[string]any{}, &tree)
	if len(tree.Contexts) == 0 {
		p.t.Fatal("Firefox has no tab")
	}
	p.context = tree.Contexts[0].Context
	p.must("browsingContext.setViewport", map[string]any{"context": p.context, "viewport": map[string]int{"width": 1280, "height": 800}}, nil)
}

// call sends a command and waits for its result.
func (p *tab) call(method string, params any) (json.RawMessage, error) {
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	p.last++
	if err := wsjson.Write(ctx, p.socket, map[string]any{"id": p.last, "method": method, "params": params}); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	for {
		var answer struct {
			ID      int             `json:"id"`
			Type    string          `json:"type"`
			Result  json.RawMessage `json:"result"`
			Error   string          `json:"error"`
			Message string          `json:"message"`
		}
		if err := wsjson.Read(ctx, p.socket, &answer); err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		switch {
		case answer.Type == "event" || answer.ID != p.last:
			continue
		case answer.Type == "error":
			return nil, fmt.Errorf("%s: %s: %s", method, answer.Error, answer.Message)
		}
		return answer.Result, nil
	}
}

func (p *tab) must(method string, params, result any) {
	p.t.Helper()
	b, err := p.call(method, params)
	if err == nil && result != nil {
		err = json.Unmarshal(b, result)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// eval returns the value of an expression in the page: a string or a boolean.
func (p *tab) eval(expression string) (any, error) {
	b, err := p.call("script.evaluate", map[string]any{"expression": expression, "target": map[string]string{"context": p.context}, "awaitPromise": true})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
		ExceptionDetails *struct {
			Text string `json:"text"`
		} `json:"exceptionDetails"`
	}
	if err := json.Unmarshal(b, &answer); err != nil {
		return nil, err
	}
	if answer.ExceptionDetails != nil {
		return nil, errors.New(answer.ExceptionDetails.Text)
	}
	return answer.Result.Value, nil
}

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

func (p *tab) navigate(url string) {
	p.t.Helper()
	p.must("browsingContext.navigate", map[string]any{"context": p.context, "url": url, "wait": "complete"}, nil)
}

func (p *tab) reload() {
	p.t.Helper()
	p.must("browsingContext.reload", map[string]any{"context": p.context, "wait": "complete"}, nil)
}

// shot writes a picture of the page to the folder of screenshots.
func (p *tab) shot(name string) string {
	p.t.Helper()
	var picture struct {
		Data []byte `json:"data"`
	}
	p.must("browsingContext.captureScreenshot", map[string]any{"context": p.context}, &picture)
	dir := filepath.Join("..", "..", "..", "shots")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "firefox-"+name+".png"), picture.Data, 0o644); err != nil {
		p.t.Fatal(err)
	}
	return string(picture.Data)
}
