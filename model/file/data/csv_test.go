package data

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

const ample = 1000

func TestReadCSV(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       Table
	}{
		{"one number", "1.5", Table{nil, 1, []float64{1.5}, nil, []int{1}}},
		{"one a line", "1\n-2e-3\n+3\n", Table{nil, 1, []float64{1, -0.002, 3}, nil, []int{1, 2, 3}}},
		{"header", "position\n1\n2\n", Table{[]string{"position"}, 1, []float64{1, 2}, nil, []int{2, 3}}},
		{"commas", "x, y\n1, 2\n3, 4\n", Table{[]string{"x", "y"}, 2, []float64{1, 2, 3, 4}, nil, []int{2, 3}}},
		{"semicolons", "1;2\n3;4\n", Table{nil, 2, []float64{1, 2, 3, 4}, nil, []int{1, 2}}},
		{"tabs", "1\t2\n3\t4\n", Table{nil, 2, []float64{1, 2, 3, 4}, nil, []int{1, 2}}},
		{"spaces", "  1   2 \n 3 4\n", Table{nil, 2, []float64{1, 2, 3, 4}, nil, []int{1, 2}}},
		{"one row", "1, 2, 3\n", Table{nil, 3, []float64{1, 2, 3}, nil, []int{1}}},
		{"separators at the ends", "1,\n2,\n", Table{nil, 1, []float64{1, 2}, nil, []int{1, 2}}},
		{"comments and blanks", "# by hand\n\n1 # first\n \t\n2\n#\n", Table{nil, 1, []float64{1, 2}, nil, []int{3, 5}}},
		{"a header as NumPy writes it", "# frame,x\n0,1\n1,2\n", Table{[]string{"frame", "x"}, 2, []float64{0, 1, 1, 2}, nil, []int{2, 3}}},
		{"a comment and a header", "# x of the beads\na,b,c,d\n1,2,3,4\n", Table{[]string{"a", "b", "c", "d"}, 4, []float64{1, 2, 3, 4}, nil, []int{3}}},
		{"a comment of other names", "# made by me\n1,2,3\n", Table{nil, 3, []float64{1, 2, 3}, nil, []int{2}}},
		{"a sign # that begins no comment", "Track #,\"a # b\"\n1,2\n", Table{[]string{"Track #", "a # b"}, 2, []float64{1, 2}, nil, []int{2}}},
		{"mark and CRLF", "\ufeff\"x\"\r\n\"1\"\r\n2\r\n", Table{[]string{"x"}, 1, []float64{1, 2}, nil, []int{2, 3}}},
		{"CR", "1\r2\r", Table{nil, 1, []float64{1, 2}, nil, []int{1, 2}}},
		{"index of pandas", ",x\n0,0.5\n1,0.25\n", Table{[]string{"", "x"}, 2, []float64{0, 0.5, 1, 0.25}, nil, []int{2, 3}}},
		{"names", "_a,Δx,r²\n1,2,3\n", Table{[]string{"_a", "Δx", "r²"}, 3, []float64{1, 2, 3}, nil, []int{2}}},
		{"denormal and zero", "1e-320\n1e-999\n", Table{nil, 1, []float64{1e-320, 0}, nil, []int{1, 2}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := ReadCSV(tc.text, ample)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(*got, tc.want) {
				t.Errorf("got %+v, want %+v", *got, tc.want)
			}
			if got.Rows() != len(tc.want.Values)/tc.want.Columns {
				t.Errorf("%d rows", got.Rows())
			}
		})
	}
}

