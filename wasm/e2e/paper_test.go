//go:build !js

package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// tables is a script that replaces the tables of `macroscope reproduce` by incomplete ones.
const tables = `
const native = fetch;
self.fetch = async (what, ...more) => {
  const name = String(what.url ?? what).split("/paper/laptop/")[1];
  const files = {
    "table-1.csv": "row,column,figure,published,mean,sd,trainings,values\nAE-Aug (published),in-dst,,1.25e-3,,,0,\n\"paper, DeepSet (published)\",in-dst,,5.19e-5,,,0,\ndeep set and flow,in-dst,mre,,9.79e-6,1.2e-6,3,1 2 3\ndeep set and flow,in-dst,median,,7e-6,0,3,1 2 3\ndeep set and flow,in-dst,max,,2e-4,0,3,1 2 3\nAE-Aug,in-dst,mre,,2.5e-3,0,1,2.5e-3\nflow matching,in-dst,mre,,,,0,\n",
    "line.csv": "row,column,figure,published,mean,sd,trainings,values\n\"ε = 0.03, ẑ dim = 4\",KL,kl,,0.0689,0.0012,3,1 2 3\n",
    "sensitivity-zdim.csv": "row,column,figure,published,mean,sd,trainings,values\nẑ dim = 4,in-dst (published),,7.2e-4,,,0,\nẑ dim = 4,in-dst,mre,,1e-4,0,1,1e-4\n",
    "records.jsonl": '{"name":"table 1 seed 1","commands":["macroscope train -seed 1"]}',
  };
  if (!name || name === "index.json" || name.endsWith(".png") || name === "polymer.csv") return native(what, ...more);
  return new Response(files[name] ?? "", { status: files[name] ? 200 : 404 });
};`

// TestPaper opens the paper's tables. They show published values next to our values, and mark our
// values that are worse. A button opens the lab with the settings of a row.
func TestPaper(t *testing.T) {
	t.Parallel()
	browser := newBrowser(t)
	s := serve(t, distDir)
	p := newTab(t, browser, 1280, 800, 1)
	p.addScript(tables)
	p.open(s.url + "#lab=demo&drift=off")
	p.wait("the lab", `!document.getElementById("groups").disabled`)
	p.click("help")
	p.click("paper")
	p.wait("the tables", `document.getElementById("ask").open && document.querySelectorAll("#ask table").length === 4`)
	p.wait("what they say", `(() => {
		const text = document.getElementById("ask").textContent;
		return text.includes("ours 9.79×10⁻⁶ ± 1×10⁻⁶") && text.includes("0.19 × the paper’s") && !text.includes("paper, DeepSet") && text.includes("2.0 × the paper’s, falls short") && text.includes("not run yet") && text.includes("ours n/a") && text.includes("ours are worse in 1") &&
			text.includes("has not been published") && text.includes("What was run: 1") &&
			text.includes("“AE-InvE-CD” before “InvE”") && text.includes("equal within the spread of seeds if") && text.includes("reproduce -preset laptop -seeds 3");
	})()`)
	// The table contains a row of the paper that was not run, and says so.
	p.wait("what was not run", `(() => {
		const row = [...document.querySelectorAll('#ask [aria-label^="Interacting"] tbody tr')].find((e) => e.firstChild.textContent === "AE-InvE-CD");
		return row?.textContent.includes("6.14×10⁻⁵") && row.textContent.includes("not run yet") && row.textContent.includes("none");
	})()`)
	eval[bool](p, `document.querySelector('#ask [aria-label^="Polymers"]').scrollIntoView(), true`)
	p.wait("the chains", `(() => {
		const text = document.querySelector('#ask [aria-label^="Polymers"]').textContent;
		return text.includes("+1.2 ± 0.4 %") && text.includes("0.072 ± 0.012") && text.includes("−51.0 ± 0.4 %");
	})()`)
	if n := eval[int](p, `[...document.querySelectorAll("#ask img")].filter((e) => e.alt.length > 20 && e.loading === "lazy").length`); n < 7 {
		t.Errorf("%d figures, want 7", n)
	}
	if over := eval[int](p, `((e) => e.scrollWidth - e.clientWidth)(document.querySelector('#ask [aria-label^="Polymers"]'))`); over > 0 {
		t.Errorf("the chains' table is %d px too wide", over)
	}
	p.shot("paper-polymer-1280")
	eval[bool](p, `[...document.querySelectorAll("#ask img")].at(-1).scrollIntoView(), true`)
	p.wait("the last figure", `((e) => e.complete && e.naturalWidth > 100)([...document.querySelectorAll("#ask img")].at(-1))`)
	p.accessibleInThemes(axe(t), "paper")
	for _, screen := range [...][2]int64{{360, 740}, {820, 1180}, {1920, 1080}, {1280, 800}} {
		p.do(chromedp.EmulateViewport(screen[0], screen[1]))
		p.settled()
		p.narrow(screen[0])
		p.shot("paper-" + itoa(int(screen[0])))
	}
	// In print, the tables are alone, complete, and as wide as the page.
	p.do(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}), chromedp.EmulateViewport(718, 1000))
	if printed := eval[string](p, `JSON.stringify({
		alone: [...document.body.children].every((e) => e.id === "ask" || !e.checkVisibility()),
		whole: ((e) => e.clientHeight > 2000 && e.clientHeight === e.scrollHeight && document.documentElement.scrollHeight >= e.clientHeight)(document.getElementById("ask")),
		wide: [...document.querySelectorAll("#ask .wide")].every((e) => e.scrollWidth <= e.clientWidth),
	})`); printed != `{"alone":true,"whole":true,"wide":true}` {
		t.Errorf("on paper: %s", printed)
	}
	p.do(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{}), chromedp.EmulateViewport(1280, 800))
	eval[bool](p, `(document.querySelector('#ask [aria-label="Open the lab with AE-Aug"]').click(), true)`)
	p.wait("the lab in that state", `!document.getElementById("ask").open && document.documentElement.dataset.lab === "particles" && document.getElementById("c-method").value === "ae-aug"`)
	p.click("help")
	p.click("paper")
	p.wait("the tables again", `document.getElementById("ask").open && document.querySelectorAll("#ask table").length === 4`)
	eval[bool](p, `(document.querySelector('#ask [aria-label="Open the lab with ε = 0.03, ẑ dim = 4"]').click(), true)`)
	p.wait("that state", `document.documentElement.dataset.lab === "demo" && document.getElementById("c-eps").value === "0.03" && document.getElementById("c-zdim").value === "4"`)
	for row, state := range map[string]string{
		"deep set and flow with memory, from video": `document.getElementById("c-film").value === "flow-memory"`,
		"CNN, from labelled beads":                  `document.getElementById("c-film").value === "none" && !document.querySelector("#notices [role=alert]").textContent`,
	} {
		p.click("help")
		p.click("paper")
		p.wait("the tables again", `document.getElementById("ask").open && document.querySelectorAll("#ask table").length === 4`)
		eval[bool](p, `(document.querySelector('#ask [aria-label="Open the lab with `+row+`"]').click(), true)`)
		p.wait("the chains of "+row, `document.documentElement.dataset.panel === "polymer" && document.getElementById("c-start").value === "hairpin" && document.getElementById("c-beside").value === "second" && `+state)
	}
}
