// Command dist makes the bundle of the page: a folder for any static host.
//
// It builds the page's programs, adds them to the files of assets, and draws the labs' posters.
// It writes the first lab's panel and links to all labs into the page. It writes the version
// and the digests of the files to keep offline into the service worker. Then it compresses all files
// and measures how many bytes the first view fetches. Run it in the root of the repository:
//
//	go run ./serve/dist -out dist
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"macroscope/model/lab/catalogue"
)

// config holds the options of a build.
type config struct {
	assets string // folder of the assets
	out    string // folder for the bundle
	work   string // folder for files that the next run can reuse
	named  string // version that the page shows under Help
	site   string // address of the folder that the bundle will be in
	fast   bool   // whether to compress only by gzip, without checking the budget
	budget int    // largest number of compressed bytes that may be fetched before the demo plays
}

func main() {
	c := config{budget: budget}
	flag.StringVar(&c.assets, "assets", "assets", "`folder` of the files that are copied as they are")
	flag.StringVar(&c.out, "out", "dist", "`folder` to write")
	flag.StringVar(&c.work, "work", filepath.Join("bin", "work"), "`folder` for binaries and compressed forms that the next run can use again")
	flag.StringVar(&c.named, "version", "development version", "`version` that the page shows under Help")
	flag.StringVar(&c.site, "site", "", "`address` at which the lab will be served, such as https://school.example/lab/; with it, chats and forums can show the picture of a link to a lab")
	flag.BoolVar(&c.fast, "fast", false, "compress with gzip alone, in seconds, and do not check the budget")
	flags := flag.Bool("flags", false, "only print the flags with which the page's programs are built, so that other programs share their compiled packages")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var err error
	if *flags {
		var all []string
		if all, err = buildFlags(ctx, c.work); err == nil {
			fmt.Println(strings.Join(all, " "))
		}
	} else {
		err = run(ctx, c, os.Stdout)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, c config, out io.Writer) error {
	b, err := collect(c.assets)
	if err != nil {
		return err
	}
	if err := addPrograms(ctx, b, c.work); err != nil {
		return err
	}
	if err := addLicences(ctx, b); err != nil {
		return err
	}
	if err := b.addGuide(os.DirFS(c.assets)); err != nil {
		return err
	}
	if err := b.addLinks(catalogue.All()); err != nil {
		return err
	}
	if err := b.addPosters(catalogue.All()); err != nil {
		return err
	}
	if err := b.prerender(catalogue.Line()); err != nil {
		return err
	}
	if err := b.addCards(catalogue.All(), c.site); err != nil {
		return err
	}
	if err := b.name(c.named); err != nil {
		return err
	}
	return assemble(b, c, out)
}

// assemble checks the files in b, completes the page and the service worker, compresses all files,
// prints the sizes of the first view and writes the bundle's folder.
func assemble(b bundle, c config, out io.Writer) error {
	if err := b.checkReferences(); err != nil {
		return err
	}
	codecs := best
	if c.fast {
		codecs, c.budget = quick, 0
	} else if err := b.reduceFigures(); err != nil {
		return err
	}
	version := b.version()
	if err := b.announce(catalogue.All(), version); err != nil {
		return err
	}
	b.seal()
	if err := b.stamp(version); err != nil {
		return err
	}
	forms, err := compress(b, codecs, cache{filepath.Join(c.work, "compressed")})
	if err != nil {
		return err
	}
	total := report(out, b, forms, c.budget)
	switch {
	case c.fast:
		fmt.Fprintln(out, `this is a quick build: "make dist" compresses as far as it goes and checks the budget`)
	case total > c.budget:
		return fmt.Errorf("the first view is %s compressed, above the budget of %s: make the largest files of the table smaller, or load them later", megabytes(total), megabytes(c.budget))
	}
	return write(c.out, b, forms)
}
