//go:build !js

package e2e

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"macroscope/serve/httpd"
)

// traced records when an input passes from one part of the page to the next, in milliseconds since
// 1970. The page and the worker can therefore compare their times.
const traced = `
self.clock = () => performance.timeOrigin + performance.now();
if (self === top) {
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (message, ...rest) {
    if (message.type === "command") self.sent ??= clock();
    return postMessage.call(this, message, ...rest);
  };
  // row returns the numbers of a row of a frame.
  const row = (frame, name) => String(frame?.rows.find((r) => r.name === name)?.numbers);
  const channel = new BroadcastChannel("trace");
  // heard gets the worker's records since the last call.
  const heard = () => new Promise((resolve) => {
    channel.onmessage = ({ data }) => data.turns && resolve(data);
    channel.postMessage("trace?");
  });
  // answer moves a slider, and resolves to the milliseconds that each part took until a
  // picture with a change in a row was on the screen, and the duration of the worker's turns
  // in that time.
  self.answer = async (id, share, name) => {
    await heard();
    const canvas = document.getElementById("canvas").contentWindow;
    const before = row(canvas.lastFrame, name);
    const slider = document.getElementById(id);
    slider.value = +slider.min + (slider.max - slider.min) * share;
    const at = [clock()];
    self.sent = undefined;
    const seen = new Promise((resolve) => {
      canvas.onFrame = (frame) => {
        if (row(frame, name) === before) return;
        canvas.onFrame = undefined;
        const arrived = canvas.arrived;
        canvas.nextDrawn((began, ended) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => resolve([arrived, began, ended, clock()]);
          port2.postMessage(0); // after the frame's own work
        });
      };
    });
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    const [arrived, began, ended, composed] = await seen;
    const worker = await heard();
    at.push(self.sent);
    for (const list of ["received", "applied"]) at.push(worker[list].find((t) => t >= at.at(-1)) ?? at.at(-1));
    at.push(worker.posted.findLast((t) => t <= arrived) ?? at.at(-1), arrived, began, ended, composed);
    return { at, turns: worker.turns };
  };
} else {
  const request = requestAnimationFrame.bind(self); // before the page switches frames off
  self.answers = 0; // counts drawn pictures
  let hops = 0; // counted as soon as a picture is drawn, because its answer comes later
  let waiting = [];
  self.nextDrawn = (f) => waiting.push(f);
  self.requestAnimationFrame = (callback) => request((now) => {
    const [mine, before, began] = [waiting, hops, clock()];
    waiting = [];
    callback(now);
    if (hops === before) waiting.unshift(...mine);
    else for (const f of mine) f(began, clock());
  });
  const post = MessagePort.prototype.postMessage;
  MessagePort.prototype.postMessage = function (...args) {
    if (this.frames) self.answers++;
    hops++;
    return post.apply(this, args);
  };
  const own = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage");
  Object.defineProperty(MessagePort.prototype, "onmessage", {
    get() { return own.get.call(this); },
    set(f) {
      own.set.call(this, (event) => {
        if (event.data instanceof Uint8Array) {
          this.frames = true;
          self.arrived = clock();
        }
        f.call(this, event);
      });
    },
  });
}`

// tracedWorker records the times in the worker. It runs before the worker's own script.
const tracedWorker = `
const clock = () => performance.timeOrigin + performance.now();
const none = () => ({ received: [], applied: [], posted: [], turns: [] });
let noted = none();
const channel = new BroadcastChannel("trace");
channel.onmessage = ({ data }) => {
  if (data !== "trace?" || self.helperOf) return;
  channel.postMessage(noted);
  noted = none();
};
addEventListener("message", ({ data }) => data.type === "command" && noted.received.push(clock()));
const tell = self.postMessage.bind(self);
self.postMessage = (message, ...rest) => {
  if (message.type === "state") noted.applied.push(clock());
  return tell(message, ...rest);
};
const timed = (f) => function (...args) {
  const began = clock();
  try {
    return f.apply(this, args);
  } finally {
    noted.turns.push(clock() - began);
  }
};
const post = MessagePort.prototype.postMessage;
MessagePort.prototype.postMessage = function (data, ...rest) {
  if (data instanceof Uint8Array) noted.posted.push(clock());
  return post.call(this, data, ...rest);
};
const own = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage");
Object.defineProperty(MessagePort.prototype, "onmessage", { get() { return own.get.call(this); }, set(f) { own.set.call(this, f && timed(f)); } });
const { setTimeout: later } = self;
self.setTimeout = (f, ...rest) => later(timed(f), ...rest);
`

