package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/andybalholm/brotli"
	"golang.org/x/sync/errgroup"

	"macroscope/serve/output"
)

// codec is one way to compress a file.
type codec struct {
	suffix string // ending of the compressed file's name
	id     string // name and level of the compression, for the cache
	writer func(io.Writer) io.WriteCloser
}

var (
	quick = []codec{{".gz", "gz6", gzipAt(6)}}
	best  = []codec{{".br", "br11", slowBrotli}, {".gz", "gz9", gzipAt(9)}}
)

func gzipAt(level int) func(io.Writer) io.WriteCloser {
	return func(w io.Writer) io.WriteCloser {
		z, err := gzip.NewWriterLevel(w, level)
		if err != nil {
			panic(err) // gzip accepts this level
		}
		return z
	}
}

// The window is 16 MB, the largest that browsers must support. It covers a whole program.
func slowBrotli(w io.Writer) io.WriteCloser {
	return brotli.NewWriterOptions(w, brotli.WriterOptions{Quality: brotli.BestCompression, LGWin: 24})
}

// forms contains the compressed forms of files, by name and suffix. A form that saves less than
// a twentieth is omitted, because decompressing it would cost the browser more time than it
// saves.
type forms map[string]map[string][]byte

// compress makes all forms of all files on all cores, starting with the largest file.
func compress(b bundle, codecs []codec, c cache) (forms, error) {
	type job struct {
		name string
		codec
	}
	var jobs []job
	for _, name := range b.names() {
		for _, cd := range codecs {
			jobs = append(jobs, job{name, cd})
		}
	}
	slices.SortStableFunc(jobs, func(x, y job) int { return cmp.Compare(len(b[y.name]), len(b[x.name])) })

	var (
		all = forms{}
		mu  sync.Mutex
		g   errgroup.Group
	)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, j := range jobs {
		g.Go(func() error {
			small, err := c.compressed(b[j.name], j.codec)
			if err != nil {
				return fmt.Errorf("%s cannot be compressed: %w", j.name, err)
			}
			if 20*len(small) <= 19*len(b[j.name]) {
				mu.Lock()
				defer mu.Unlock()
				if all[j.name] == nil {
					all[j.name] = map[string][]byte{}
				}
				all[j.name][j.suffix] = small
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return all, c.trim()
}

// cache keeps compressed forms by the hash of the content, because compressing a program takes
// a minute.
type cache struct {
	dir string
}

// cacheLimit is the largest number of bytes that remain in the cache after a run.
const cacheLimit = 256 << 20

func (c cache) compressed(body []byte, cd codec) ([]byte, error) {
	file := filepath.Join(c.dir, fmt.Sprintf("%x.%s", sha256.Sum256(body), cd.id))
	if small, err := os.ReadFile(file); err == nil {
		now := time.Now()
		return small, os.Chtimes(file, now, now) // the newest time: trim removes this form last
	}
	var buf bytes.Buffer
	w := cd.writer(&buf)
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return nil, err
	}
	return buf.Bytes(), output.Replace(file, func(w io.Writer) error {
		_, err := w.Write(buf.Bytes())
		return err
	})
}

// trim removes the least recently used forms, down to cacheLimit.
func (c cache) trim() error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	var infos []os.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	var sum int64
	for _, info := range infos {
		if sum += info.Size(); sum > cacheLimit {
			if err := os.Remove(filepath.Join(c.dir, info.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
