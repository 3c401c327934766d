//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package output

import (
	"errors"
	"os"
)

func lock(*os.File) error { return errors.ErrUnsupported }
