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
		p.wait("untrained weights", status+` === "idle"`)
		p.trainsAStep()
		p.picture("without-webgl")
	})
}
