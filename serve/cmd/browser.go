package cmd

import (
	"fmt"
	"io"
	"os/exec"
	"runtime"
)

// opener returns the command that opens an address in the visitor's browser. `goos` is the
// operating system, a runtime.GOOS.
func opener(goos, url string) []string {
	switch goos {
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", url}
	case "darwin":
		return []string{"open", url}
	}
	return []string{"xdg-open", url}
}

// openBrowser opens an address in the visitor's browser. If that fails, it writes a message to out.
// The visitor can then open the lab by hand.
func openBrowser(url string, out io.Writer) {
	command := opener(runtime.GOOS, url)
	program := exec.Command(command[0], command[1:]...)
	if err := program.Start(); err != nil {
		fmt.Fprintf(out, "no browser could be opened (%v): open %s yourself\n", err, url)
		return
	}
	go program.Wait() // otherwise the ended program would remain in the process table
}
