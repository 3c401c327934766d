package method

import "macroscope/model/net/decoder"

// Autoencoder is what stage I trains: an encoder, and a decoder of its ẑ.
type Autoencoder struct {
	// Input contains the encoder, and the shape of frames and of what it computes: ZDim is as Config.ZDim returns it.
	Input   decoder.Input
	decoder *decoder.Config
}

// Autoencoder returns the encoder and the decoder.
func (c *Config) Autoencoder() Autoencoder {
	s := c.Shape
	s.ZDim = c.ZDim()
	return Autoencoder{decoder.Input{Shape: s, Encoder: c.Encoder, Macros: c.Variables}, &c.Decoder}
}

// check returns an error if the encoder or the decoder cannot have its settings.
func (a Autoencoder) check() error {
	if err := a.Input.Encoder.Validate(a.Input.Shape); err != nil {
		return err
	}
	return a.decoder.Validate(a.Input)
}

// Trains returns an error if stage I cannot be trained on a frame with these sets. `ends` says
// where each set ends, like Batch.Ends.
func (a Autoencoder) Trains(ends []int) error {
	if err := a.Input.Encoder.Takes(a.Input.Shape, ends); err != nil {
		return err
	}
	return a.decoder.Takes(a.Input, ends)
}

// Work estimates how many multiplications the encoder and the decoder take per frame, given
// their numbers of weights.
func (a Autoencoder) Work(encoder, decoder int) (encode, restore float64) {
	return a.Input.Encoder.Work(a.Input.Shape, encoder), a.decoder.Work(a.Input, a.decoder.Target, decoder)
}
