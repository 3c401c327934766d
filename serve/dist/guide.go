package main

import (
	"bytes"
	"fmt"
	"html/template"
	"image/png"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// guideFolder is the folder of the guide's pages: Markdown in the assets, HTML in the bundle.
const guideFolder = "guide"

// guidePages lists the names of the guide's pages in their order.
var guidePages = []string{"teaching", "lesson", "worksheet", "tuning", "your-own-data", "command-line", "programs", "results", paperPage, "architecture"}

var guideTemplate = template.Must(template.New("guide").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}} · Macroscope</title>
<link rel="icon" href="../icon.svg">
<link rel="stylesheet" href="guide.css">
<script src="guide.js"></script>
</head>
<body>
<nav aria-label="Guide"><ul>
<li><a href="../index.html">The lab</a></li>
{{- range .Pages}}
<li><a href="{{.Name}}.html"{{if eq .Title $.Title}} aria-current="page"{{end}}>{{.Title}}</a></li>
{{- end}}
</ul></nav>
<main>
{{.Text}}</main>
</body>
</html>
`))

// guidePage is the input of the template for a page.
type guidePage struct {
	Name, Title string
	Text        template.HTML
	Pages       []guidePage // all pages of the guide, for links between them
}

// addGuide renders the guide's Markdown as HTML, and adds the pictures that it contains.
func (b bundle) addGuide(assets fs.FS) error {
	var pages []guidePage
	for _, name := range guidePages {
		source, err := guideText(assets, name)
		if err != nil {
			return fmt.Errorf("a page of the guide is missing: %w", err)
		}
		page, err := b.renderGuide(assets, source)
		if err != nil {
			return fmt.Errorf("%s.md of the guide: %w", name, err)
		}
		if name == paperPage {
			if page.Text, err = b.completePaper(page.Text); err != nil {
				return err
			}
		}
		page.Name = name
		pages = append(pages, page)
	}
	for _, page := range pages {
		var html bytes.Buffer
		page.Pages = pages
		if err := guideTemplate.Execute(&html, page); err != nil {
			return err
		}
		b[path.Join(guideFolder, page.Name+".html")] = html.Bytes()
	}
	return nil
}

// guideText returns the Markdown text of a page.
func guideText(assets fs.FS, name string) ([]byte, error) {
	if name == paperPage {
		return paperText(assets)
	}
	return fs.ReadFile(assets, path.Join(guideFolder, name+".md"))
}

// wideTable matches tables. In a narrow window, each table scrolls separately. The expression
// `picture` matches pictures. A picture becomes a link to itself, because it is small on a phone.
var (
	wideTable = regexp.MustCompile(`(?s)<table>.*?</table>`)
	picture   = regexp.MustCompile(`<img src="([^"]*)"[^>]*>`)
)

// guideMarks edits the HTML of the guide. Blocks of code become focusable, because they scroll.
// The empty corner of a table becomes an ordinary cell. A head belongs to its column. A figure stays on one line with its
// error, and ε with its value.
var guideMarks = strings.NewReplacer("<pre>", `<pre tabindex="0">`, "<th></th>", "<td></td>", "<th>", `<th scope="col">`, " ± ", "\u00a0±\u00a0", "ε = ", "ε\u00a0=\u00a0")

var (
	tagOrText = regexp.MustCompile(`<[^>]*>|[^<]+`)
	indexed   = regexp.MustCompile(`([A-Za-zẑε])_(θ|[A-Z]+)`)
	unbroken  = regexp.MustCompile(`(^|\s)(-[a-z]+)|(\d[\d.]*e-\d+|\d+(?: \d{3})+|in-dst|diff-init|diff-N)`)
)

// typeset turns indices in the text of HTML, such as the X of q_X, into subscripts. It also keeps
// numbers, names and flags on one line, such as 6.9e-6, 24 000, diff-init and -workers. Browsers
// would break them at spaces and after hyphens.
func typeset(html string) string {
	code := false
	return tagOrText.ReplaceAllStringFunc(html, func(s string) string {
		if s[0] == '<' {
			code = strings.HasPrefix(s, "<code")
			return s
		}
		if !code {
			s = indexed.ReplaceAllString(s, "$1<sub>$2</sub>")
		}
		return unbroken.ReplaceAllString(s, "$1<span>$2$3</span>")
	})
}

func (b bundle) renderGuide(assets fs.FS, source []byte) (page guidePage, err error) {
	md := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	doc := md.Parser().Parse(text.NewReader(source))
	err = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 1 && page.Title == "" {
				page.Title = string(n.Lines().Value(source))
			}
		case *ast.Image:
			return ast.WalkContinue, b.addPicture(assets, n)
		case *ast.Link:
			n.Destination = []byte(guideLink(string(n.Destination)))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return page, err
	}
	var html bytes.Buffer
	if err := md.Renderer().Render(&html, source, doc); err != nil {
		return page, err
	}
	body := wideTable.ReplaceAllString(typeset(html.String()), `<div class="wide" tabindex="0">$0</div>`)
	page.Text = template.HTML(guideMarks.Replace(picture.ReplaceAllString(body, `<a href="$1">$0</a>`)))
	return page, nil
}

// addPicture adds a picture to which a page of the guide refers. The page reserves the space of a
// picture in PNG format, which is fetched when it comes near the window.
func (b bundle) addPicture(assets fs.FS, n *ast.Image) (err error) {
	name := path.Join(guideFolder, string(n.Destination))
	if b[name], err = fs.ReadFile(assets, name); err != nil || path.Ext(name) != ".png" {
		return err
	}
	c, err := png.DecodeConfig(bytes.NewReader(b[name]))
	n.SetAttributeString("width", strconv.Itoa(c.Width))
	n.SetAttributeString("height", strconv.Itoa(c.Height))
	n.SetAttributeString("loading", "lazy")
	return err
}

// localLab is the lab's address in the Markdown files of the guide. The command `make run` serves
// the lab at this address.
const localLab = "http://localhost:8080/"

// guideLink returns the address in the bundle to which a Markdown link leads. A link to localLab
// leads to the bundle's lab. A link to a page leads to the rendered page. A link to the page of the
// published tables leads to paperPage, which has the same headings.
func guideLink(address string) string {
	if query, ok := strings.CutPrefix(address, localLab); ok {
		return "../index.html" + query
	}
	name, fragment, _ := strings.Cut(address, "#")
	switch {
	case scheme.MatchString(name) || path.Ext(name) != ".md":
		return address
	case name == "../"+publishedFolder+"/README.md":
		name = paperPage
	}
	if fragment != "" {
		fragment = "#" + fragment
	}
	return strings.TrimSuffix(name, ".md") + ".html" + fragment
}
