//go:build !linux

package cmd

// systemMemory returns 0: it is not known how much memory the system has free.
func systemMemory() int { return 0 }
