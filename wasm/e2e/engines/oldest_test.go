//go:build !js

package engines

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/chromedp/chromedp"
)

// The oldest Chromium in which the lab works, and one that is too old. `make oldest` fetches both. They
// are from the npm package @sparticuz/chromium.
const (
	oldestVersion = "103.0.0"
	tooOldVersion = "92.0.0"
)

// chromium is a tab of an old Chromium.
type chromium struct{ ctx context.Context }

func openOldest(t *testing.T, webgl bool) driver {
	t.Helper()
	return openChromium(t, oldestVersion, webgl)
}

func openChromium(t *testing.T, version string, webgl bool) driver {
	t.Helper()
	dir := unpacked(t, version)
	env, _ := environment(t, t.TempDir())
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(filepath.Join(dir, "chromium")), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1280, 800),
		chromedp.Env(append(env, "LD_LIBRARY_PATH="+dir+":"+filepath.Join(dir, "lib"))...),
		chromedp.Flag("no-zygote", true), chromedp.Flag("in-process-gpu", true), chromedp.Flag("ignore-gpu-blocklist", true),
		chromedp.Flag("use-gl", "angle"), chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("disable-3d-apis", !webgl),
		chromedp.WSURLReadTimeout(patience),
	)
	allocated, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stopAllocator)
	ctx, stop := chromedp.NewContext(allocated)
	t.Cleanup(stop)
	// The tab lives as long as the context of its first action.
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("Chromium %s does not start: %v", version, err)
	}
	return &chromium{ctx}
}

// unpacked returns a folder with a version of Chromium.
func unpacked(t *testing.T, version string) string {
	t.Helper()
	archives := filepath.Join("..", "..", "..", "bin", "oldest", version, "node_modules", "@sparticuz", "chromium", "bin")
	list, err := os.ReadDir(archives)
	if err != nil {
		t.Skipf("there is no Chromium %s on this machine, so the lab is not tested in it; make oldest fetches it", version)
	}
	dir := t.TempDir()
	for _, entry := range list {
		if err := unpack(dir, filepath.Join(archives, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// unpack writes the program, or the files of an archive, to a folder.
func unpack(dir, archive string) error {
	packed, err := os.ReadFile(archive)
	if err != nil {
		return err
	}
	r := brotli.NewReader(bytes.NewReader(packed))
	name, isArchive := strings.CutSuffix(strings.TrimSuffix(filepath.Base(archive), ".br"), ".tar")
	if !isArchive {
		return save(filepath.Join(dir, name), r)
	}
	for files := tar.NewReader(r); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !filepath.IsLocal(header.Name) {
			continue
		}
		to := filepath.Join(dir, header.Name)
		switch header.Typeflag {
		case tar.TypeSymlink:
			err = os.Symlink(header.Linkname, to)
		case tar.TypeReg:
			err = save(to, files)
		}
		if err != nil {
			return err
		}
	}
}

func save(name string, r io.Reader) error {
	body, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, body, 0o755))
}

func (c *chromium) do(a chromedp.Action[chromedp.Void]) error {
	ctx, stop := context.WithTimeout(c.ctx, patience)
	defer stop()
	return chromedp.Do(ctx, a)
}

func (c *chromium) navigate(url string) error { return c.do(chromedp.Navigate(url)) }

func (c *chromium) reload() error { return c.do(chromedp.Reload()) }

func (c *chromium) eval(expression string) (any, error) {
	ctx, stop := context.WithTimeout(c.ctx, patience)
	defer stop()
	return chromedp.Run(ctx, chromedp.Evaluate[any](expression, chromedp.EvalAwaitPromise))
}

func (c *chromium) shot() ([]byte, error) {
	ctx, stop := context.WithTimeout(c.ctx, patience)
	defer stop()
	return chromedp.Run(ctx, chromedp.CaptureScreenshot())
}

// TestTooOld opens the lab in a browser that is older than promised. It must say so in one sentence.
func TestTooOld(t *testing.T) {
	t.Run("oldest", func(t *testing.T) {
		p := &tab{openChromium(t, tooOldVersion, true), t, "too-old"}
		p.visit(serve(t))
		p.wait("a sentence", `document.getElementById("blocked").textContent.includes("too old") && document.getElementById("blocked").offsetHeight > 0`)
		p.picture("too-old")
	})
}
