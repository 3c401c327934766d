package main

import (
	"os"
	"strings"
	"testing"
)

// TestLifeline checks that the owner of a worker gets an error event when the worker ends, also if
// the worker is a helper, and not before.
func TestLifeline(t *testing.T) {
	t.Parallel()
	const browser = `
const said = [], waiting = [];
let holds = false;
const crypto = { getRandomValues: () => [1, 2] };
const Event = function (type, { cancelable }) { this.type = type + (cancelable ? "" : " that cannot be cancelled"); };
const navigator = { locks: { request: async (name, use) => (holds ? waiting.push([name, use]) : ((holds = name), use())) } };
const listeners = [];
const worker = { addEventListener: (_, listen) => listeners.push(listen), dispatchEvent: ({ type }) => said.push(type) };
const postMessage = (data) => listeners.forEach((listen) => listen({ data }));
watchEnd(worker);
hold();
postMessage({ type: "state" });
said.push(waiting.length);
for (const [name, use] of waiting) if (name === holds) use();
return said.join();`
	checkInNode(t, []nodeTest{{"what the owner hears", module(t, "shell/lifeline.js") + browser, "1,error"}})
	worker, err := os.ReadFile("../../assets/worker.js")
	if err != nil || !strings.Contains(string(worker), "watchEnd(helper)") || !strings.Contains(string(worker), "\nhold();") {
		t.Errorf("the worker neither holds a lock, nor watches its helpers: %v", err)
	}
}
