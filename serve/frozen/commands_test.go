//go:build amd64

package frozen

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"macroscope/model/wire"
)

// crossings are scripts in the same format as TestSessions' scripts. Their commands affect several
// parts of a session at once:
//
//   - models that are kept, deleted, restored and compared
//   - trainings that pause at a chosen loss, continue and are reopened
//   - sweeps, the latent portrait and bundles
//   - questions that the user answers with no
//   - files that arrive before the session wants them
//
// One command exists only here:
//
//	bundle            saves the session as a bundle, which a new session of the lab opens
var crossings = map[string][]string{
	"demo": {
		"fetch", "set name first", "press keep", "set untilof loss", "set untilat 900", "press until", "pieces 2", "press keep", "press step", "set eps 0.3", "fetch", "pieces 2",
		"pause - -", "press undo", "set zdim 3", "set runA first", "set runB shipped", "set dropRun first", "set runA shipped", "fetch", "set dropRun first", "press undo",
		"set method ae-aug", "fetch", "press train", "pieces 2", "set n 50", "set seed 4", "press train", "pieces 2", "set seed 1", "pause - -", "bundle", "press shuffle", "fetch", "press cancel",
		"set sweepsteps 2", "set sweepzdim 2", "set sweepeps 0.1", "press sweeprun", "pieces 6", "set sweeppoint 0", "press sweeprun", "press undo", "bundle",
	},
	"particles": {
		"link - v=1&lab=particles&n=40&steps=40&seed=3", "turns 4", "fetch", "settle", "set portrait on", "fetch", "turns 3", "hold - 0.1 0.2", "press release", "set axisx z2", "settle",
		"set method ae-inve", "fetch", "settle", "set runB shipped", "fetch", "turns 4", "set runB -", "set method flow", "set eps 0.1", "fetch", "press shipped", "set params a,b", "fetch", "turns 4",
		"set force -2*x", "press undo", "set preset ring", "turns 3", "press undo", "set size quick", "set tseed 5", "press train", "pieces 60", "set runA shipped", "press train", "pieces 4",
		"set zdim 3", "set zdim 8", "set name kept", "press keep", "set dropRun kept", "press undo", "press step", "bundle", "turns 10", "drag - 1 0.2 0.2", "turns 3", "press restart", "press undo", "settle",
		"drop own.csv 0,1,2", "drop own.npz {particles}", "settle", "set trajectory 2", "set trajectory 99", "reload", "settle", "press cancel", "press simulate", "settle",
	},
	"mixing": {
		"link - v=1&lab=mixing&height=12&frames=12&members=39&seed=2", "turns 4", "fetch", "settle", "set portrait on", "fetch", "turns 3", "hold - 0.2 0.1", "turns 3", "press release",
		"set method ae-aug", "fetch", "turns 5", "set runB shipped", "turns 5", "set runA shipped", "set method flow", "set params temperature,e12", "fetch", "settle", "set params none", "press shipped", "fetch",
		"press train", "fetch", "set runto 3", "press go", "pieces 12", "set name dyn", "press keep", "set law separate", "press train", "pieces 4", "set law joint", "press train", "pieces 4", "pause - -",
		"bundle", "fetch", "fetch", "pieces 4", "set runA dyn", "press train", "pieces 4", "pause - -", "boundary - 8", "turns 3", "press play", "turns 3", "settle",
	},
	"polymer": {
		"link - v=1&lab=polymer&n=20&frames=30&members=39&seed=2", "turns 4", "fetch", "settle", "set beside second", "fetch", "turns 3", "set film flow", "fetch", "fetch", "turns 6", "set portrait on", "fetch", "settle",
		"hold - 0.2 0.1", "press release", "seek - 5", "settle", "set force banana", "set preset strand", "turns 3", "press keep", "set runA run 1", "set runB shipped", "settle", "set dropRun run 1", "press train", "pieces 3",
		"press train", "set from model", "set tseed 3", "press train", "pieces 2", "press simulate", "bundle", "fetch", "settle", "press nothing", "set nothing 3", "nothing - -",
	},
}

// TestCommands carries out the scripts in `crossings`. After every line, it compares the session
// with a golden file. This golden file contains only digests of the session's texts. The golden
// files of TestSessions contain the full texts of other scripts.
func TestCommands(t *testing.T) {
	t.Parallel()
	files := dropped(t)
	for _, lab := range slices.Sorted(maps.Keys(crossings)) {
		t.Run(lab, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := newActor(t, lab, files)
				var out strings.Builder
				for _, line := range crossings[lab] {
					a.state.text.Reset()
					a.words.text.Reset()
					a.frames.text.Reset()
					a.pictures.Reset()
					a.cross(line)
					fmt.Fprintf(&out, "%s\n ", line)
					for _, text := range []string{a.state.text.String(), a.words.text.String(), a.frames.text.String(), a.pictures.String()} {
						out.WriteString(" " + short([]byte(text))[:8])
					}
					out.WriteByte('\n')
				}
				golden(t, lab+".commands.txt", out.String())
			})
		})
	}
}

// The method `cross` carries out one line of a script in `crossings`.
func (a *actor) cross(line string) {
	var notices []*wire.Notice
	switch line {
	case "bundle":
		name, b, err := a.session.Save(wire.Bundle)
		if err != nil {
			a.t.Fatal(err)
		}
		a.session = open(a.t, a.lab)
		notices = append(notices, a.session.Apply(wire.Command{Kind: wire.File, Name: name, Data: b}))
		for range 200 { // until the session has read its data
			if a.session.State().Ask.Accept != "" {
				break
			}
			time.Sleep(20 * time.Millisecond)
			a.session.Work(10 * time.Millisecond)
		}
		notices = append(notices, a.session.Apply(wire.Command{Kind: wire.Press, Name: wire.Accept}))
	default:
		a.do(line)
		return
	}
	a.note(line, notices)
}
