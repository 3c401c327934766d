//go:build !js

package e2e

import (
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"macroscope/serve/httpd"
)

// delay is the round-trip time of the network line.
const delay = 20 * time.Millisecond

// wire10 is a network line of 10 Mbit/s. All connections to a server share it.
type wire10 struct {
	net.Listener
	mu   sync.Mutex
	free time.Time // time at which all bytes sent so far have passed
}

func (l *wire10) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &wired{c, l}, err
}

// pass waits until n more bytes have passed.
func (l *wire10) pass(n int) {
	const perByte = 8 * time.Second / 10_000_000
	l.mu.Lock()
	if now := time.Now(); l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(n) * perByte)
	at := l.free
	l.mu.Unlock()
	time.Sleep(time.Until(at))
}

type wired struct {
	net.Conn
	line *wire10
}

// Read returns the browser's data one round trip later.
func (c *wired) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	time.Sleep(delay)
	return n, err
}

func (c *wired) Write(b []byte) (sent int, err error) {
	const packet = 16 << 10
	for len(b) > 0 && err == nil {
		n := min(packet, len(b))
		c.line.pass(n)
		n, err = c.Conn.Write(b[:n])
		sent, b = sent+n, b[n:]
	}
	return sent, err
}

// The script `opened` records when parts of the page are ready, in seconds since the page was
// requested.
const opened = `
{
  const start = self === top ? performance.timeOrigin : top.performance.timeOrigin;
  top.marks ??= {};
  const mark = (name) => (top.marks[name] ??= (performance.timeOrigin + performance.now() - start) / 1000);
  const names = ["the picture's program", "the worker's program"];
  const native = WebAssembly.compileStreaming;
  WebAssembly.compileStreaming = (...args) => {
    const name = names.shift();
    return native(...args).then((result) => (mark(name), result));
  };
  if (self === top) {
    const Native = Worker;
    self.Worker = class extends Native {
      constructor(...args) {
        super(...args);
        this.addEventListener("message", ({ data }) => data.type === "ready" && mark("the worker listens"));
      }
    };
    addEventListener("message", ({ data }) => data?.type === "ready" && mark("the canvas listens"));
    const wait = () => {
      if (document.getElementById("view")?.classList.contains("live")) mark("playing");
      else setTimeout(wait, 10);
    };
    wait();
  } else mark("the picture's page");
}`

// BenchmarkOpening opens each lab over a line of 10 Mbit/s and 20 ms, from a new profile. It
// measures when the page first paints, when the parts of the page are ready, and when the first
// picture plays. It needs the bundle that `make dist` writes. Run it with -benchtime 1x: otherwise
// the page of an earlier iteration fetches its offline copy over the same line.
func BenchmarkOpening(b *testing.B) {
	handler, err := httpd.New(benchDist(), nil)
	if err != nil {
		b.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	srv := &http.Server{Handler: handler}
	go func() { _ = srv.Serve(&wire10{Listener: ln}) }()
	b.Cleanup(func() { _ = srv.Close() })
	for _, lab := range []string{"demo", "particles", "mixing"} {
		b.Run(lab, func(b *testing.B) {
			for range b.N {
				p := newTab(b, newBrowser(b), 1280, 800, 1)
				p.addScript(opened)
				p.do(chromedp.Navigate("http://" + ln.Addr().String() + "/#lab=" + lab))
				p.wait("the picture", `self.marks?.playing && performance.getEntriesByName("first-contentful-paint").length`)
				b.ReportMetric(eval[float64](p, `performance.getEntriesByName("first-contentful-paint")[0].startTime / 1000`), "s-painted")
				b.ReportMetric(eval[float64](p, `marks.playing`), "s-playing")
				parts := eval[string](p, `[
					...performance.getEntriesByType("resource").filter((e) => e.name.endsWith(".wasm")).map((e) => [e.startTime / 1000, e.name.split("/").at(-1) + " comes until " + (e.responseEnd / 1000).toFixed(2)]),
					...Object.entries(marks).map(([name, at]) => [at, name]),
				].sort((a, b) => a[0] - b[0]).map(([at, what]) => at.toFixed(2) + " " + what).join(", ")`)
				b.Logf("load %s: %s", machineLoad(), parts)
				p.quiet()
			}
		})
	}
}
