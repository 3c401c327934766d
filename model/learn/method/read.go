package method

import (
	"errors"
	"fmt"
	"maps"

	"macroscope/model/setting"
	"macroscope/model/system"
)

// Read reads the configuration of an experiment, which has a name as for NamedSpec, from the metadata of a
// checkpoint. There the names of settings have a prefix. Read also returns the configuration's system.
func (s Systems) Read(name string, metadata map[string]string, prefix string) (c Config, sys *system.System, err error) {
	spec := NamedSpec(name)
	if sys, err = s.Find(spec.System); err == nil && sys.Described != nil {
		if sys, err = sys.Described(metadata); err != nil {
			return c, nil, err
		}
	}
	if err == nil {
		c, err = PresetOf(sys, spec)
	}
	if err != nil {
		return c, nil, fmt.Errorf("the checkpoint is of the experiment %s: %w", setting.Quote(name), err)
	}
	c.Spec.Preset = ""
	named := c.Observable != ""
	if err := c.Table().Read(metadata, prefix); err != nil {
		return c, nil, fmt.Errorf("the checkpoint's configuration cannot be read: %w", err)
	}
	if err := c.Origin.read(metadata, c.Dim()); err != nil {
		return c, nil, fmt.Errorf("the checkpoint's configuration cannot be read: %w", err)
	}
	if named && c.Observable == "" {
		return c, nil, errors.New("the checkpoint's configuration names no observable; choose one that was saved whole")
	}
	c.Variables = len(sys.Variables(c.Observable))
	if err := c.Validate(); err != nil {
		return c, nil, fmt.Errorf("the checkpoint's configuration cannot be used: %w", err)
	}
	return c, sys, nil
}

// Write adds the configuration to the metadata of a checkpoint. Read is its inverse.
func (c *Config) Write(metadata map[string]string, prefix string) {
	c.Table().Write(metadata, prefix)
	c.Origin.write(metadata)
	maps.Copy(metadata, c.Traits.Description)
}
