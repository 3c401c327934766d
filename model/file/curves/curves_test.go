package curves_test

import (
	"testing"

	"macroscope/model/file/curves"
)

// TestNoFormulas checks that no text becomes a formula of a spreadsheet, and that numbers stay numbers.
func TestNoFormulas(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "energy": "energy", "-1": "-1", "+0.5": "+0.5", "-1.5e-3 nats": "-1.5e-3 nats", "-12 %": "-12 %", "-0.1 -0.2": "-0.1 -0.2", "-0.1 ± 0.2": "-0.1 ± 0.2",
		"=1+1": "'=1+1", "=cmd|'/c calc'!A0": "'=cmd|'/c calc'!A0", "+1+1": "'+1+1", "-1+1": "'-1+1", "-2 +cmd|x": "'-2 +cmd|x", "-1 (x)": "'-1 (x)",
		"@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1", "\n=1": "'\n=1", "-1\t=1": "'-1\t=1", "＝1+1": "'＝1+1", "-": "'-", "+x": "'+x",
	} {
		if got := curves.Text(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	if got := curves.Row("=a", "say \"x\", y", "-1"); got != "\"'=a\",\"say \"\"x\"\", y\",\"-1\"\n" {
		t.Errorf("a row is %s", got)
	}
	for name, want := range map[string]string{"": "", "heights 1": "heights_1", "=1+1": "_1+1", "@x": "_x", "-a,b": "_a_b", "\tx": "_x", "＝x": "_x"} {
		if got := curves.Column(name); got != want {
			t.Errorf("the column %q is %q, want %q", name, got, want)
		}
	}
}
