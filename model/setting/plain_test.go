package setting_test

import (
	"testing"

	"macroscope/model/setting"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "ẑ of 3 runs\n\tε": "ẑ of 3 runs\n\tε", "\x1b]0;owned\a\x1b[2J": `\u001b]0;owned\u0007\u001b[2J`, "a\rb\x7f": `a\u000db\u007f`,
		"a\u202egpj.exe": `a\u202egpj.exe`, "\u2066x\u2069\u200f\u061c\u2028": `\u2066x\u2069\u200f\u061c\u2028`, "\xff\x9b31m\u009b": `\xff\x9b31m\u009b`,
	} {
		if got := setting.Plain(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
