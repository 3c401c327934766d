package main

import (
	"bytes"
	"fmt"
	"html/template"
	"path"
	"strings"

	"macroscope/model/lab/session"
)

// A card is the preview of a link in a chat or a forum: a title, a sentence and a still picture, in
// the Open Graph format (https://ogp.me). Chats and forums ignore the part of an address after the
// #, so each lab has a page of its own for links. The page leads on to the lab.
type card struct {
	Title, Text string
	Lab         string // the lab's name in links
	Picture     string // address of the poster
	Page        string // address of the page; "" if the site's address is unknown
	Width       int    // width of the poster in pixels
	Height      int
}

// cardFolder is the folder of the labs' pages for links.
const cardFolder = "labs"

var cardTags = template.Must(template.New("tags").Parse(`<meta property="og:type" content="website">
  <meta property="og:site_name" content="Macroscope">
  <meta property="og:title" content="{{.Title}}">
  <meta property="og:description" content="{{.Text}}">
  <meta property="og:image" content="{{.Picture}}">
  <meta property="og:image:width" content="{{.Width}}">
  <meta property="og:image:height" content="{{.Height}}">
{{- if .Page}}
  <meta property="og:url" content="{{.Page}}">
{{- end}}
  <meta name="twitter:card" content="summary_large_image">`))

var cardPage = template.Must(template.Must(cardTags.Clone()).New("page").Parse(`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>{{.Title}}</title>
  <meta name="description" content="{{.Text}}">
  {{template "tags" .}}
  <meta http-equiv="refresh" content="0; url=../index.html#lab={{.Lab}}">
  <link rel="icon" href="../icon.svg">
</head>
<body>
<p><a href="../index.html#lab={{.Lab}}">{{.Title}}</a>: {{.Text}}</p>
</body>
</html>
`))

// addCards makes a page with a card for every lab, and adds the first lab's card to index.html.
// `site` is the web address of the bundle's folder, or "" if this address is unknown. The address
// is needed because most programs that show cards accept only complete addresses of pictures.
func (b bundle) addCards(list session.List, site string) error {
	if site != "" && !strings.HasSuffix(site, "/") {
		site += "/"
	}
	for i, l := range list {
		panel, shows := session.New(l).Panel(), l
		if !hasPoster(l) {
			shows = list[0]
		}
		c := card{
			Title: "Macroscope: " + panel.Title, Text: panel.Tagline, Lab: l.Link(),
			Picture: site + posterName(shows.Link(), ""), Page: site,
			Width: posterWidth * posterUnit, Height: posterHeight * posterUnit,
		}
		if i == 0 {
			var tags bytes.Buffer
			if err := cardTags.Execute(&tags, c); err != nil {
				return err
			}
			const mark = `<meta property="og:type" content="website">`
			if bytes.Count(b[pageFile], []byte(mark)) != 1 {
				return fmt.Errorf("%s of the assets must contain %s once, to be replaced", pageFile, mark)
			}
			b[pageFile] = bytes.Replace(b[pageFile], []byte(mark), tags.Bytes(), 1)
		}
		name := path.Join(cardFolder, l.Link()+".html")
		if site == "" {
			c.Picture = "../" + c.Picture
		} else {
			c.Page = site + name
		}
		var page bytes.Buffer
		if err := cardPage.Execute(&page, c); err != nil {
			return err
		}
		b[name] = page.Bytes()
	}
	return nil
}
