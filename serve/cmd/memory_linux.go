package cmd

import (
	"path"
	"strconv"
	"strings"

	"macroscope/serve/input"
)

// systemMemory returns the memory that the kernel calls available, or the rest of the limit of a control group
// (as of a container, or a job of Slurm) if that is less.
func systemMemory() int {
	free := 0
	for line := range strings.Lines(text("/proc/meminfo")) {
		if rest, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			free = 1 << 10 * number(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
		}
	}
	for line := range strings.Lines(text("/proc/self/cgroup")) {
		group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::") // version 2
		for ok {
			folder := path.Join("/sys/fs/cgroup", group)
			if most := number(text(folder + "/memory.max")); most > 0 { // without a limit, the file says max
				free = min(free, max(1, most-number(text(folder+"/memory.current"))))
			}
			ok = group != "/"
			group = path.Dir(group)
		}
	}
	return free
}

func text(path string) string {
	b, _ := input.Read(path, 1<<20) // a file that is not there says nothing
	return string(b)
}

func number(text string) int {
	n, _ := strconv.Atoi(strings.TrimSpace(text))
	return n
}
