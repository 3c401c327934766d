package brush

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"macroscope/ui/plot"
)

// TestColoursOfThePage checks that the page and the picture have the same colours.
func TestColoursOfThePage(t *testing.T) {
	style, err := os.ReadFile("../../assets/style.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark := Light(), Dark()
	for name, want := range map[string][2]plot.Color{
		"target": {light.Target, dark.Target}, "learned": {light.Learned, dark.Learned}, "latent": {light.Latent, dark.Latent},
	} {
		m := regexp.MustCompile(`--` + name + `: var\(--light, #([0-9a-f]{6})\) var\(--dark, #([0-9a-f]{6})\)`).FindSubmatch(style)
		if m == nil {
			t.Errorf("style.css has no colours called %s", name)
			continue
		}
		for k, c := range want {
			if rgb, _ := strconv.ParseUint(string(m[k+1]), 16, 32); plot.RGB(uint32(rgb)) != c {
				t.Errorf("%s is #%s in style.css, and %v in the picture", name, m[k+1], c)
			}
		}
	}
}
