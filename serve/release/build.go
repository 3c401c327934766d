package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// target is a system that programs are built for.
type target struct{ os, arch string }

var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// String returns the target as Go writes it, such as linux/amd64.
func (t target) String() string { return t.os + "/" + t.arch }

// parseTargets returns the targets in a text such as "linux/amd64 windows/arm64", or all
// targets if the text is empty.
func parseTargets(text string) ([]target, error) {
	if strings.TrimSpace(text) == "" {
		return targets, nil
	}
	var chosen []target
	for word := range strings.FieldsSeq(text) {
		os, arch, _ := strings.Cut(word, "/")
		t := target{os, arch}
		if !slices.Contains(targets, t) {
			return nil, fmt.Errorf("-only %q is not one of %v", word, targets)
		}
		chosen = append(chosen, t)
	}
	return chosen, nil
}

// program returns the file name of the program.
func (t target) program() string {
	if t.os == "windows" {
		return "macroscope.exe"
	}
	return "macroscope"
}

// archive returns the ending of the archive's name.
func (t target) archive() string {
	if t.os == "windows" {
		return ".zip"
	}
	return ".tar.gz"
}

// write writes the archive in the format of the system.
func (t target) write(path string, files []entry, date time.Time) error {
	if t.os == "windows" {
		return writeZip(path, files, date)
	}
	return writeTar(path, files, date)
}

// settings returns the environment variables that determine the bytes of a program. A released
// program must not depend on the environment of the person who builds it.
func (t target) settings() []string {
	return []string{
		"GOOS=" + t.os, "GOARCH=" + t.arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=simd", "GOWORK=off",
		"GOFLAGS=-trimpath -buildvcs=false -gcflags=all=-dwarf=false",
	}
}

// embeddedFile is the zip file that is embedded in a program with the build tag "release".
var embeddedFile = filepath.Join("serve", "embedded", "lab.zip")

// build builds the program and returns its bytes. Most of the programs cannot run on this machine,
// so build vets the parts that depend on the system. It also checks that the program contains the
// lab.
func (t target) build(ctx context.Context, c config) ([]byte, error) {
	if _, err := command(ctx, t.settings(), "go", "vet", "-tags", "release", "./serve", "./serve/cmd", "./serve/embedded", "./serve/httpd", "./serve/output", "./serve/input"); err != nil {
		return nil, err
	}
	file := filepath.Join(c.work, "release", t.os+"-"+t.arch, t.program())
	link := "-s -w -X 'macroscope/serve/cmd.version=" + c.version + "'"
	if _, err := command(ctx, t.settings(), "go", "build", "-tags", "release", "-ldflags", link, "-o", file, "./serve"); err != nil {
		return nil, err
	}
	program, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lab, err := os.ReadFile(embeddedFile)
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(program, lab) {
		return nil, fmt.Errorf("the program for %s does not contain %s", t, embeddedFile)
	}
	return program, nil
}

// buildLab builds the lab and returns its folder.
func buildLab(ctx context.Context, c config) (string, error) {
	lab := filepath.Join(c.work, "release", "lab")
	args := []string{"run", "./serve/dist", "-out", lab, "-work", c.work, "-version", c.version}
	if c.fast {
		args = append(args, "-fast")
	}
	_, err := command(ctx, nil, "go", args...)
	return lab, err
}

// embed writes the zip file that programs contain.
func embed(lab string, date time.Time) error {
	files, err := embeddedForms(lab)
	if err != nil {
		return err
	}
	return writeZip(embeddedFile, files, date)
}

// embeddedForms returns one form of each file in the folder of the lab: the Brotli form if there is
// one, otherwise the file itself.
func embeddedForms(lab string) ([]entry, error) {
	files, err := folder(lab, "")
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, f := range files {
		has[f.name] = true
	}
	return slices.DeleteFunc(files, func(f entry) bool {
		base, gzipped := strings.CutSuffix(f.name, ".gz")
		return has[f.name+".br"] || gzipped && has[base]
	}), nil
}

// listParts writes a list of all modules in CycloneDX format, with their versions, licences and
// checksums.
func listParts(ctx context.Context, path string) error {
	const tool = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"
	absolute, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if _, err := command(ctx, nil, "go", "run", tool, "mod", "-json", "-licenses", "-std", "-type", "application", "-noserial", "-notimestamp", "-output", absolute); err != nil {
		return err
	}
	// The tool's checksum of this module is removed, because it includes files that builds and
	// tests leave in the folder.
	var list map[string]any
	b, err := os.ReadFile(absolute)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, &list); err != nil {
		return fmt.Errorf("the list of parts: %w", err)
	}
	if metadata, ok := list["metadata"].(map[string]any); ok {
		if component, ok := metadata["component"].(map[string]any); ok {
			delete(component, "hashes")
		}
	}
	if b, err = json.MarshalIndent(list, "", "  "); err != nil {
		return err
	}
	return os.WriteFile(absolute, append(b, '\n'), 0o644)
}

// command runs a program with further environment variables and returns its output.
func command(ctx context.Context, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, bytes.TrimSpace(errs.Bytes()))
	}
	return out.String(), nil
}
