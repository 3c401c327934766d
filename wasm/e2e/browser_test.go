//go:build !js

package e2e

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image/color"
	"image/png"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"

	"macroscope/serve/httpd"
)

const (
	distDir  = "../../dist"
	shotsDir = "../../shots"
)

// patience is the longest duration of a wait. Tests wait for a state, never for a fixed time.
// Software GL on two shared cores is slow.
const patience = 3 * time.Minute

// browserPath finds a Chromium. If there is none, the test fails in CI. On a developer's machine
// the test is skipped with a clear message.
func browserPath(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatal("no Chromium on this machine")
	}
	t.Skip("NO CHROMIUM ON THIS MACHINE: THE LAB IN THE BROWSER IS NOT TESTED; install chromium")
	return ""
}

// shared is one browser for all tests, because each further browser costs half as much processor
// time as opening a page. `idle` contains the profiles that no test is using, and `lab` is the
// server of the lab.
var shared struct {
	sync.Mutex
	ctx  context.Context // nil before the browser starts
	stop func()
	idle []*profile
	lab  *server
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.stop != nil {
		shared.stop()
	}
	if shared.lab != nil {
		shared.lab.stop()
	}
	os.Exit(code)
}

// A profile has its own storage and a tab. A new profile costs as much as most tests, because its
// tab compiles the page's programs. A test therefore uses a free profile, whose storage is emptied
// when the test ends. The method `visit` opens the next lab of the test in the same page.
type profile struct {
	ctx context.Context
	tab *tab // a free tab, or nil
}

// profiles maps a context to its profile.
var profiles sync.Map

// newBrowser returns the context of a browser with an empty profile. A test has its own profile in
// the shared browser; a benchmark has its own browser.
func newBrowser(t testing.TB) context.Context {
	t.Helper()
	if _, measures := t.(*testing.B); measures {
		ctx, stop := startBrowser(t, t.TempDir())
		t.Cleanup(stop)
		return ctx
	}
	shared.Lock()
	defer shared.Unlock()
	var f *profile
	if last := len(shared.idle) - 1; last >= 0 {
		f, shared.idle = shared.idle[last], shared.idle[:last]
	} else {
		f = newProfile(t)
	}
	t.Cleanup(func() {
		if f.tab == nil || f.tab.emptyStorage() != nil {
			_ = chromedp.Cancel(f.ctx)
			return
		}
		shared.Lock()
		defer shared.Unlock()
		shared.idle = append(shared.idle, f)
	})
	return f.ctx
}

// newProfile makes a profile. If there is no shared browser yet, newProfile first starts it. The
// caller must have locked `shared`.
func newProfile(t testing.TB) *profile {
	t.Helper()
	if shared.ctx == nil {
		dir, err := os.MkdirTemp("", "macroscope-e2e")
		if err != nil {
			t.Fatal(err)
		}
		// The flag lets the browser's engine optimize only functions that have computed for
		// long. Otherwise a page would spend a third of its time on optimizing functions that
		// run for a few seconds.
		ctx, stop := startBrowser(t, dir, chromedp.Flag("js-flags", "--wasm-tiering-budget=1000000000"))
		shared.ctx, shared.stop = ctx, func() {
			stop()
			_ = os.RemoveAll(dir)
		}
	}
	ctx, _ := chromedp.NewContext(shared.ctx, chromedp.WithNewBrowserContext())
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("no profile: %v", err)
	}
	f := &profile{ctx: ctx}
	profiles.Store(ctx, f)
	return f
}

