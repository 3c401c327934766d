//go:build !js

package engines

import "testing"

// TestLabs opens all labs and checks that their pictures change. It shuffles the particles in all
// labs but the demo. It trains a step in all labs but the polymer lab. After a reload, the training
// must continue. No lab may offer a newer version of itself.
func TestLabs(t *testing.T) {
	each(t, func(t *testing.T, e engine) {
		p := e.tab(t, true)
		url := serve(t)
		for _, lab := range []string{"demo", "particles", "mixing", "polymer"} {
			p.visit(url + "#lab=" + lab)
			p.wait("the lab "+lab, `document.documentElement.dataset.lab === "`+lab+`" && `+status+` && `+live)
			if lab == "demo" {
				p.wait("the shipped model", status+` === "done"`)
			} else {
				p.wait("a run that plays", `document.documentElement.dataset.playing === "true"`)
				p.wait("a figure of the model's", `/\d/.test(document.getElementById("f-kl").textContent)`)
			}
			before := p.picture(lab)
			for p.picture(lab) == before { // the time limit of the test ends this loop
				p.wait("the picture", "true")
			}
			if lab != "demo" {
				p.click("shuffle")
				p.wait("a shuffle", `/\d/.test(document.getElementById("f-dz").textContent)`)
			}
			p.wait("the copy for work without the server", `document.documentElement.dataset.offline === "ready"`)
			if p.text(`document.body.innerText.includes("newer version")`) == "true" {
				t.Errorf("%s: the lab offers a newer version, but there is only one", lab)
			}
			if lab == "particles" {
				p.choose("size", "quick")
			}
			if lab == "polymer" {
				continue // its training simulates for minutes before the first step
			}
			p.trainsAStep()
			p.picture(lab + "-trains")
			p.visit("")
			p.wait("the lab "+lab+" again", `document.documentElement.dataset.lab === "`+lab+`" && `+status+` && `+live)
			p.wait("the training to go on", status+` === "training" && `+steps+` >= 1`)
			p.click("train")
			p.wait("a stop", status+` === "paused"`)
		}
	})
}

// TestWithoutWebGL opens the lab without WebGL. The lab reports this and still trains.
func TestWithoutWebGL(t *testing.T) {
	each(t, func(t *testing.T, e engine) {
		p := e.tab(t, false)
		p.visit(serve(t))
		p.wait("a sentence", `!document.getElementById("blocked").hidden && document.getElementById("blocked").textContent.includes("WebGL 2")`)
		p.wait("the session", status+` === "done" && !document.getElementById("groups").disabled`)
		p.click("reset")
		p.wait("untrained weights", status+` === "paused"`)
		p.trainsAStep()
		p.picture("without-webgl")
	})
}

// TestShell opens what the style and the scripts of the page make visible: the simple view with its six
// controls, colours in both themes, the dialog for lectures and the tour.
func TestShell(t *testing.T) {
	each(t, func(t *testing.T, e engine) {
		p := e.tab(t, true)
		p.visit(serve(t) + "?view=simple#lab=particles")
		p.wait("the lab", status+` && `+live)
		const shown = `[...document.querySelectorAll("#groups [data-control]")].filter((e) => e.offsetHeight > 0).map((e) => e.dataset.control).sort().join()`
		if got, want := p.text(shown), "another,eps,shuffle,zdim"; got != want {
			t.Errorf("the simple view shows %s, want %s", got, want)
		}
		p.picture("simple")
		p.do(`document.getElementById("everything").click()`)
		for _, theme := range []string{"light", "dark"} {
			p.do(`document.documentElement.dataset.theme = "` + theme + `"`)
			want := map[string]string{"light": "rgb(253, 253, 251)", "dark": "rgb(20, 20, 23)"}[theme]
			if got := p.text(`getComputedStyle(document.body).backgroundColor`); got != want {
				t.Errorf("the %s page is %s, want %s", theme, got, want)
			}
			if p.text(`getComputedStyle(document.getElementById("theme")).borderTopStyle`) != "solid" {
				t.Error("a button has no edge")
			}
			p.picture(theme)
		}
		p.do(`document.getElementById("share").click()`)
		const lecture = `[...document.querySelectorAll("#notices button")].find((e) => e.textContent === "For a lecture…")`
		p.wait("the offer of a link for a lecture", lecture)
		p.do(lecture + ".click()")
		p.wait("the dialog", `document.getElementById("ask").open && document.getElementById("lecture-short").value`)
		p.picture("lecture")
		p.do(`document.getElementById("ask").close()`)
		p.do(`document.getElementById("tour-button").click()`)
		p.wait("the tour", `document.querySelector("#tour .primary") && document.querySelector(".lit")`)
		p.picture("tour")
	})
}
