//go:build !js

package engines

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// webkit is a tab of WebKitGTK's MiniBrowser, driven by WebDriver
// (https://www.w3.org/TR/webdriver2/).
type webkit struct {
	at string // address of the session
}

func openWebKit(t *testing.T, webgl bool) driver {
	t.Helper()
	const debian = "webkit2gtk-driver, with xvfb if there is no display"
	path := installed(t, "WebKitWebDriver", debian, "WebKitWebDriver")
	browser := installed(t, "MiniBrowser", debian, "/usr/lib/*/webkit2gtk-4.1/MiniBrowser", "/usr/libexec/webkit2gtk-4.1/MiniBrowser", "MiniBrowser")
	env, ok := environment(t, t.TempDir())
	if !ok {
		t.Skip("there is no display and no Xvfb on this machine, so the lab is not tested in WebKit; Debian has it as xvfb")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0") // finds a free port
	if err != nil {
		t.Fatal(err)
	}
	at := ln.Addr().(*net.TCPAddr)
	_ = ln.Close()
	cmd := exec.Command(path, fmt.Sprintf("--port=%d", at.Port))
	cmd.Env = append(env, "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS=1") // a container has no sandbox to offer
	ended := start(t, cmd)

	w := &webkit{at: fmt.Sprintf("http://%s/session", at)}
	var session struct {
		ID string `json:"sessionId"`
	}
	capabilities := map[string]any{"webkitgtk:browserOptions": map[string]any{
		"binary": browser, "args": []string{"--automation", fmt.Sprintf("--enable-webgl=%t", webgl)},
	}}
	body := map[string]any{"capabilities": map[string]any{"alwaysMatch": capabilities}}
	for until := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		if err = w.call("POST", "", body, &session); err == nil {
			break
		}
		select {
		case <-ended:
			t.Fatalf("WebKitWebDriver has ended: %v", err)
		default:
		}
		if time.Now().After(until) {
			t.Fatalf("WebKitWebDriver begins no session: %v", err)
		}
	}
	w.at += "/" + session.ID
	t.Cleanup(func() { _ = w.call("DELETE", "", nil, nil) })
	if err := w.call("POST", "/window/rect", map[string]int{"width": 1280, "height": 800}, nil); err != nil {
		t.Fatal(err)
	}
	return w
}

// call sends a command and stores the value of the answer in result.
func (w *webkit) call(method, path string, body, result any) error {
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return err
		}
	}
	r, err := http.NewRequest(method, w.at+path, &sent)
	if err != nil {
		return err
	}
	client := http.Client{Timeout: patience}
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Value json.RawMessage `json:"value"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s %s: %s: %w", method, path, response.Status, err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", method, path, strings.TrimSpace(string(answer.Value)))
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer.Value, result)
}

func (w *webkit) navigate(url string) error {
	return w.call("POST", "/url", map[string]string{"url": url}, nil)
}

func (w *webkit) reload() error { return w.call("POST", "/refresh", map[string]any{}, nil) }

func (w *webkit) eval(expression string) (v any, err error) {
	err = w.call("POST", "/execute/sync", map[string]any{"script": "return " + expression, "args": []any{}}, &v)
	return v, err
}

func (w *webkit) shot() ([]byte, error) {
	var text string
	if err := w.call("GET", "/screenshot", nil, &text); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(text)
}
