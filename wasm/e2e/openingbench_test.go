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

// wire10 is a line of 10 Mbit/s that all connections to a server share.
type wire10 struct {
	net.Listener
	mu   sync.Mutex
	free time.Time // when all that was sent so far has passed
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

// BenchmarkOpening measures how long the labs take over a line of 10 Mbit/s, from
// a fresh profile, until something is painted and until the picture plays. It
// needs the bundle of make dist.
func BenchmarkOpening(b *testing.B) {
	handler, err := httpd.New(benchDist())
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
	for range b.N {
		for _, lab := range []string{"demo", "particles", "mixing"} {
			p := newTab(b, newBrowser(b), 1280, 800, 1)
			p.addScript(`if (self === top) {
				const wait = () => {
					const view = document.getElementById("view");
					if (view?.classList.contains("live")) self.playsAt = performance.now(); else setTimeout(wait, 10);
				};
				wait();
			}`)
			p.do(chromedp.Navigate("http://" + ln.Addr().String() + "/#lab=" + lab))
			p.wait("the picture", `self.playsAt && performance.getEntriesByName("first-contentful-paint").length`)
			b.ReportMetric(eval[float64](p, `performance.getEntriesByName("first-contentful-paint")[0].startTime / 1000`), "s-painted-"+lab)
			b.ReportMetric(eval[float64](p, `playsAt / 1000`), "s-playing-"+lab)
			p.quiet()
		}
	}
}
