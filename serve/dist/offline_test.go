package main

import (
	"os"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// TestPastVersion checks that a page is notified when another tab has switched to a newer
// version, because the page would then load files of that version. The page must not be
// notified of the first service worker, or of a service worker that the page itself has
// requested.
func TestPastVersion(t *testing.T) {
	source, err := os.ReadFile("../../assets/shell/offline.js")
	if err != nil {
		t.Fatal(err)
	}
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
		vm := goja.New()
		_ = vm.Set("controller", tc.controlled)
		if _, err := vm.RunString(strings.ReplaceAll(string(source), "export async", "async") + page); err != nil {
			t.Fatal(err)
		}
		got, err := vm.RunString(tc.does + `; said.join(",")`)
		if err != nil || got.String() != tc.want {
			t.Errorf("%s: %v, want %q; %v", tc.name, got, tc.want, err)
		}
	}
}
