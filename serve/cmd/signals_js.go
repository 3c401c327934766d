package cmd

import "os"

func ending() []os.Signal { return []os.Signal{os.Interrupt} }
