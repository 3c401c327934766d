package assets_test

import (
	"testing"

	"macroscope/serve/imports"
)

// TestImports keeps package assets free of other code.
func TestImports(t *testing.T) {
	imports.Check(t, imports.Table{Root: "assets", May: map[string][]string{"assets": nil}})
}
