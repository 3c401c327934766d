package system_test

import (
	"fmt"
	"testing"

	"macroscope/model/system"
)

func ExampleReadPage() {
	p := system.ReadPage(`
tagline
	Particles that know
	nothing of each other.
say width
	the width of the box

group system "Box" if=wide
	Lengths are in metres.
slider width "width" "m" min=1 max=10 log
	How long {width} is.
button another "Another run" key=space if=lab
choice tool "Pointer"
option look "looks"
group hand "By hand" if=hand
button clear "Clear"
group rest "More"
button clear
`, func(condition string) bool { return condition != "hand" })
	fmt.Println(p.Tagline)
	for _, g := range p.Groups {
		fmt.Printf("%s %s %q\n", g.ID, g.Title, g.Note)
		for _, c := range g.Controls {
			fmt.Printf("  %s %s %q %q %g %g %v %q %v\n", c.Kind, c.ID, c.Label, c.Unit, c.Min, c.Max, c.Log, c.Key, c.Options)
		}
	}
	fmt.Println(p.Groups[0].Controls[0].Hint, p.Tools)
	// Output:
	// Particles that know nothing of each other.
	// system Box "Lengths are in metres."
	//   slider width "width" "m" 1 10 true "" []
	//   button another "Another run" "" 0 0 false " " []
	//   choice tool "Pointer" "" 0 0 false "" [{look looks}]
	// rest More ""
	//   button clear "Clear" "" 0 0 false "" []
	// How long the width of the box is. [{look looks}]
}

// TestReadPageRefuses checks that misspelt texts cause a panic.
func TestReadPageRefuses(t *testing.T) {
	for _, texts := range []string{
		"\ta text of nothing\n", "slyder n \"N\"\n", "group g \"G\"\nslider n \"N\" mim=1\n", "group g \"G\"\nslider n \"N\" min=low\n",
		"group g \"G\"\nslider n \"N\" logarithmic\n", "group g \"G\" min=1\n", "option a \"A\"\n", "slider n \"N\"\n",
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was read", texts)
				}
			}()
			system.ReadPage(texts, nil)
		}()
	}
}

func ExamplePage_Say() {
	p := system.ReadPage(`
say length
	The box is {width:%.1f} cm wide {contents}.
say contents
case if=balls<1
	and empty
case if=balls>=1
	and holds {balls} {balls|ball|balls} {owner}
say owner
case if=of
	of {of}
`, nil)
	type box struct {
		Width float64
		Balls int
		Of    string
	}
	fmt.Println(p.Say("length", box{12, 0, ""}))
	fmt.Println(p.Say("length", &box{3.14, 1, "mine"}))
	fmt.Println(p.Say("length", box{3, 2, ""}))
	// Output:
	// The box is 12.0 cm wide and empty.
	// The box is 3.1 cm wide and holds 1 ball of mine.
	// The box is 3.0 cm wide and holds 2 balls.
}
