package main

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/session"
)

// budget is the largest number of compressed bytes that may be fetched before the demo plays.
const budget = 3_700_000

// firstView reports whether a file is fetched before the demo plays. The result is false for:
//   - the licences
//   - the program with all labs, because the first view needs only one lab
//   - models and posters that the first view does not show
//   - icons for an installed lab
//   - files that are fetched on request, such as tours, sweeps, the guide and the paper's tables
func firstView(name string) bool {
	line := catalogue.Line()
	switch {
	case isModel(name):
		return name == session.New(line).Wants()
	case isPoster(name):
		return name == posterName(line.Link(), "")
	}
	asked := slices.Contains([]string{"shell/axis.js", "shell/curve.js", "shell/signs.js", "shell/survey.js", "shell/svg.js", "shell/sweep.js"}, name) || slices.Contains([]string{"examples", "figures", "guide", cardFolder, "paper", "python", "sweeps", "tours"}, strings.Split(name, "/")[0])
	installed := strings.HasPrefix(name, "icon-") // browsers fetch these icons when the lab is installed
	return name != licencesFile && name != workerFile && !asked && !installed
}

// offline reports whether the service worker keeps a file for use without the server. It keeps
// every file that the page can request.
func offline(name string) bool { return name != licencesFile && name != serviceWorker }

// isModel reports whether a file is a trained model, or data to train one.
func isModel(name string) bool { return path.Dir(name) == "models" }

// references maps a file's extension to expressions that find the names of other files in it.
var references = map[string][]*regexp.Regexp{
	".html":        {regexp.MustCompile(`(?i)\s(?:src|href)\s*=\s*["']([^"']*)["']`)},
	".css":         {regexp.MustCompile(`url\(\s*["']?([^"')]*)["']?\s*\)`), regexp.MustCompile(`@import\s+["']([^"']*)["']`)},
	".js":          {regexp.MustCompile(`(?m)^\s*(?:import|export)\s(?:[^"';]*\sfrom\s*)?["']([^"']+)["']`)},
	".webmanifest": {regexp.MustCompile(`"(?:src|start_url|scope)"\s*:\s*"([^"]*)"`)},
}

// scheme matches the beginning of an address that is not a file of the bundle, such as https: or
// data:.
var scheme = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)

// checkReferences checks that the bundle works in any folder of any host: files refer to one
// another only by relative paths, and all files that they refer to exist.
func (b bundle) checkReferences() error {
	for _, name := range b.names() {
		for _, re := range references[path.Ext(name)] {
			for _, m := range re.FindAllStringSubmatch(string(b[name]), -1) {
				if err := b.checkReference(name, m[1]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (b bundle) checkReference(from, ref string) error {
	ref, _, _ = strings.Cut(ref, "#")
	ref, _, _ = strings.Cut(ref, "?")
	if ref == "" || scheme.MatchString(ref) {
		return nil
	}
	if strings.HasPrefix(ref, "/") {
		return fmt.Errorf("%s names %q from the host's root: name it relative to itself, so that the lab can be in a folder", from, ref)
	}
	to := path.Join(path.Dir(from), ref)
	if strings.HasSuffix(ref, "/") || to == "." {
		to = path.Join(to, "index.html")
	}
	if _, ok := b[to]; !ok {
		return fmt.Errorf("%s names %q, which is not in the lab", from, ref)
	}
	return nil
}

// report prints the files of the first view, the largest first, and returns their total
// compressed size. It prints the budget with the total, unless the budget is 0.
func report(out io.Writer, b bundle, forms forms, budget int) int {
	var (
		names      []string
		raw, total int
	)
	size := map[string]int{}
	for _, name := range b.names() {
		if !firstView(name) {
			continue
		}
		size[name] = len(b[name])
		for _, small := range forms[name] {
			size[name] = min(size[name], len(small))
		}
		names = append(names, name)
		raw += len(b[name])
		total += size[name]
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(size[y], size[x]) })

	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "bytes\tcompressed\t  first view")
	for _, name := range names {
		fmt.Fprintf(w, "%d\t%d\t  %s\n", len(b[name]), size[name], name)
	}
	of := ""
	if budget > 0 {
		of = " of " + megabytes(budget)
	}
	fmt.Fprintf(w, "%d\t%d\t  total: %s%s\n", raw, total, megabytes(total), of)
	w.Flush()
	return total
}

func megabytes(n int) string { return fmt.Sprintf("%.2f MB", float64(n)/1e6) }
