// Package lab describes a system on the page. A Lab has the models and files that ship with
// it. Settings are the settings that every lab has in addition to the system's. Panel makes
// controls and figures of both. Their names and texts are in assets/texts, which
// system.ReadPage reads.
package lab