// startBrowser starts a browser with its profile in dir and returns its context.
func startBrowser(t testing.TB, dir string, more ...chromedp.ExecAllocatorOption) (ctx context.Context, stop func()) {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(browserPath(t)), chromedp.NoSandbox, chromedp.UserDataDir(dir), chromedp.WindowSize(1280, 800),
		chromedp.Flag("use-gl", "angle"), chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true),
		// GPU compositing with software GL would cost as much as the picture.
		chromedp.Flag("disable-gpu-compositing", true),
		chromedp.Flag("disable-back-forward-cache", true), // frees each page when the test leaves it
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("mute-audio", true),
		chromedp.WSURLReadTimeout(patience),
	)
	allocated, stopAllocator := chromedp.NewExecAllocator(context.Background(), append(options, more...)...)
	ctx, cancel := chromedp.NewContext(allocated)
	stop = func() {
		_ = chromedp.Cancel(ctx) // closes the browser and waits for it
		cancel()
		stopAllocator()
	}
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		stop()
		t.Fatalf("the browser did not start: %v", err)
	}
	return ctx, stop
}

// sparing is a script that limits the lab to three pictures per second. With software GL, each
// picture takes a tenth of a second of one core. For the same reason the script fills no triangles
// unless the page has set self.seeing. It also keeps the page from fetching its copy for offline
// use, which would cost as much as opening the page. The script offlineCopy allows this copy again.
const sparing = `
try {
	if (!/[?&]view=/.test(location.search)) localStorage.setItem("macroscope.view", "everything");
} catch {} // blocked
if (self !== top) {
	const request = requestAnimationFrame.bind(self);
	let drawn = 0;
	self.requestAnimationFrame = (draw) => setTimeout(() => request((now) => {
		drawn = performance.now();
		draw(now);
	}), Math.max(0, drawn + 300 - performance.now()));
	const fill = WebGL2RenderingContext.prototype.drawElements;
	WebGL2RenderingContext.prototype.drawElements = function (...triangles) {
		if (parent.seeing) fill.apply(this, triangles);
	};
} else if (navigator.serviceWorker) navigator.serviceWorker.register = () => new Promise(() => {});`

// After sees(), every new page draws its pictures. Otherwise new pages draw none, because most
// tests do not look at pictures.
func (p *tab) sees() { p.addScript(`self.seeing = true`) }

// After looks(true) the open page draws its next pictures. After looks(false) it draws none, unless
// the flag shots or the flag long is set.
func (p *tab) looks(on bool) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`(self.seeing = %v, true)`, on || *shots || *long))
}

const offlineCopy = `if (self === top) delete navigator.serviceWorker.register;`

// tab is a browser tab with a page of the lab. It collects the errors on the page's console.
type tab struct {
	t       testing.TB
	ctx     context.Context
	scripts []page.ScriptIdentifier // added by addScript

	mu     sync.Mutex
	errors []string
}

// newTab returns a tab of the browser's profile. It reuses the tab of an earlier test if that tab
// is free. Otherwise it opens a new tab.
func newTab(t testing.TB, browser context.Context, width, height int64, scale float64) *tab {
	t.Helper()
	found, _ := profiles.Load(browser)
	f, _ := found.(*profile) // nil in a benchmark
	var p *tab
	if f != nil && f.tab != nil {
		p, f.tab = f.tab, nil
		p.t = t
	} else {
		p = addTab(t, browser)
	}
	t.Cleanup(func() {
		if f == nil || f.tab != nil || t.Failed() || p.leave() != nil {
			_ = chromedp.Cancel(p.ctx)
			return
		}
		f.tab = p
	})
	p.do(chromedp.EmulateViewport(width, height, chromedp.EmulateScale(scale)))
	return p
}

