package httpd_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"macroscope/serve/httpd"
)

func ExampleNew() {
	root, err := os.MkdirTemp("", "lab")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	if err := os.WriteFile(filepath.Join(root, "index.html"), []byte("<!doctype html>"), 0o644); err != nil {
		panic(err)
	}
	handler, err := httpd.New(root, nil)
	if err != nil {
		panic(err)
	}
	for _, path := range []string{"/", "/../etc/passwd"} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		fmt.Println(w.Code, w.Header().Get("Content-Type"))
	}
	// Output:
	// 200 text/html; charset=utf-8
	// 404 text/plain; charset=utf-8
}
