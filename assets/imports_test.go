package assets_test

import (
	"testing"

	"macroscope/serve/imports"
)

// TestImports keeps the texts free of code.
func TestImports(t *testing.T) {
	imports.Check(t, imports.Table{Root: "assets", May: map[string][]string{"assets": nil}})
}
