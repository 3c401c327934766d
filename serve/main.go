// Command macroscope serves the lab to a browser and runs its experiments natively.
//
// Without a subcommand, it serves the built lab on this machine. The subcommands, such as train and eval, run
// experiments; -h lists them. Results go to standard output, everything else to standard error.
package main

import "macroscope/serve/cmd"

func main() { cmd.Main() }
