// Package lab describes a system on the page. A Lab has the models and files that ship with
// it. Settings holds the settings that every lab has in addition to those of its system.
// Panel makes the controls and figures for all of them. Their names and texts are in
// assets/texts; system.ReadPage reads them.
package lab
