package httpd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrNotBuilt is wrapped by the error of Find and New if there is no lab to serve.
var ErrNotBuilt = errors.New(`the lab has not been built, run "make build" first`)

// Find returns the folder of the built lab, which is called dist. It looks for dist in the working
// directory, then in the parent of the program's folder, then in the program's folder. The parent
// is the right place for the program bin/macroscope. The error wraps ErrNotBuilt.
func Find() (string, error) {
	places := []string{"dist"}
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		bin := filepath.Dir(exe)
		places = append(places, filepath.Join(filepath.Dir(bin), "dist"), filepath.Join(bin, "dist"))
	}
	return first(places)
}

func first(places []string) (string, error) {
	for _, p := range places {
		if info, err := os.Stat(filepath.Join(p, indexName)); err == nil && info.Mode().IsRegular() {
			return p, nil
		}
	}
	return "", fmt.Errorf("%w (no %s in any of %q)", ErrNotBuilt, indexName, places)
}
