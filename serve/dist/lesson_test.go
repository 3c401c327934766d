package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/session"
)

// TestLesson checks that every link of the lessons leads to a page of a tour. The page must have
// the link's text as its title. Every number in an answer must be on the linked pages.
func TestLesson(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "assets", guideFolder, "lesson.md"))
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\[([^\]]+)\]\(` + regexp.QuoteMeta(localLab) + `\?tour=(\d+)#lab=(\w+)\)`)
	number := regexp.MustCompile(`\d[\d.]*\d(?:e-\d+)?|\d`)
	parts := strings.Split(string(text), "\n### ")[1:]
	if len(parts) != 13 {
		t.Fatalf("the lessons have %d parts, want 13", len(parts))
	}
	for _, part := range parts {
		title, _, _ := strings.Cut(part, "\n")
		links := link.FindAllStringSubmatch(part, -1)
		if len(links) == 0 {
			t.Errorf("%s has no link", title)
		}
		var pages string
		for _, m := range links {
			page := tourPage(t, m[3], m[2])
			if page.Title != m[1] {
				t.Errorf("%s: the link %q opens the page %q", title, m[1], page.Title)
			}
			pages += strings.Join(page.Text, " ") + page.Ask.Question + page.Ask.Reveal
		}
		_, answer, ok := strings.Cut(part, "**Answer**")
		if !ok {
			t.Errorf("%s has no answer", title)
		}
		answer, _, _ = strings.Cut(answer, "\n- ")
		for _, n := range number.FindAllString(answer, -1) {
			if !strings.Contains(pages, n) {
				t.Errorf("%s: %s is not on the page of the tour", title, n)
			}
		}
	}
}

// page is a page of a tour.
type page struct {
	Title string
	Text  []string
	Ask   struct{ Question, Reveal string }
}

// tourPage returns a page of a lab's tour, given the page's number, counted from 1.
func tourPage(t *testing.T, lab, number string) page {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "assets", "tours", lab+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var pages []page
	if err := json.Unmarshal(b, &pages); err != nil {
		t.Fatal(err)
	}
	k, err := strconv.Atoi(number)
	if err != nil || k < 1 || k > len(pages) {
		t.Fatalf("the tour of %s has no page %s", lab, number)
	}
	return pages[k-1]
}

// TestSlides checks that every slide names controls and a lab that the page has.
func TestSlides(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "assets", guideFolder, "slides.html"))
	if err != nil {
		t.Fatal(err)
	}
	labs := regexp.MustCompile(`data-lab="embed=(controls|picture)(?:&amp;show=([\w,]+))?#lab=(\w+)[^"]*"><h`).FindAllSubmatch(b, -1)
	if len(labs) != 8 {
		t.Fatalf("%d slides have a lab, want 8", len(labs))
	}
	for _, m := range labs {
		controls := map[string]bool{}
		for _, l := range catalogue.All() {
			for _, g := range session.New(l).Panel().Groups {
				for _, c := range g.Controls {
					controls[l.Link()+" "+c.ID] = true
				}
			}
		}
		for id := range strings.SplitSeq(string(m[2]), ",") {
			if id != "" && !controls[string(m[3])+" "+id] {
				t.Errorf("the lab %s has no control %s", m[3], id)
			}
		}
	}
}
