package ckpt

import (
	"fmt"
	"os"
)

// Load reads the file at path. Its error names the path.
func Load(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot open the checkpoint: %w", err)
	}
	defer file.Close()
	f, err := Decode(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}
