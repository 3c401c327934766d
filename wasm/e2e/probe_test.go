//go:build !js

package e2e

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"macroscope/model/wire"
)

// probe is a script for every page of a tab. It records the page's workers. In the picture's
// page, it also counts the received and the drawn frames, keeps the last frame, and passes it
// to onFrame. A frame contains the changes from the previous frame; probe decodes it like
// wire.Frame (see encode.go of package wire).
const probe = `
if (self === top) {
  const Native = Worker;
  self.workers = [];
  self.Worker = class extends Native {
    constructor(...args) {
      super(...args);
      workers.push(this);
    }
  };
} else {
  const next = (bytes, last) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const utf8 = new TextDecoder();
    let at = 4; // after the magic
    const text = (n) => utf8.decode(bytes.subarray(at, at += n));
    const name = () => text(bytes[at++]);
    const count = () => {
      for (let n = 0, shift = 1; ; shift *= 128) {
        const b = bytes[at++];
        n += (b & 127) * shift;
        if (b < 128) return n;
      }
    };
    const lab = name();
    const continues = view.getUint32(at + 4, true) > 0;
    at += 10;
    if (continues && !last) return undefined; // the canvas requests a whole one
    const before = continues ? last.rows : [];
    const rows = [];
    for (let i = 0; at < bytes.length;) {
      const op = bytes[at++];
      if (op === 1) { // the next row is dropped
        i++;
        continue;
      }
      const row = op < 4 ? { ...before[i++] } : { name: name() };
      if (op === 2 || op === 4) { // other numbers
        const had = row.numbers ?? new Float32Array();
        row.numbers = new Float32Array(count());
        row.numbers.set(had.subarray(0, row.numbers.length));
        for (let n = count(), to = 0; n > 0; n = count()) {
          to += count();
          for (const end = to + n; to < end; to++, at += 4) row.numbers[to] = view.getFloat32(at, true);
        }
      } else if (op === 3 || op === 5) {
        row.text = text(count());
      }
      rows.push(row);
    }
    return { lab, rows };
  };

  const post = MessagePort.prototype.postMessage;
  MessagePort.prototype.postMessage = function (message, ...rest) {
    if (typeof message === "number") self.drawn = message;
    return post.call(this, message, ...rest);
  };
  let known; // lastFrame, until a test forgets it
  const own = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage");
  Object.defineProperty(MessagePort.prototype, "onmessage", {
    get() { return own.get.call(this); },
    set(f) {
      self.came = self.drawn = 0;
      own.set.call(this, (event) => {
        const isFrame = event.data instanceof Uint8Array;
        if (isFrame) self.came++;
        if (isFrame) self.lastFrame = known = next(event.data, known);
        f.call(this, event);
        if (isFrame) self.onFrame?.(self.lastFrame);
      });
    },
  });
}`

// newProbed opens a lab in a tab with the probe.
func newProbed(t testing.TB, browser context.Context, lab, url string, width, height int64, scale float64) *tab {
	t.Helper()
	p := newTab(t, browser, width, height, scale)
	p.addScript(probe)
	p.visit(t, lab, url)
	return p
}

// visit opens a lab for a test. If the tab already shows a lab of the same address, visit
// follows a link in the page, which costs a tenth of a new page.
func (p *tab) visit(t testing.TB, lab, url string) {
	t.Helper()
	p.t = t
	p.open(url)
	p.wait("the lab "+lab, `document.documentElement.dataset.lab === "`+lab+`" && document.documentElement.dataset.panel === "`+lab+`" && document.documentElement.dataset.status && !document.getElementById("groups").disabled`)
}

// frame returns the last received frame, or nil.
func (p *tab) frame() *wire.Frame {
	p.t.Helper()
	type row struct {
		Name    string  `json:"name"`
		Numbers *string `json:"numbers"` // bytes of the numbers, in base64
		Text    string  `json:"text"`
	}
	type picture struct {
		Lab  string `json:"lab"`
		Rows []row  `json:"rows"`
	}
	seen := eval[*picture](p, `((f) => f ? {lab: f.lab, rows: f.rows.map((r) => r.numbers ? {name: r.name, numbers: new Uint8Array(r.numbers.buffer).toBase64()} : r)} : null)(document.getElementById("canvas").contentWindow.lastFrame)`)
	if seen == nil || seen.Lab != eval[string](p, `document.documentElement.dataset.lab ?? ""`) {
		return nil
	}
	f := new(wire.Frame)
	f.Begin(seen.Lab)
	for _, r := range seen.Rows {
		if r.Numbers == nil {
			f.PutText(r.Name, r.Text)
			continue
		}
		b, err := base64.StdEncoding.DecodeString(*r.Numbers)
		if err != nil {
			p.t.Fatal(err)
		}
		numbers := make([]float32, len(b)/4)
		for i := range numbers {
			numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
		f.Put(r.Name, numbers...)
	}
	return f
}

// waitFrame waits for a frame for which `ok` returns true, and returns this frame.
func (p *tab) waitFrame(what string, ok func(f *wire.Frame) bool) *wire.Frame {
	p.t.Helper()
	return p.waitFrameFor(patience, what, ok)
}

func (p *tab) waitFrameFor(d time.Duration, what string, ok func(f *wire.Frame) bool) *wire.Frame {
	p.t.Helper()
	var f *wire.Frame
	for until := time.Now().Add(d); time.Now().Before(until); {
		came := eval[int](p, cameFrames)
		if f = p.frame(); f != nil && ok(f) {
			return f
		}
		p.anotherFrame(came)
	}
	if f == nil {
		p.t.Fatalf("waited in vain for %s; there is no frame\n%s", what, p.report())
	}
	p.t.Fatalf("waited in vain for %s; the last frame has now %g, known %g, horizon %g\n%s",
		what, f.Number("now"), f.Number("known"), f.Number("horizon"), p.report())
	return nil
}

// cameFrames is the number of frames that the picture has received.
const cameFrames = `(document.getElementById("canvas")?.contentWindow?.came ?? -1)`

// anotherFrame waits until the number of frames received is no longer `came`. It waits at most one
// second, because the caller may also be waiting for a change of the page.
func (p *tab) anotherFrame(came int) {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](within(time.Second, fmt.Sprintf("%s !== %d", cameFrames, came)), chromedp.EvalAwaitPromise)); err != nil {
		time.Sleep(50 * time.Millisecond) // a reload has interrupted the evaluation
	}
}

// The function `made` reports whether a frame has all results of the lab's shipped model.
func made(f *wire.Frame) bool {
	switch {
	case len(f.Numbers("pA")) > 0:
		return predicted(f)
	case len(f.Numbers("extension")) > 0:
		return unfolding(f)
	case len(f.Numbers("energy")) > 0:
		return drawn(f)
	}
	return density(f) && len(f.Numbers("z")) > 0
}

// A lab's link names a frame. Everyone who opens the link gets this frame. A call of `standing`
// waits until the lab has all results at this frame and has stopped there. It waits for the stop
// because earlier frames may also have all results.
func (p *tab) standing(at int) *wire.Frame {
	p.t.Helper()
	return p.waitFrame(fmt.Sprintf("a run that stands at frame %d", at), func(f *wire.Frame) bool {
		return f.Number("now") == float64(at) && !f.On("playing") && made(f)
	})
}

func density(f *wire.Frame) bool { return len(f.Numbers("p"))+len(f.Numbers("pA")) > 0 }

func last(v []float32) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	return float64(v[len(v)-1])
}