// addTab opens a tab.
func addTab(t testing.TB, browser context.Context) *tab {
	t.Helper()
	ctx, _ := chromedp.NewContext(browser)
	p := &tab{t: t, ctx: ctx}
	// The context of a tab's first action must have no deadline, because the tab closes when this
	// context ends. Focus emulation is needed because only one window of a browser has the keyboard
	// focus.
	if err := chromedp.Do(ctx, command(emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Listen(ctx, func(ev any) {
		switch ev := ev.(type) {
		case *runtime.EventExceptionThrown:
			p.complain("exception: " + ev.ExceptionDetails.Text + exceptionText(ev.ExceptionDetails))
		case *runtime.EventConsoleAPICalled:
			if ev.Type == runtime.ConsoleAPICalledTypeError {
				var text []string
				for _, a := range ev.Args {
					text = append(text, string(a.Value), a.Description)
				}
				p.complain("console: " + strings.Join(text, " "))
			}
		case *log.EventEntryAdded:
			if ev.Entry.Level == log.EntryLevelError {
				p.complain(fmt.Sprintf("log: %s %s", ev.Entry.Text, ev.Entry.URL))
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	p.do(command(log.Enable, cdp.Empty{}))
	if _, ok := t.(*testing.T); ok { // benchmarks do not use this script, so their page works as for a user
		p.addScript(sparing)
		if *shots || *long {
			p.sees()
		}
		p.scripts = nil // leave removes only scripts that are added later
	}
	return p
}

// leave prepares the tab for another test. It removes this test's scripts, and opens a style sheet
// from the lab's server instead of the lab.
func (p *tab) leave() error {
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	for _, script := range p.scripts {
		if err := chromedp.Do(ctx, command(page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: script})); err != nil {
			return err
		}
	}
	p.scripts = nil
	if err := chromedp.Do(ctx, chromedp.Navigate(serve(p.t, distDir).url+"style.css")); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.errors = nil
	return nil
}

// emptyStorage deletes everything that the lab has stored in the profile, after a test has left
// the tab.
func (p *tab) emptyStorage() error {
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`(sessionStorage.clear(), true)`))
	return errors.Join(err, chromedp.Do(ctx, command(storage.ClearDataForOrigin, storage.ClearDataForOriginParams{
		Origin: strings.TrimSuffix(serve(p.t, distDir).url, "/"), StorageTypes: "all",
	})))
}

func (p *tab) complain(text string) {
	if strings.HasSuffix(text, "/favicon.ico") { // a style sheet that is opened as a page has no icon, see tab.beside
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.errors = append(p.errors, text)
}

// quiet fails the test if the console has reported an error.
func (p *tab) quiet() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.errors {
		p.t.Errorf("the console says: %s", e)
	}
	p.errors = nil
}

// action is an action in a page that returns nothing.
type action = chromedp.Action[chromedp.Void]

// command wraps a command of the browser's protocol as an action.
func command[P, R any](c cdp.Command[P, R], params P) action {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

func (p *tab) do(actions ...action) {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.t.Fatalf("%v\n%s", err, p.report())
	}
}

// report describes the page when a test has failed.
func (p *tab) report() string {
	ctx, stop := context.WithTimeout(p.ctx, 10*time.Second)
	defer stop()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`location.href + "\n" + JSON.stringify(document.documentElement.dataset) + "\n" + document.getElementById("notices")?.innerText + "\n" + document.body.innerText.slice(0, 1500)`))
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("the page: %s (%v)\nits console: %v", text, err, p.errors)
}

// within returns a promise. The promise waits until an expression becomes true in the page, for at
// most the time d. It resolves to the last value of the expression. The page itself evaluates the
// expression, because each evaluation from the test costs the browser a millisecond.
func within(d time.Duration, expression string) string {
	return fmt.Sprintf(`new Promise((resolve) => {
		const until = performance.now() + %d;
		const holds = () => { try { return Boolean(%s); } catch { return false; } };
		(function look() {
			const is = holds();
			if (is || performance.now() > until) resolve(is); else setTimeout(look, 40);
		})();
	})`, d.Milliseconds(), expression)
}

// wait waits until the expression is true in the page.
func (p *tab) wait(what, expression string) {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	for {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](within(time.Second, expression), chromedp.EvalAwaitPromise))
		if err == nil && ok {
			return
		}
		// A reload interrupts the evaluation. The loop then repeats the evaluation.
		if ctx.Err() != nil {
			p.t.Fatalf("waited in vain for %s (%s): %v\n%s", what, expression, err, p.report())
		}
		if err != nil {
			time.Sleep(50 * time.Millisecond)
		}
	}
}

