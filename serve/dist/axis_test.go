package main

import (
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
)

// TestAxes checks the axes of a sweep with values that have no logarithm: a field with the
// value 0, or a KL with an estimate below 0.
func TestAxes(t *testing.T) {
	b, err := collect("../../assets")
	if err != nil {
		t.Fatal(err)
	}
	vm := goja.New()
	if _, err := vm.RunString(strings.Replace(string(b["shell/axis.js"]), "export ", "", 1)); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(time.Minute, func() { vm.Interrupt("an axis without an end") }).Stop()
	for of, want := range map[string]string{
		"[0.01, 0.1, 1], 0, 100, true":  "0.01 0.03 0.1 0.3 1; 5 95",
		"[0, 0.02, 0.2], 0, 100, true":  "0.02 0.05 0.1 0.2; 5 95",
		"[-0.001, 0.1], 100, 0, true":   "0.1 0.2; 50 50",
		"[0, -1], 0, 100, true":         "; 95 5",
		"[0, 0.02, 0.2], 0, 100, false": "; 5 95",
		"[], 0, 100, true":              "; NaN NaN",
	} {
		v, err := vm.RunString("(() => { const v = " + of[:strings.Index(of, "]")+1] + "; const { at, ticks } = axis(" + of + "); return `${ticks.join(' ')}; ${Math.round(at(v[0]))} ${Math.round(at(v.at(-1)))}`; })()")
		if err != nil {
			t.Fatal(of, err)
		}
		if v.String() != want {
			t.Errorf("axis(%s): %s, want %s", of, v, want)
		}
	}
}
