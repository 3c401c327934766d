package main

import (
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// TestNumbersInText checks how the page typesets numbers in a sentence, and that it leaves quoted
// names unchanged.
func TestNumbersInText(t *testing.T) {
	b, err := collect("../../assets")
	if err != nil {
		t.Fatal(err)
	}
	vm := goja.New()
	const intl = "const Intl = {NumberFormat: class {}};" // goja has no Intl
	if _, err := vm.RunString(intl + strings.ReplaceAll(string(b["shell/format.js"]), "export ", "")); err != nil {
		t.Fatal(err)
	}
	typeset, ok := goja.AssertFunction(vm.Get("typeset"))
	if !ok {
		t.Fatal("no function typeset")
	}
	for text, want := range map[string]string{
		"MRE 2.8e-05":              "MRE 2.8×10⁻⁵",
		"x from -1 to 1":           "x from −1 to 1",
		"(90 % band 25.8 to 40)":   "(90\u00a0% band 25.8 to 40)",
		`-1 of "a -1 \" 2e-05" -1`: `−1 of "a -1 \" 2e-05" −1`,
	} {
		if got, err := typeset(goja.Undefined(), vm.ToValue(text)); err != nil || got.String() != want {
			t.Errorf("%q becomes %q, want %q (error %v)", text, got, want, err)
		}
	}
}

// TestNamesInText checks that formatting marks and symbols have no effect in quoted names.
func TestNamesInText(t *testing.T) {
	b, err := collect("../../assets")
	if err != nil {
		t.Fatal(err)
	}
	vm := goja.New()
	const page = "const Intl = {NumberFormat: class {}}; const make = (tag, _, ...inner) => `<${tag}>${inner.join('')}</${tag}>`;"
	_, script, _ := strings.Cut(string(b["shell/rich.js"]), "from \"./format.js\";")
	if _, err := vm.RunString(page + strings.ReplaceAll(string(b["shell/format.js"])+script, "export ", "")); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`Read **two** from "run_1 **x** [α|target]", ε`: `Read <b>two</b> from "run_1 **x** [α|target]", <i>ε</i>`,
		`q_X of "a\"β" and "`:                           `<i>q<sub>X</sub></i> of "a\"β" and "`,
	} {
		_ = vm.Set("text", text)
		if got, err := vm.RunString("rich(text).join('')"); err != nil || got.String() != want {
			t.Errorf("%q becomes %v, want %q (error %v)", text, got, want, err)
		}
	}
}
