// Package ckpt reads and writes checkpoints in the safetensors format, so that PyTorch and NumPy
// users can open them with the library of that name:
//
//	8 bytes   length n of the header, little-endian
//	n bytes   JSON: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...},
//	          and under "__metadata__" an object of strings; padded with spaces
//	the rest  the elements, little-endian, row-major, without gaps
//
// Encode adds a checksum to the metadata, under "crc32.all", as eight hexadecimal digits. It is
// the CRC-32 (IEEE) of a simplified header, followed by the elements' bytes. The simplified header
// is the JSON without checksums and padding, with tensors sorted by name. Older files have
// "crc32", the CRC-32 of only the elements' bytes. Decode checks the checksum that a file has, and
// leaves it out of the File.
//
// Numbers of 16 bits (F16) are read as float32. They halve a file's size.
//
// A file is a set of named arrays and a set of named texts; the caller defines their meaning.
// FromArena and ToArena convert between these arrays and an arena of parameters.
package ckpt
