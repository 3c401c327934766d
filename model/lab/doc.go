// Package lab describes a system on the page: the models and files that come with it (Lab),
// the settings of every lab in addition to the system's (Settings), and the panel of controls
// and numbers made of both (Panel). Their names and texts are in assets/texts, as
// system.ReadPage reads it.
package lab
