package reproduce

import (
	"strings"
	"testing"
)

// TestMistakesInTables checks that a wrong line is named with its number and with what is allowed.
func TestMistakesInTables(t *testing.T) {
	for line, says := range map[string]string{
		"caption x":                     "the line begins with \"caption\"; give table, and then title, measure, columns",
		"columns wide":                  "columns cannot be \"wide\": give one of passage",
		"published first":               "published cannot be \"first\": give one of rows, column",
		"row line/flow | a | b | c | d": "the row has 5 parts; give at most 4",
		"row line/flow at=x":            "\"at=x\" has no ẑ dim; give at=NUMBER",
		"row line/flow | | | huge":      "there is no size \"huge\"; give some of quick, laptop, paper",
		"row mixing/flow-tunable at=8":  "the model has no ẑ dim 8; give at=NUMBER with one of [1 2 3",
		"row square/flow":               "there is no system \"square\"; use line",
		"row line/fluid":                "there is no method \"fluid\"; use flow",
		"row line/flow@huge":            "there is no preset \"huge\"; use browser",
		"row line/flow wings=2":         "has no field \"wings\"; it has particles",
		"row line/flow eps=x":           "cannot be \"x\": give a number from",
		"sweep line/flow eps":           "give NAME=VALUE,VALUE,…",
		"sweep line/flow@huge eps=0.1":  "there is no preset \"huge\"; use browser",
	} {
		plans, err := parsePlans("# a comment\n\ntable one\n" + line + "\n")
		if err == nil {
			_, err = (&builder{size: Sizes()[0], systems: systems}).table(plans[0])
		}
		if err == nil || !strings.HasPrefix(err.Error(), "tables.txt:4: ") || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", line, err, says)
		}
	}
	if _, err := parsePlans("title x\n"); err == nil || !strings.Contains(err.Error(), "tables.txt:1: the line begins with \"title\"; give table") {
		t.Errorf("a line without a table: %v", err)
	}
}
