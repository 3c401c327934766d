package imports

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// mostMethods is the largest number of methods of a type that a reader can hold.
const mostMethods = 40

// mostFields is the largest number of fields of the Session and of the parts that it consists of.
var mostFields = map[string]int{"Session": 6, "workspace": 14, "arrivals": 6, "jobs": 4, "history": 6}

// TestFewFields counts the fields of the Session and of its parts.
func TestFewFields(t *testing.T) {
	files, err := filepath.Glob("../../model/lab/session/*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, path := range files {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			of, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			fields, ok := of.Type.(*ast.StructType)
			most, guarded := mostFields[of.Name.Name]
			if !ok || !guarded {
				return true
			}
			found++
			if n := fields.Fields.NumFields(); n != most {
				t.Errorf("%s has %d fields, and the table says %d: give some of them a type of their own, or lower the number", of.Name.Name, n, most)
			}
			return true
		})
	}
	if found != len(mostFields) {
		t.Errorf("%d of %d types were found", found, len(mostFields))
	}
}

// TestFewMethods counts the methods of every type of the module.
func TestFewMethods(t *testing.T) {
	root := filepath.Join("..", "..")
	count := make(map[string]int)
	for _, top := range []string{"model", "serve", "sim", "ui", "wasm"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "node_modules" {
				return filepath.SkipDir
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_first.go") { // the latter are another form of the same type
				return nil
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			folder, err := filepath.Rel(root, filepath.Dir(path))
			for _, d := range f.Decls {
				if of := receiver(d); of != "" {
					count[filepath.ToSlash(folder)+"."+of]++
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(count) < 100 {
		t.Fatalf("only %d types with methods were found", len(count))
	}
	for of, n := range count {
		if n > mostMethods {
			t.Errorf("%s has %d methods, and %d at most can be held; give a part of it a type of its own", of, n, mostMethods)
		}
	}
}

// receiver returns the name of the type of which a declaration is a method, or "".
func receiver(d ast.Decl) string {
	f, ok := d.(*ast.FuncDecl)
	if !ok || f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if p, ok := of.(*ast.StarExpr); ok {
		of = p.X
	}
	if g, ok := of.(*ast.IndexExpr); ok {
		of = g.X
	}
	name, _ := of.(*ast.Ident)
	if name == nil {
		return ""
	}
	return name.Name
}
