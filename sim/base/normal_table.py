#!/usr/bin/env python3
"""Writes normal_table.h: python3 sim/base/normal_table.py > sim/base/normal_table.h

Row by row, the polynomial that interpolates -quantile((start + x) / 2^32) at Chebyshev nodes of the row,
by divided differences in exact rational arithmetic, rounded to double at the end.
"""

from fractions import Fraction
from math import cos, pi
from statistics import NormalDist

FIRST_OCTAVE, LAST_OCTAVE = 20, 31
ROW_BITS = 4
DEGREE = 4

HEAD = """\
/* The table of random_normal.c; written by normal_table.py, do not edit.
 *
 * Octave k holds the words v with 2^k <= v < 2^(k+1), in 2^ROW_BITS rows of equal width. A row holds the
 * coefficients, highest power first, of a polynomial in the distance of v + 1/2 from the row's start. */
/* clang-format off */
#ifndef FW_BASE_NORMAL_TABLE_H
#define FW_BASE_NORMAL_TABLE_H

enum {{ FWI_NORMAL_FIRST_OCTAVE = {first}, FWI_NORMAL_ROW_BITS = {bits} }};

static const double FWI_NORMAL_TABLE[{rows}][{columns}] = {{"""

TAIL = """\
};

#endif"""


def interpolate(nodes, values):
    """Coefficients, highest power first, of the polynomial through the points."""
    differences = list(values)
    for order in range(1, len(nodes)):
        for i in range(len(nodes) - 1, order - 1, -1):
            differences[i] = (differences[i] - differences[i - 1]) / (nodes[i] - nodes[i - order])
    coefficients = []
    for node, difference in zip(reversed(nodes), reversed(differences)):
        shifted = coefficients + [Fraction(0)]
        scaled = [Fraction(0)] + [node * c for c in coefficients]
        coefficients = [a - b for a, b in zip(shifted, scaled)]
        coefficients[-1] += difference
    return coefficients


def row(start, width):
    nodes = [Fraction(width * (1 - cos(pi * (i + 0.5) / (DEGREE + 1))) / 2) for i in range(DEGREE + 1)]
    values = [Fraction(-NormalDist().inv_cdf(float((start + x) / 2**32))) for x in nodes]
    return [float(c) for c in interpolate(nodes, values)]


def main():
    octave_rows = 1 << ROW_BITS
    count = (LAST_OCTAVE - FIRST_OCTAVE) * octave_rows
    print(HEAD.format(first=FIRST_OCTAVE, bits=ROW_BITS, rows=count, columns=DEGREE + 1))
    for octave in range(FIRST_OCTAVE, LAST_OCTAVE):
        width = (1 << octave) // octave_rows
        for i in range(octave_rows):
            numbers = ", ".join(c.hex() for c in row((1 << octave) + i * width, width))
            print("    {" + numbers + "},")
    print(TAIL)


if __name__ == "__main__":
    main()