func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	return get(p, chromedp.Evaluate[T](expression))
}

// evalLater is eval for an expression that gives a promise.
func evalLater[T any](p *tab, expression string) T {
	p.t.Helper()
	return get(p, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// get runs an action that returns a value.
func get[T any](p *tab, a chromedp.Action[T]) T {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		p.t.Fatalf("%v\n%s", err, p.report())
	}
	return v
}

// open loads the lab and waits until it plays.
func (p *tab) open(url string) {
	p.t.Helper()
	p.do(chromedp.Navigate(url))
	p.playing()
}

func (p *tab) playing() {
	p.t.Helper()
	p.wait("the picture", `document.getElementById("view").classList.contains("live")`)
	p.wait("the session", `document.documentElement.dataset.status && !document.getElementById("groups").disabled`)
}

// settled waits until no element fades in or out.
func (p *tab) settled() {
	p.t.Helper()
	p.wait("an end of all transitions", `document.getAnimations().every(a => a.playState !== "running" || a.effect?.getComputedTiming().iterations === Infinity)`)
}

// narrow fails the test if the page is wider than its screen.
func (p *tab) narrow(width int64) {
	p.t.Helper()
	if wide := eval[float64](p, `document.documentElement.scrollWidth`); wide > float64(width) {
		p.t.Errorf("the page is %g px wide on a screen of %d", wide, width)
	}
}

// step returns the training step in the status line.
func (p *tab) step() int { return eval[int](p, stepExpression) }

const stepExpression = `parseInt(document.getElementById("f-step").textContent.replace(/[^0-9\/]/g, "")) || 0`

// The method `use` runs a script as soon as an element exists and is enabled. In the script, e is
// the element. A disabled control would ignore the user's action.
func (p *tab) use(id, script string) {
	p.t.Helper()
	p.wait("the control "+id, fmt.Sprintf(`((e) => { if (!e || e.matches(":disabled, [aria-disabled=true]")) return false; %s; return true; })(document.getElementById(%q))`, script, id))
}

// set types a value into a field, then moves the focus away from the field.
func (p *tab) set(id, value string) {
	p.t.Helper()
	p.use(id, fmt.Sprintf(`e.focus(); e.value = %q; e.dispatchEvent(new Event("input", {bubbles: true})); e.dispatchEvent(new Event("change", {bubbles: true})); e.blur()`, value))
}

func (p *tab) click(id string) {
	p.t.Helper()
	p.use(id, `e.click()`)
}

// pictures waits until the page has drawn `count` more pictures.
func (p *tab) pictures(count int) {
	p.t.Helper()
	evalLater[bool](p, fmt.Sprintf(`new Promise((resolve) => { let left = %d; const next = () => (left-- > 0 ? requestAnimationFrame(next) : resolve(true)); next(); })`, count))
}

// The method `noting` begins to record all texts of an element, because a short-lived text may be
// gone before a test reads it. The method `noted` waits for a recorded text that contains some
// words.
func (p *tab) noting(id string) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`((e) => { e.noted = [e.textContent]; new MutationObserver(() => e.noted.push(e.textContent)).observe(e, {childList: true, characterData: true, subtree: true}); return true; })(document.getElementById(%q))`, id))
}

func (p *tab) noted(id, words string) {
	p.t.Helper()
	p.wait(words, fmt.Sprintf(`document.getElementById(%q).noted.some((text) => text.includes(%q))`, id, words))
}

