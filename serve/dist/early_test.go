package main

import (
	"os"
	"testing"

	"github.com/dop251/goja"
)

// TestScriptsMissing checks that the page does not load for ever if one of its scripts does not
// arrive. Other errors must not look like that.
func TestScriptsMissing(t *testing.T) {
	source, err := os.ReadFile("../../assets/shell/early.js")
	if err != nil {
		t.Fatal(err)
	}
	const page = `
const elements = { blocked: { textContent: "", hidden: true }, loading: { hidden: false } };
const document = { documentElement: { dataset: {} }, hidden: true, getElementById: (id) => elements[id] };
const location = { hash: "", search: "", protocol: "https:" };
const localStorage = { getItem: () => null };
const URLSearchParams = function () { this.get = () => null; };
let fail;
const addEventListener = (type, listen, capture) => (fail = type === "error" && capture && listen);
`
	for _, tc := range []struct{ name, target, want string }{
		{"a script", `{ type: "module" }`, "The lab could not be loaded: is there a connection? Reload the page to try again. true"},
		{"a picture", `{ type: undefined }`, " false"},
	} {
		vm := goja.New()
		if _, err := vm.RunString(page + string(source)); err != nil {
			t.Fatal(err)
		}
		got, err := vm.RunString("fail({ target: " + tc.target + " }); `${elements.blocked.textContent} ${elements.loading.hidden && !elements.blocked.hidden}`")
		if err != nil || got.String() != tc.want {
			t.Errorf("%s: %v, want %q; %v", tc.name, got, tc.want, err)
		}
	}
}
