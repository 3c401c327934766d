package assets_test

import (
	"testing"

	"macroscope/serve/imports"
)

// TestImports checks that package assets imports no other package of the program.
func TestImports(t *testing.T) {
	imports.Check(t, imports.Table{Root: "assets", May: map[string][]string{"assets": nil}})
}
