package main

import (
	"bytes"
	"image/png"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/session"
)

// TestCards checks the tags in index.html and in the labs' own pages (see card). It builds the
// pages once without the site's address and once with it.
func TestCards(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "assets", pageFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ site, picture, here string }{
		{"", "../posters/", "posters/"},
		{"https://school.example/lab", "https://school.example/lab/posters/", "https://school.example/lab/posters/"},
	} {
		b := bundle{pageFile: page}
		if err := b.addCards(catalogue.All(), tc.site); err != nil {
			t.Fatal(err)
		}
		if got := tag(b[pageFile], "og:image"); got != tc.here+catalogue.All()[0].Link()+".png" {
			t.Errorf("site %q: the page's picture is %q", tc.site, got)
		}
		for _, l := range catalogue.All() {
			name := path.Join(cardFolder, l.Link()+".html")
			body, panel := b[name], session.New(l).Panel()
			if got := tag(body, "og:title"); !strings.HasSuffix(got, panel.Title) {
				t.Errorf("%s: the title is %q, want %q in it", name, got, panel.Title)
			}
			shows := l.Link()
			if !hasPoster(l) {
				shows = catalogue.All()[0].Link()
			}
			if got := tag(body, "og:image"); got != tc.picture+shows+".png" {
				t.Errorf("%s: the picture is %q", name, got)
			}
			if !bytes.Contains(body, []byte("url=../index.html#lab="+l.Link())) {
				t.Errorf("%s does not lead to the lab", name)
			}
			if got, want := tag(body, "og:url"), "https://school.example/lab/"+name; tc.site != "" && got != want || tc.site == "" && got != "" {
				t.Errorf("%s: the address is %q", name, got)
			}
		}
	}
	if err := (bundle{pageFile: []byte("<html></html>")}).addCards(catalogue.All(), ""); err == nil {
		t.Error("a page without a place for the tags: got no error")
	}
}

// tag returns the content of a page's meta tag, or "".
func tag(page []byte, property string) string {
	m := regexp.MustCompile(`<meta property="` + property + `" content="([^"]*)">`).FindSubmatch(page)
	if m == nil {
		return ""
	}
	return string(m[1])
}

// TestIcons checks that each icon has the size that its name gives.
func TestIcons(t *testing.T) {
	for name, size := range map[string]int{"icon-180.png": 180, "icon-192.png": 192, "icon-512.png": 512} {
		b, err := os.ReadFile(filepath.Join("..", "..", "assets", name))
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.DecodeConfig(bytes.NewReader(b))
		if err != nil || img.Width != size || img.Height != size {
			t.Errorf("%s: %d × %d, %v", name, img.Width, img.Height, err)
		}
	}
}
