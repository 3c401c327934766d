package lab

import (
	"macroscope/model/experiment"
	"macroscope/model/setting"
	"macroscope/model/system"
)

// Lab is a system as the page offers it, with the files of the bundle that come
// with it.
type Lab struct {
	System system.System
	// Systems are all that checkpoints can be of.
	Systems experiment.Systems
	// Shipped names the model that comes with the lab for a kernel width and a
	// number of closure variables; "" is none.
	Shipped func(eps float64, zdim int) string
	// Ordered names the model whose encoder depends on the order of particles,
	// with which the others are compared; "" is none.
	Ordered string
	// Codes names the trajectories that the shipped model has encoded, on which
	// dynamics are trained; "" is none.
	Codes string
}

// Always returns a Shipped of one model.
func Always(name string) func(float64, int) string {
	return func(float64, int) string { return name }
}

// Link returns the lab's name in links.
func (l *Lab) Link() string {
	if t := l.System.Traits(); t.Link != "" {
		return t.Link
	}
	return l.System.Traits().Name
}

// Learns says whether models of the lab's system can be trained.
func (l *Lab) Learns() bool { return len(experiment.MethodsFor(l.System.Traits().Name)) > 0 }

// IsSampler says whether the system is one of single sets, whose model follows
// its target as it trains.
func (l *Lab) IsSampler() bool {
	_, ok := l.System.(system.Sampler)
	return ok
}

// Observables lists what a recording can be read for, the system's own first;
// nil if there is no choice.
func (l *Lab) Observables() []setting.Option {
	if o, ok := l.System.(interface{ Observables() []setting.Option }); ok {
		return o.Observables()
	}
	return nil
}
