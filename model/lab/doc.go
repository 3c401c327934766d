// Package lab describes a system on the page. A Lab lists the models and files of a system.
// Settings holds the settings that every lab has in addition to those of its system. Panel
// makes the controls and figures for all settings. Their names and texts are in assets/texts,
// which system.ReadPage reads.
package lab
