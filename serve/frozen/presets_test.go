package frozen

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestPresets compares the settings of all presets of all methods of all systems, by the names of
// the flag -set, and the initial weights of their smaller networks. A stanza of a system contains
// what its trainings take from the system.
func TestPresets(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, system := range systemNames() {
		fmt.Fprintf(&out, "[%s]\n", system)
		for _, row := range systemRows(t, system) {
			fmt.Fprintf(&out, "  %s\n", row)
		}
		for _, spec := range presetsOf(system) {
			settings, rest := presetRows(t, spec)
			fmt.Fprintf(&out, "[%s]\n%s", spec, grouped(settings))
			for _, row := range rest {
				fmt.Fprintf(&out, "  %s\n", row)
			}
		}
	}
	golden(t, "presets.txt", out.String())
}

// grouped returns settings as text. Settings whose names begin alike stand on one line.
func grouped(settings map[string]string) string {
	lines := make(map[string][]string)
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		group := ""
		if i := strings.LastIndex(name, "."); i >= 0 {
			group = name[:i]
		}
		lines[group] = append(lines[group], name+"="+settings[name])
	}
	var out strings.Builder
	for _, group := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(&out, "  %s\n", strings.Join(lines[group], " "))
	}
	return out.String()
}

// TestTasks compares the names and the keys of all tasks of the command reproduce, for all sizes.
// A task whose key changes would be computed again.
func TestTasks(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, size := range sizes() {
		fmt.Fprintf(&out, "[%s]\n", size)
		for _, task := range tasks(t, size) {
			fmt.Fprintf(&out, "  %s\n", task)
		}
	}
	golden(t, "tasks.txt", out.String())
}
