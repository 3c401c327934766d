//go:build !js

package engines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// firefox is the only page of a Firefox, driven by WebDriver BiDi
// (https://www.w3.org/TR/webdriver-bidi/).
type firefox struct {
	ctx     context.Context
	socket  *websocket.Conn
	context string // the page's id in the protocol
	last    int    // number of the last command
}

// launched matches Firefox's message that it is listening.
var launched = regexp.MustCompile(`WebDriver BiDi listening on (ws://\S+)`)

func openFirefox(t *testing.T, webgl bool) driver {
	t.Helper()
	path, dir := installed(t, "Firefox", "firefox-esr", "firefox-esr", "firefox"), t.TempDir()
	prefs := fmt.Sprintf(`user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.update.enabled", false);
user_pref("webgl.force-enabled", %t); // with software GL too
user_pref("webgl.disabled", %t);
`, webgl, !webgl)
	if err := os.WriteFile(filepath.Join(dir, "user.js"), []byte(prefs), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"--no-remote", "--profile", dir, "--remote-debugging-port", "0", "about:blank"}
	env, ok := environment(t, dir)
	if !ok {
		args = append(args, "--headless")
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	cmd := exec.Command(path, args...)
	cmd.Env = append(env, "MOZ_CRASHREPORTER_DISABLE=1")
	cmd.Stdout, cmd.Stderr = log, log
	ended := start(t, cmd)
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	f := &firefox{ctx: ctx}
	if err := f.connect(log.Name(), ended); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = f.call("browser.close", map[string]any{})
		_ = f.socket.CloseNow()
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
		}
	})
	return f
}

// connect reads the browser's address from the file `log` and begins a session with the browser.
func (f *firefox) connect(log string, ended <-chan struct{}) error {
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
			return fmt.Errorf("the browser has ended:\n%s", said())
		default:
		}
		if time.Now().After(until) {
			return fmt.Errorf("the browser does not listen:\n%s", said())
		}
	}
	socket, _, err := websocket.Dial(f.ctx, at+"/session", nil)
	if err != nil {
		return err
	}
	socket.SetReadLimit(64 << 20)
	f.socket = socket
	var tree struct {
		Contexts []struct {
			Context string `json:"context"`
		} `json:"contexts"`
	}
	if _, err := f.call("session.new", map[string]any{"capabilities": map[string]any{}}); err != nil {
		return err
	}
	b, err := f.call("browsingContext.getTree", map[string]any{})
	if err == nil {
		err = json.Unmarshal(b, &tree)
	}
	if err != nil || len(tree.Contexts) == 0 {
		return fmt.Errorf("the browser has no tab: %w", err)
	}
	f.context = tree.Contexts[0].Context
	_, err = f.call("browsingContext.setViewport", map[string]any{"context": f.context, "viewport": map[string]int{"width": 1280, "height": 800}})
	return err
}

// call sends a command and waits for its result.
func (f *firefox) call(method string, params any) (json.RawMessage, error) {
	ctx, stop := context.WithTimeout(f.ctx, patience)
	defer stop()
	f.last++
	if err := wsjson.Write(ctx, f.socket, map[string]any{"id": f.last, "method": method, "params": params}); err != nil {
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
		if err := wsjson.Read(ctx, f.socket, &answer); err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		switch {
		case answer.Type == "event" || answer.ID != f.last:
			continue
		case answer.Type == "error":
			return nil, fmt.Errorf("%s: %s: %s", method, answer.Error, answer.Message)
		}
		return answer.Result, nil
	}
}

func (f *firefox) eval(expression string) (any, error) {
	b, err := f.call("script.evaluate", map[string]any{"expression": expression, "target": map[string]string{"context": f.context}, "awaitPromise": true})
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

func (f *firefox) navigate(url string) error {
	_, err := f.call("browsingContext.navigate", map[string]any{"context": f.context, "url": url, "wait": "complete"})
	return err
}

func (f *firefox) reload() error {
	_, err := f.call("browsingContext.reload", map[string]any{"context": f.context, "wait": "complete"})
	return err
}

func (f *firefox) shot() ([]byte, error) {
	b, err := f.call("browsingContext.captureScreenshot", map[string]any{"context": f.context})
	if err != nil {
		return nil, err
	}
	var picture struct {
		Data []byte `json:"data"`
	}
	err = json.Unmarshal(b, &picture)
	return picture.Data, err
}