// picture returns a screenshot of the canvas.
func (p *tab) picture() []byte {
	p.t.Helper()
	if !eval[bool](p, `self.seeing ?? false`) {
		p.t.Fatal("the test looks at the picture without sees")
	}
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	for {
		b, err := chromedp.Run(ctx, chromedp.Screenshot("#canvas"))
		if err == nil {
			return b
		}
		// After a reload of the picture's page, the canvas is another element, so the
		// screenshot is repeated.
		if ctx.Err() != nil {
			p.t.Fatalf("no screenshot of the picture: %v\n%s", err, p.report())
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// coloursOf counts the colours of a screenshot.
func coloursOf(t testing.TB, picture []byte) int {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	found := map[color.Color]bool{}
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			found[m.At(x, y)] = true
		}
	}
	return len(found)
}

// changes waits until the canvas has changed.
func (p *tab) changes(what string, before []byte) {
	p.t.Helper()
	for until := time.Now().Add(patience); bytes.Equal(p.picture(), before); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(until) {
			p.t.Fatalf("%s did not change the picture", what)
		}
	}
}

// shots requests screenshots. With software GL, a screenshot takes at least a tenth of a second.
var shots = flag.Bool("shots", false, "write screenshots of the labs to the folder shots")

// The flag `long` adds the cases that `make test-long` includes and `make test` skips.
var long = flag.Bool("long", false, "try every screen with the mouse and with the finger")

// shot writes a screenshot of the page to the folder of screenshots, if requested.
func (p *tab) shot(name string) {
	p.t.Helper()
	if !*shots {
		return
	}
	b := get(p, chromedp.CaptureScreenshot())
	if err := os.MkdirAll(shotsDir, 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(shotsDir, name+".png"), b, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// server serves a folder on its own port until it is stopped. The server of distDir runs until
// all tests have ended.
type server struct {
	url string
	srv *http.Server
}

func serve(t testing.TB, dist string) *server {
	t.Helper()
	if dist != distDir {
		s := start(t, dist)
		t.Cleanup(s.stop)
		return s
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.lab == nil {
		shared.lab = start(t, dist)
	}
	return shared.lab
}

func start(t testing.TB, dist string) *server {
	t.Helper()
	handler, err := httpd.New(dist, nil)
	if errors.Is(err, httpd.ErrNotBuilt) {
		t.Fatal("the lab has not been built: run make build, or make browser, which does")
	}
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{url: "http://" + ln.Addr().String() + "/", srv: &http.Server{Handler: handler}}
	go func() { _ = s.srv.Serve(ln) }()
	return s
}

func (s *server) stop() { _ = s.srv.Close() }

// downloads lets the browser write files to a folder.
func (p *tab) downloads(dir string) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir, BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID})
		return err
	}))
}

// downloaded waits until the only file in a folder is complete.
func downloaded(t testing.TB, dir string) string {
	t.Helper()
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 1 && !strings.HasSuffix(files[0], ".crdownload") {
			return files[0]
		}
	}
	t.Fatal("nothing was downloaded")
	return ""
}

// drop drops a file on the middle of an element, as a user does from a folder.
func (p *tab) drop(selector string, paths ...string) {
	p.t.Helper()
	type place struct{ X, Y float64 }
	at := eval[place](p, fmt.Sprintf(`(r => ({X: r.x + r.width / 2, Y: r.y + r.height / 2}))(document.querySelector(%q).getBoundingClientRect())`, selector))
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: 1}
	for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		p.do(command(input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: at.X, Y: at.Y, Data: data}))
	}
}

// take confirms the question about a dropped or chosen file.
func (p *tab) take() {
	p.t.Helper()
	p.wait("a question about the file", `document.querySelector("#ask[open] .primary")`)
	eval[bool](p, `(document.querySelector("#ask .primary").click(), true)`)
}

// addScript adds a script that runs in every page of the tab before the page's own scripts,
// until the test ends.
func (p *tab) addScript(script string) {
	p.t.Helper()
	added := get(p, func(ctx context.Context, t *chromedp.Target) (page.AddScriptToEvaluateOnNewDocumentResult, error) {
		return cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	})
	p.scripts = append(p.scripts, added.Identifier)
}

func itoa(n int) string { return fmt.Sprint(n) }

func exceptionText(d *runtime.ExceptionDetails) string {
	if d.Exception == nil {
		return ""
	}
	return " " + d.Exception.Description
}