func TestReadCSVRejects(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"empty", "", "the file holds no numbers; write one on each line"},
		{"blank", " \n\t\r\n# nothing\n", "the file holds no numbers; write one on each line"},
		{"only a header", "x,y\n", "the file holds no numbers; write one on each line"},
		{"a word", "1\n2\nabc\n", "line 3: \"abc\" is not a number"},
		{"a word after CRLF", "1\r\n2\r\nabc\r\n", "line 3: \"abc\" is not a number"},
		{"a word in column 2", "x,y\n1,2\n3,abc\n", "line 3, column 2: \"abc\" is not a number"},
		{"prose", "Dear reader,\nthis is a letter.\n", "line 2: \"this is a letter.\" is not a number"},
		{"half a header", "x,1\n", "line 1, column 1: \"x\" is not a number"},
		{"a gap", "1,,3\n", "line 1, column 2: a number is missing; fill the gap"},
		{"only separators", ",,\n", "line 1, column 1: a number is missing; fill the gap"},
		{"NaN", "1\nnan\n", "line 2: \"nan\" is not a finite number in single precision; leave it out"},
		{"NaN first", "NaN\n1\n", "line 1: \"NaN\" is not a finite number in single precision; leave it out"},
		{"infinity", "1 -Inf\n", "line 1, column 2: \"-Inf\" is not a finite number in single precision; leave it out"},
		{"overflow", "1e999\n", "line 1: \"1e999\" is too large for a number; leave it out"},
		{"decimal commas", "0,5;0,7\n", "line 1, column 1: \"0,5\" is not a number; write decimals with a point"},
		{"ragged", "1 2\n3\n", "line 2 has 1 value where line 1 has 2; make all lines alike"},
		{"a cut last number", "1\n2", "line 2, the last, has no line break, so its last number may be cut short; take another copy of the file, or add the line break if the number is whole"},
		{"header of another width", "x y\n1\n", "line 2 has 1 value, and the header names 2 columns; make them alike"},
		{"UTF-16", "\xff\xfe1\x00", "the text is in UTF-16; save it as UTF-8"},
		{"binary", "\x7fELF\x00\x00", "the file is not text; save the numbers as CSV, NPY or NPZ"},
		{"Latin-1", "1\n2 \xb5m\n", "line 2 has 2 values where line 1 has 1; make all lines alike"},
		{"not UTF-8", "1\n2\xb5m\n", "line 2: \"2\\xb5m\" is not a number; save the file as CSV in UTF-8"},
		{"a long word", "1\n" + strings.Repeat("ab\x01", 500), "line 2: \"ab\\x01ab\\x01ab\\x01ab\\x01ab\\x01ab\\x01ab\\x01ab\\x01…\" is not a number"},
		{"too many numbers", strings.Repeat("1\n", 1001), "line 1001: the file holds more than 1000 numbers; keep fewer"},
		{"too many in a line", strings.Repeat("1,", 1001), "line 1: the file holds more than 1000 numbers; keep fewer"},
		{"a first number that is none", "1.5e\n2\n", "line 1: \"1.5e\" is not a number"},
		{"a first number with its unit", "12px,3\n4,5\n", "line 1, column 1: \"12px\" is not a number"},
		{"a name without the others", "x,\"\",z\n1,2,3\n", "line 1, column 1: \"x\" is not a number"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := ReadCSV(tc.text, ample)
			if err == nil {
				t.Fatalf("accepted: %+v", got)
			}
			if err.Error() != tc.want {
				t.Errorf("got  %s\nwant %s", err, tc.want)
			}
		})
	}
}

func FuzzReadCSV(f *testing.F) {
	for _, s := range []string{"x;y\n1;2\n", "\ufeff1\r\n2\r", "1,,2", "# c\n\"1\" \"2\"", "0,5;0,7", "nan", "a\nb", strings.Repeat(",", 300)} {
		f.Add([]byte(s))
	}
	const most = 256
	f.Fuzz(func(t *testing.T, b []byte) {
		var got *Table
		var err error
		if n := allocated(func() { got, err = ReadCSV(string(b), most) }); n > maxAlloc(len(b)) {
			t.Fatalf("%d bytes taken for %d", n, len(b))
		}
		if err != nil {
			checkSentence(t, err)
			return
		}
		if got.Columns < 1 || len(got.Values) == 0 || len(got.Values) > most || len(got.Values)%got.Columns != 0 ||
			got.Header != nil && len(got.Header) != got.Columns {
			t.Fatalf("impossible table %+v", got)
		}
		if i := slices.IndexFunc(got.Values, func(v float64) bool { return v-v != 0 }); i >= 0 {
			t.Fatalf("value %d is %v", i, got.Values[i])
		}
	})
}