// inputParts names the parts of the time between an input and its picture.
var inputParts = [...]string{"page", "queue", "apply", "frame", "transfer", "wait", "draw", "compose"}

// benchDist returns the folder of the measured lab. MACROSCOPE_DIST sets it for comparisons.
func benchDist() string { return getenv("MACROSCOPE_DIST", distDir) }

// serveTraced serves the lab with tracedWorker in the worker's script.
func serveTraced(b *testing.B) string {
	b.Helper()
	site, err := httpd.New(benchDist(), nil)
	if err != nil {
		b.Fatal(err)
	}
	script, err := os.ReadFile(benchDist() + "/worker.js")
	if err != nil {
		b.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/worker.js" {
			site.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write(append([]byte(tracedWorker), script...))
	})}
	go func() { _ = srv.Serve(ln) }()
	b.Cleanup(func() { _ = srv.Close() })
	return "http://" + ln.Addr().String() + "/"
}

// BenchmarkInput measures the time from a change of ε to the picture that shows it, in parts. It
// does so in the labs of the line, the particles and mixing, while they play and during training:
//
//	page      until the shell has sent the command to the worker
//	queue     until the worker reads the command
//	apply     until the command is carried out and the panel's new state sent
//	frame     until the worker has made the frame
//	transfer  until the canvas has received the frame
//	wait      until the animation frame begins
//	draw      until the program in Go has ended its part of the animation frame
//	compose   until the browser has finished the animation frame
//
// It also measures the duration of the worker's turns in this time, because the worker does not
// read messages during a turn.
//
//	go test -run '^$' -bench Input -benchtime 1x -v ./wasm/e2e
func BenchmarkInput(b *testing.B) {
	for _, lab := range []struct{ name, row string }{{"demo", "eps"}, {"particles", "widths"}, {"mixing", "widths"}} {
		for _, doing := range []string{"playing", "training"} {
			b.Run(lab.name+"/"+doing, func(b *testing.B) {
				for range b.N {
					p := newTab(b, newBrowser(b), 1280, 800, 1)
					p.addScript(traced)
					p.addScript(probe)
					p.open(serveTraced(b) + "#lab=" + lab.name)
					p.wait("the lab", `document.documentElement.dataset.lab === "`+lab.name+`" && document.getElementById("canvas").contentWindow.lastFrame?.rows.some((r) => r.name === "`+lab.row+`")`)
					if doing == "training" {
						p.click("c-train")
						p.wait("training", `document.documentElement.dataset.status === "training"`)
					}
					measureInput(b, p, lab.row)
				}
			})
		}
	}
}

func measureInput(b *testing.B, p *tab, row string) {
	const inputs = 40
	var parts [len(inputParts)][]float64
	var whole, turns []float64
	for i := range inputs {
		if eval[bool](p, `document.documentElement.dataset.playing !== "true" && Boolean(document.getElementById("c-play"))`) {
			p.click("c-play")
			p.wait("a run that plays", `document.documentElement.dataset.playing === "true"`)
		}
		share := strconv.FormatFloat(0.5+0.2*float64(i%2)+0.002*float64(i), 'g', -1, 64)
		passed := evalLater[struct {
			At    []float64 `json:"at"`
			Turns []float64 `json:"turns"`
		}](p, `answer("c-eps-slider", `+share+`, "`+row+`")`)
		for k := range parts {
			parts[k] = append(parts[k], passed.At[k+1]-passed.At[k])
		}
		whole, turns = append(whole, passed.At[len(inputParts)]-passed.At[0]), append(turns, passed.Turns...)
		time.Sleep(time.Duration(100+37*i%150) * time.Millisecond)
	}
	var table bytes.Buffer
	line := func(name string, ms []float64) {
		slices.Sort(ms)
		fmt.Fprintf(&table, "\n%-9s median %6.1f   tenth worst %6.1f   worst %6.1f ms", name, ms[len(ms)/2], ms[len(ms)-1-len(ms)/10], ms[len(ms)-1])
	}
	for k, name := range inputParts {
		line(name, parts[k])
	}
	line("in all", whole)
	line("turns", turns)
	b.Logf("load %s%s", machineLoad(), table.String())
	b.ReportMetric(whole[inputs/2], "ms-median")
	b.ReportMetric(whole[inputs-1], "ms-worst")
}

// machineLoad returns the machine's load average over the last minute.
func machineLoad() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	load, _, _ := strings.Cut(string(text), " ")
	return load
}
