//go:build !js

package e2e

import (
	"testing"

	"macroscope/model/lab/catalogue"
	"macroscope/model/learn/method"
	"macroscope/model/wire"
)

// TestMethods selects every shipped method of each lab. The picture must show the decoder's output.
// In the demo, where a step takes only seconds, the button Train must also take a step. The test
// then shuffles the particles, and the headline must describe the effect.
func TestMethods(t *testing.T) {
	t.Parallel()
	s := serve(t, distDir)
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.addScript(probe)
	for name, link := range map[string]string{
		"demo": "#v=1&lab=demo&set=3", "particles": "#lab=particles&seed=4&frame=120", "mixing": "#lab=mixing&frame=20&halves=on",
		"polymer": "#v=1&lab=polymer&frame=200",
	} {
		t.Run(name, func(t *testing.T) {
			p.visit(t, name, s.url+link)
			if at, ok := map[string]int{"particles": 120, "mixing": 20, "polymer": 200}[name]; ok {
				p.standing(at) // wait for the run to stop, because a change of the frame removes the sentence on the shuffle
			}
			for _, l := range catalogue.All() {
				if l.Link() != name {
					continue
				}
				for _, method := range l.Methods() {
					if method.Name != "flow" {
						p.method(name, method)
					}
				}
			}
			p.choose("method", "flow")
			p.waitFrame("the paper's own method", func(f *wire.Frame) bool { return density(f) && len(f.Numbers("z")) > 0 })
			p.press("shuffle")
			p.wait("what the shuffle did", `/^Shuffled: .*moved by .*in their order by/.test(document.getElementById("summary").textContent)`)
			p.settled()
			p.shot("shuffled-" + name + "-1280x800")
			p.quiet()
		})
	}
}

func density(f *wire.Frame) bool { return len(f.Numbers("p"))+len(f.Numbers("pA")) > 0 }

// The helper p.method selects the method m of the paper and checks the picture. In the demo, it
// also trains a step.
func (p *tab) method(name string, m method.Method) {
	p.t.Helper()
	p.choose("method", m.Name)
	p.waitFrame("what "+m.Name+" decodes", func(f *wire.Frame) bool {
		points := len(f.Numbers("restored"))+len(f.Numbers("restoredA")) > 0
		switch kind := m.Decoder(); {
		case !kind.Restores():
			return f.On("noDensity") && !density(f) && !points && !f.On("restores")
		case !kind.Density():
			return points && !density(f)
		}
		return density(f) && !points && len(f.Numbers("z")) > 0
	})
	p.settled()
	p.shot("method-" + name + "-" + m.Name + "-1280x800")
	if name != "demo" {
		return
	}
	p.press("train")
	p.waitFrameFor(trainingPatience, "a step of "+m.Name, func(f *wire.Frame) bool { return f.Number("step") >= 1 && len(f.Numbers("loss")) > 0 })
	p.press("train") // pauses the training
}
