#!/usr/bin/env python3
"""Prints the coefficients of fw_tanh_float (elementary_float.h): python3 sim/base/tanh_float.py

The rational function x P(x^2) / Q(x^2), P and Q of degree 4 in x^2, Q(0) = 1, that equals tanh at the Chebyshev nodes of
[0, 9]; nine linear equations, solved with 60 digits. Beside them the largest error, absolute from 1 on and relative
below, before rounding to float.
"""

from decimal import Decimal, getcontext
from math import cos, pi

getcontext().prec = 60
DEGREE, END, GRID = 4, 9, 2000


def tanh(x):
    e = (2 * x).exp()
    return (e - 1) / (e + 1)


def solve(rows):
    """Gauss-Jordan elimination with pivots; each row ends with its right side."""
    for column in range(len(rows)):
        pivot = max(range(column, len(rows)), key=lambda r: abs(rows[r][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for r in range(len(rows)):
            if r != column:
                factor = rows[r][column] / rows[column][column]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[column])]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def polynomial(coefficients, z):
    return sum(c * z**k for k, c in enumerate(coefficients))


def main():
    count = 2 * DEGREE + 1
    rows = []
    for i in range(count):
        x = END * (1 - Decimal(str(cos(pi * (i + 0.5) / count)))) / 2
        powers = [(x * x) ** k for k in range(DEGREE + 1)]
        rows.append([x * z for z in powers] + [-tanh(x) * z for z in powers[1:]] + [tanh(x)])
    solution = solve(rows)
    p, q = solution[: DEGREE + 1], [Decimal(1)] + solution[DEGREE + 1 :]
    errors = []
    for i in range(1, GRID + 1):
        x = Decimal(END * i) / GRID
        error = abs(x * polynomial(p, x * x) / polynomial(q, x * x) - tanh(x))
        errors.append(error / min(x, Decimal(1)))
    for name, coefficients in (("P", p), ("Q", q)):
        print(name, ", ".join(f"{float(c):.9g}f" for c in reversed(coefficients)))
    print(f"error {float(max(errors)):.2g}")


if __name__ == "__main__":
    main()
