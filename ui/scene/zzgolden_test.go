package scene

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"macroscope/ui/brush"
	"macroscope/ui/plot"
)

func digest(b *plot.Batch) string {
	h := fnv.New64a()
	var buf [8]byte
	put := func(v float32) {
		u := math.Float32bits(v)
		buf[0], buf[1], buf[2], buf[3] = byte(u), byte(u>>8), byte(u>>16), byte(u>>24)
		h.Write(buf[:4])
	}
	_ = put
	var sum, all uint64
	one := func(v *plot.Vertex, first *plot.Vertex) {
		w := *v
		if w.SrcY >= 0 { // the place in the atlas depends on what was drawn before
			w.SrcX, w.SrcY = v.SrcX-first.SrcX, v.SrcY-first.SrcY
		}
		v = &w
		for _, x := range [...]float32{v.DstX, v.DstY, v.SrcX, v.SrcY, v.ColorR, v.ColorG, v.ColorB, v.ColorA, v.Custom0, v.Custom1, v.Custom2, v.Custom3} {
			put(x)
		}
	}
	for i := 0; i+2 < len(b.Indices); i += 3 {
		h.Reset()
		for _, k := range b.Indices[i : i+3] {
			one(&b.Vertices[k], &b.Vertices[b.Indices[i]])
		}
		sum += h.Sum64()
		all = all*31 + h.Sum64()
	}
	if os.Getenv("UNORDERED") != "" {
		return fmt.Sprintf("%d %x", len(b.Vertices), sum)
	}
	return fmt.Sprintf("%d %x", len(b.Vertices), all)
}

func TestZZGolden(t *testing.T) {
	if os.Getenv("GOLDEN") == "" {
		t.Skip()
	}
	var out strings.Builder
	extra := map[string]map[string]rows{"particles": {
		"portrayed": ring(30).with(portrayed()), "held": ring(30).with(portrayed()).with(rows{"portraitHeld": []float32{0.1, 0.2}, "portraitNoise": wave(3*13*9, 0.01), "portraitFlow": wave(30, -0.3)}),
		"log": ring(30).with(rows{"logtime": 1, "left": 80, "leftwhat": "it", "leftsign": "ẑ_3"}), "zown": ring(30).with(rows{"zown": wave(4, 0.3)}), "waits": ring(30).with(rows{"portraitWaits": 1}),
	}, "own": {"flat": inSpace(30).with(onAxis()).with(rows{"grid": nil, "restores": 1, "restored": wave(50, -0.5), "p": nil}), "log": inSpace(30).with(rows{"logtime": 1, "left": 80}), "ens": inSpace(30).with(rows{"mean": wave(242, 0.2), "low": wave(242, 0.1), "high": wave(242, 0.3), "paths": wave(242*5, 0.2), "coverage": 0.8, "nominal": 0.9, "pred": nil})},
		"mixing":       {"portrayed": inBox(30).with(portrayed()), "log": inBox(30).with(rows{"logtime": 1, "left": 50, "leftwhat": "the ratio"})},
		"polymer":      {"portrayed": inFlow(30).with(portrayed()), "log": inFlow(30).with(rows{"logtime": 1})},
		"1d-demo-line": {}}
	for lab, all := range pictures {
		for name, r := range extra[lab] {
			all[name] = r
		}
	}
	for _, lab := range slices.Sorted(maps.Keys(pictures)) {
		all := pictures[lab]
		for _, name := range slices.Sorted(maps.Keys(all)) {
			r := all[name]
			for k, size := range sizes {
				if os.Getenv("FAST") != "" && k != 0 && k != 7 && k != 12 {
					continue
				}
				s, cmds := open(t, lab, r)
				if k%2 == 1 {
					s.SetTheme(brush.Dark(), k%4 == 1)
				}
				s.Resize(size[0], size[1], size[2])
				line := func(what string) {
					var b plot.Batch
					moving := s.Advance(0.016)
					s.Draw(&b)
					fmt.Fprintf(&out, "%s/%s %v %s: %s moving=%t %q %d %t", lab, name, size, what, digest(&b), moving, s.Spoken(), s.Shape(), s.Keeps())
					for _, v := range s.Signs() {
						fmt.Fprintf(&out, " %v", v)
					}
					fmt.Fprintf(&out, " %q\n", *cmds)
					*cmds = nil
				}
				for range 30 {
					s.Advance(0.05)
				}
				line("rest")
				if os.Getenv("PANELS") != "" {
					for i, p := range s.Panels {
						if shown(p) {
							s.canvas.Batch = new(plot.Batch)
							p.Draw(s.canvas)
							fmt.Fprintf(&out, "%s/%s %v panel %d: %s %v\n", lab, name, size, i, digest(s.canvas.Batch), p.Rect())
						}
					}
					continue
				}
				n := 0
				for i := range 7 {
					for j := range 9 {
						n++
						x, y := size[0]*(float32(i)+0.3)/7, size[1]*(float32(j)+0.6)/9
						s.Pointer(Move, x, y, false)
						line(fmt.Sprint("move ", n))
						if (n+k)%5 == 0 {
							touch := n%2 == 0
							s.Pointer(Down, x, y, touch)
							line("down")
							s.Pointer(Move, x+9, y-11, touch)
							line("drag")
							s.Pointer([]Event{Up, Up, Cancel, Leave}[n/5%4], x+9, y-11, touch)
							line("up")
						}
					}
				}
				s.Pointer(Leave, 1, 1, false)
				for i := range 20 {
					s.Key("ArrowDown", false)
					line(fmt.Sprint("key down ", i))
					for _, key := range []string{"ArrowRight", "ArrowUp", "ArrowLeft", "Home", "End", "Enter", "Delete"} {
						if key == "ArrowUp" {
							s.Key("ArrowUp", true)
						} else {
							s.Key(key, i%2 == 1)
						}
						line(key)
					}
				}
				// glides to another frame
				s.Pointer(Leave, 1, 1, false)
				decode(t, s, lab, all[slices.Sorted(maps.Keys(all))[0]])
				line("glide")
				line("glide2")
			}
		}
	}
	if err := os.WriteFile(os.Getenv("GOLDEN"), []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
