//go:build linux

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
)

// fill writes a file until its volume is full.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for b := make([]byte, 1<<16); len(b) > 0; {
		if _, err := f.Write(b); errors.Is(err, syscall.ENOSPC) {
			b = b[:len(b)/2]
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestFullDisk keeps a run in a browser with its profile on a small volume. The volume fills up, and
// is freed again. The page must say so, save by itself when there is space, and still have the run
// after two reloads. Chromium checks its files only when it opens them again, so the page is left
// before each reload.
func TestFullDisk(t *testing.T) {
	if !*long {
		t.Skip("fills a volume, with -long")
	}
	volume := t.TempDir()
	if err := syscall.Mount("tmpfs", volume, "tmpfs", 0, "size=64M"); err != nil {
		t.Skipf("only root can make a small volume: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(volume, syscall.MNT_DETACH) })
	ctx, stop := startBrowser(t, filepath.Join(volume, "profile"), chromedp.Flag("disk-cache-dir", t.TempDir()))
	t.Cleanup(stop)
	p := addTab(t, ctx)
	url := serve(t, distDir).url
	run := p.openWithRun(url)
	p.change("77")

	full := filepath.Join(volume, "full")
	fill(t, full)
	for _, n := range []string{"78", "79", "80"} {
		p.set("c-n", n)
		p.wait("a word on that", said("could not be kept"))
	}
	if err := os.Remove(full); err != nil {
		t.Fatal(err)
	}
	p.wait("a save", `document.documentElement.dataset.saved.includes("n=80")`)
	p.wait("a word on that", said("has space again"))
	for _, n := range []string{"80", "81"} {
		p.beside(url)
		p.open(url)
		p.wait("the settings of the last save", particlesShown+` === "`+n+`"`)
		if !eval[bool](p, listed(run)) {
			t.Error("the run is lost")
		}
		p.change("81")
	}
	p.quiet()
}
