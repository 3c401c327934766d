package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// tooNew matches what the oldest promised browsers lack: Chrome and Edge 103, Firefox 114 and Safari 16.4
// (assets/guide/programs.md). A style that an old browser may leave out, such as text-wrap, is not listed.
var tooNew = map[string]*regexp.Regexp{
	".css": regexp.MustCompile(`light-dark\(|color-mix\(|:has\(|oklch\(|oklab\(|\blch\(|\bround\(|@container|@starting-style|@scope|@property|` +
		`subgrid|:dir\(|:user-(?:in)?valid|\b[\d.]+cq[wh]|rgb\(from |\((?:width|height) ?[<>]|(?:^|[;{\s])(?:translate|rotate|scale): |field-sizing|anchor\(|animation-timeline|(?m:^\s*&)`),
	".js": regexp.MustCompile(`\.to(?:Reversed|Sorted|Spliced)\(|(?:Map|Object)\.groupBy|Array\.fromAsync|Promise\.(?:withResolvers|try)\(|AbortSignal\.any\(|URL\.canParse|\b(?:query|params|searchParams)\.size\b|` +
		`\.checkVisibility\(|\.showPopover\(|\.togglePopover\(|\.isSubsetOf\(|\.symmetricDifference\(|requestIdleCallback|scrollend|Intl\.(?:Segmenter|DurationFormat)|Uint8Array\.from(?:Base64|Hex)|\.(?:values|keys|entries)\(\)\.(?:map|filter|toArray|some|every|find)\(|` +
		`RegExp\.escape|\.moveBefore\(|startViewTransition|navigator\.userActivation|Math\.sumPrecise|\(\?[ims-]+:|with \{ type`),
}

// dynamicHeight matches a length that browsers before 2022 lack, and what a line has before it.
var dynamicHeight = regexp.MustCompile(`(\S+): [\d.]+[ds]v[hw]\b`)

// TestOldestBrowsers checks that the page uses nothing that the oldest promised browsers lack. `make
// oldest` opens the lab in one of them.
func TestOldestBrowsers(t *testing.T) {
	t.Parallel()
	b, err := collect("../../assets")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for name, body := range b {
		lacks := tooNew[filepath.Ext(name)]
		if lacks == nil {
			continue
		}
		seen++
		for n, line := range strings.Split(string(body), "\n") {
			if code, _, _ := strings.Cut(line, "// "); lacks.MatchString(code) {
				t.Errorf("%s:%d: the oldest promised browsers lack %q", name, n+1, lacks.FindString(code))
			}
			if m := dynamicHeight.FindStringSubmatch(line); filepath.Ext(name) == ".css" && m != nil && !regexp.MustCompile(regexp.QuoteMeta(m[1])+`: [\d.]+v[hw]\b`).MatchString(line) {
				t.Errorf("%s:%d: %s needs a length in vh or vw before it, on the same line", name, n+1, m[0])
			}
		}
	}
	if seen < 40 {
		t.Errorf("only %d scripts and styles were checked", seen)
	}
	early, err := os.ReadFile("../../assets/shell/early.js")
	if err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`\?\?|\?\.|catch \{|globalThis|replaceAll|\.\.\.`).Find(early); found != nil {
		t.Errorf("early.js must run in browsers that are too old, but it has %q", found)
	}
}
