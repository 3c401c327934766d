package experiment

import (
	"fmt"
	"slices"
	"strings"

	"macroscope/model/net/decoder"
	"macroscope/model/net/encoder"
	"macroscope/model/setting"
	"macroscope/model/system"
)

// Method is a way to find the closure variables: an encoder, a decoder, and the recipes by
// which both are trained for each system.
type Method struct {
	Name    string // name in specifications
	Title   string // name on the page
	Text    string // one sentence that describes the method
	Encoder func(Size) encoder.Kind
	Decoder func(Size) decoder.Kind
	Systems map[string]ByPreset // by system name
}

// Presets lists the names of the presets for a system. There are none if the method does not
// support the system.
func (m *Method) Presets(system string) (names []string) {
	presets := m.Systems[system]
	for i := range presets {
		if presets[i].steps != nil {
			names = append(names, presetNames[i])
		}
	}
	return names
}

// Ordered reports whether the closure variables depend on the order of the particles.
func (m *Method) Ordered() bool { return m.Encoder(Medium).Ordered() }

// pair is a system and a method.
type pair struct{ system, method string }

// catalogue holds the presets of every pair and the methods for every system.
type catalogue struct {
	presets map[pair][]string
	systems map[string][]Method
}

var known = listed(methods)

func listed(methods []Method) catalogue {
	c := catalogue{make(map[pair][]string), make(map[string][]Method)}
	for _, m := range methods {
		for system := range m.Systems {
			c.presets[pair{system, m.Name}] = m.Presets(system)
			c.systems[system] = append(c.systems[system], m)
		}
	}
	return c
}

// Methods lists all methods. Callers must not change the list.
func Methods() []Method { return methods }

// MethodsFor lists the methods for a system. Callers must not change the list.
func MethodsFor(system string) []Method { return known.systems[system] }

// Presets lists the presets of a pair. There are none if the method does not support the
// system. The caller may change the list.
func Presets(system, method string) []string {
	return slices.Clone(known.presets[pair{system, method}])
}

// FindMethod returns the method with this name.
func FindMethod(name string) (Method, error) {
	if i := slices.IndexFunc(methods, func(m Method) bool { return m.Name == name }); i >= 0 {
		return methods[i], nil
	}
	var names []string
	for _, m := range methods {
		names = append(names, m.Name)
	}
	return Method{}, fmt.Errorf("there is no method %s; use %s", setting.Quote(name), strings.Join(names, " or "))
}

// Systems lists the systems that a program contains.
type Systems []system.System

// Find returns the system with this name.
func (s Systems) Find(name string) (system.System, error) {
	var names []string
	for _, sys := range s {
		if sys.Traits().Name == name {
			return sys, nil
		}
		names = append(names, sys.Traits().Name)
	}
	return nil, fmt.Errorf("there is no system %s; use %s", setting.Quote(name), strings.Join(names, ", "))
}
