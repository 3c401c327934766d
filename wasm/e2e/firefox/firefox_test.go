//go:build !js

package firefox

import (
	"net"
	"net/http"
	"testing"

	"macroscope/serve/httpd"
)

// serve serves the lab until the test ends.
func serve(t *testing.T) (url string) {
	t.Helper()
	handler, err := httpd.New("../../../dist", nil)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: handler}
	go func() { _ = srv.Serve(ln) }()
	t.Cleanup(func() { _ = srv.Close() })
	return "http://" + ln.Addr().String() + "/"
}

const (
	live = `document.getElementById("view").classList.contains("live") && !document.getElementById("groups").disabled`
	// status and steps are expressions for the status of the training and its number of steps.
	// The page of the particles gives this number only in a sentence.
	status = `document.documentElement.dataset.status`
	steps  = `(parseInt(document.getElementById("f-step")?.textContent.replace(/[^0-9\/]/g, "")) || parseInt(document.getElementById("task").textContent.match(/step (\d+)/)?.[1]) || 0)`
)

func (p *tab) click(id string) {
	p.t.Helper()
	p.do(`document.getElementById("c-` + id + `").click()`)
}

func (p *tab) choose(id, value string) {
	p.t.Helper()
	p.do(`const e = document.getElementById("c-` + id + `"); if (e.tagName === "SELECT") { e.value = "` + value + `"; e.dispatchEvent(new Event("change", { bubbles: true })); } else document.querySelector('#c-` + id + ` [value="` + value + `"]').click();`)
}

// trainsAStep trains from the lab's state until one step is done and saved.
func (p *tab) trainsAStep() {
	p.t.Helper()
	p.click("train")
	p.wait("training", status+` === "training"`)
	p.wait("a step", steps+` >= 1`)
	p.do(`delete document.documentElement.dataset.saved;`)
	p.wait("a save of that", `document.documentElement.dataset.saved`)
}

// TestLabs opens three labs. In each it plays, shuffles if the lab can, and trains a step. After a
// reload, the lab must still have this training.
func TestLabs(t *testing.T) {
	p := open(t)
	url := serve(t)
	for _, lab := range []string{"demo", "particles", "mixing"} {
		p.navigate("about:blank") // an open lab would follow the address instead of reloading
		p.navigate(url + "#lab=" + lab)
		p.wait("the lab "+lab, `document.documentElement.dataset.lab === "`+lab+`" && `+status+` && `+live)
		if lab == "demo" {
			p.wait("the shipped model", status+` === "done"`)
		} else {
			p.wait("a run that plays", `document.documentElement.dataset.playing === "true"`)
			p.wait("a figure of the model's", `/\d/.test(document.getElementById("f-kl").textContent)`)
		}
		before := p.shot(lab)
		for p.shot(lab) == before { // if the picture never changes, the time limit of the test ends this loop
			p.wait("the picture", "true")
		}
		if lab != "demo" {
			p.click("shuffle")
			p.wait("a shuffle", `/\d/.test(document.getElementById("f-dz").textContent)`)
		}
		if lab == "particles" {
			p.choose("size", "quick")
		}
		p.trainsAStep()
		p.shot(lab + "-trains")
		p.reload()
		p.wait("the lab "+lab+" again", `document.documentElement.dataset.lab === "`+lab+`" && `+status+` && `+live)
		p.wait("the training to go on", status+` === "training" && `+steps+` >= 1`)
		p.click("train")
		p.wait("a stop", status+` === "paused"`)
	}
}

// TestWithoutWebGL opens the lab without WebGL. The lab reports this and still trains.
func TestWithoutWebGL(t *testing.T) {
	p := open(t, `"webgl.disabled", true`)
	p.navigate(serve(t))
	p.wait("a sentence", `!document.getElementById("blocked").hidden && document.getElementById("blocked").textContent.includes("WebGL 2")`)
	p.wait("the session", status+` === "done" && !document.getElementById("groups").disabled`)
	p.click("reset")
	p.wait("untrained weights", status+` === "idle"`)
	p.trainsAStep()
	p.shot("without-webgl")
}
