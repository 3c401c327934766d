package main

import (
	"fmt"
	"testing"
)

// TestPastVersion checks that a page is notified when another tab has switched to a newer
// version, because the page would then load files of that version. The page must not be
// notified of the first service worker, or of a service worker that the page itself has
// requested.
func TestPastVersion(t *testing.T) {
	const page = `
let said = [], changed, offered;
const location = { reload: () => said.push("reloads") };
const waiting = { postMessage: (text) => said.push(text) };
const caches = { keys: async () => [] };
const navigator = { serviceWorker: {
	controller: controller, ready: Promise.resolve(), addEventListener: (_, listen) => (changed = listen),
	register: async () => ({ waiting: controller ? waiting : null, addEventListener() {} }),
} };
// changes gives the page another worker, or none.
const changes = (to = true) => {
	navigator.serviceWorker.controller = to;
	changed();
};
startOffline({ onready() {}, onupdate: (apply) => (offered = apply), onpast: () => said.push("past") });
`
	var tests []nodeTest
	for _, tc := range []struct {
		name       string
		controlled bool
		does, want string
	}{
		{"the first worker", false, "changes()", ""},
		{"the first worker and another tab's", false, "changes(); changes()", "past"},
		{"another tab's", true, "changes()", "past"},
		{"none, because the browser has deleted it", true, "changes(null)", ""},
		{"its own", true, "offered(); changes()", "take over,reloads"},
	} {
		tests = append(tests, nodeTest{tc.name, fmt.Sprintf("const controller = %v;", tc.controlled) + module(t, "shell/offline.js") + page + settled + tc.does + settled + `return said.join(",");`, tc.want})
	}
	checkInNode(t, tests)
}
