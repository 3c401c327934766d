// Command macroscope is the laboratory without, and for, a browser.
//
// Without a subcommand it serves the built lab on this machine. The
// subcommands run the lab's experiments natively: simulate, encode, calibrate, train, export, eval,
// figure, sweep, reproduce, verify and bench. Results go to standard output, everything else to standard error.
package main

import "macroscope/serve/cmd"

func main() { cmd.Main() }
