package main

import (
	"fmt"
	"testing"
)

// TestPastVersion checks that a page is notified when it would load files of another version: another
// tab has switched to it, or the copy has another version than the page. The page must not be
// notified of the first service worker, or of a service worker that the page itself has
// requested.
func TestPastVersion(t *testing.T) {
	const page = `
let said = [], changed, offered;
const location = { reload: () => said.push("reloads") };
const waiting = { postMessage: (text) => said.push(text) };
const caches = { keys: async () => copies.map((version) => "macroscope-/lab/-" + version) };
const navigator = { serviceWorker: {
	controller: controller, ready: Promise.resolve(), addEventListener: (_, listen) => (changed = listen),
	register: async () => ({ scope: "https://school.example/lab/", waiting: controller ? waiting : null, addEventListener() {} }),
} };
// changes gives the page another worker, or none.
const changes = (to = true) => {
	navigator.serviceWorker.controller = to;
	changed();
};
startOffline({ version: "1", onready() {}, onupdate: (apply) => (offered = apply), onpast: () => said.push("past") });
`
	var tests []nodeTest
	for _, tc := range []struct {
		name       string
		controlled bool
		copies     string // versions of the copies that the browser has
		does, want string
	}{
		{"the first worker", false, `["1"]`, "changes()", ""},
		{"the first worker, with a newer version than the page", false, `["2"]`, "changes()", "past"},
		{"the first worker and another tab's", false, `["1"]`, "changes(); changes()", "past"},
		{"another tab's", true, `["1", "2"]`, "changes()", "past"},
		{"none, because the browser has deleted it", true, `["1"]`, "changes(null)", ""},
		{"its own", true, `["1"]`, "offered(); changes()", "take over,reloads"},
		{"one without a copy", true, `[]`, "", ""},
		{"one with the copy of another version", true, `["2"]`, "", "past"},
		{"a waiting one", true, `["1", "2"]`, "", ""},
	} {
		tests = append(tests, nodeTest{tc.name, fmt.Sprintf("const controller = %v; const copies = %s;", tc.controlled, tc.copies) + module(t, "shell/offline.js") + page + settled + tc.does + settled + `return said.join(",");`, tc.want})
	}
	checkInNode(t, tests)
}
