#!/usr/bin/env python3
"""Coefficients of lib/Lower/MathCoefficients.inc.

`tools/dev/minimax.py > lib/Lower/MathCoefficients.inc` fits each polynomial by Remez exchange in 40
digits (needs mpmath) and prints it with its largest weighted error. The weights make that error
relative to the function that the polynomial is part of.
"""
# SPDX-License-Identifier: Apache-2.0
from mpmath import asin, atan, cos, erfc, exp, fabs, log, lu_solve, matrix, mp, mpf, pi, polyval
from mpmath import sin, sinh, sqrt, tanh, taylor

mp.dps = 40


def remez(function, weight, low, high, degree, rounds=12, points=400):
    """Coefficients, lowest first, of the polynomial nearest to `function` on [low, high]."""
    low, high = mpf(low), mpf(high)
    count = degree + 2
    nodes = [(low + high) / 2 - (high - low) / 2 * cos(pi * i / (count - 1)) for i in range(count)]
    coefficients = []
    for _ in range(rounds):
        rows, values = matrix(count, count), matrix(count, 1)
        for i, x in enumerate(nodes):
            for j in range(degree + 1):
                rows[i, j] = x**j
            rows[i, degree + 1] = (-1) ** i / weight(x)
            values[i] = function(x)
        solution = lu_solve(rows, values)
        coefficients = [solution[j] for j in range(degree + 1)]

        def error(x):
            return (polyval(coefficients[::-1], x) - function(x)) * weight(x)

        # The extremes between the zeros of the error are the next nodes.
        grid = [low + (high - low) * (1 - cos(pi * i / points)) / 2 for i in range(points + 1)]
        errors = [error(x) for x in grid]
        segments, start = [], 0
        for i in range(1, points + 1):
            if (errors[i] > 0) != (errors[i - 1] > 0):
                segments.append((start, i))
                start = i
        segments.append((start, points + 1))
        if len(segments) < count:
            break
        nodes = [grid[max(range(a, b), key=lambda i: fabs(errors[i]))] for a, b in segments][:count]
    worst = max(fabs(e) for e in errors)
    return coefficients, worst


def near(function, order, offset):
    """`function` away from 0, its Taylor series (divided by x**order) near it."""
    series = taylor(function, 0, 14)[order:]
    return lambda x: polyval(series[::-1], x) if fabs(x) < mpf("1e-3") else offset(x)


def even(function, first, x_of=sqrt):
    """(function(x) - first(x)) / x**3 as a function of s = x**2."""
    series = taylor(function, 0, 21)[3::2]

    def value(s):
        if s < mpf("1e-3"):
            return polyval(series[::-1], s)
        x = x_of(s)
        return (function(x) - first(x)) / x**3

    return value


def emit(name, kind, coefficients, worst, comment):
    print(f"// {comment}; error 2^{mp.nstr(log(worst, 2), 4)}.")
    print(f"constexpr {kind} {name}[] = {{")
    for c in coefficients:
        print(f"    {mp.nstr(c, 17 if kind == 'double' else 11, min_fixed=0, max_fixed=0)},")
    print("};")



def main():
    print("// Written by tools/dev/minimax.py; do not edit. SPDX-License-Identifier: Apache-2.0")
    half = log(2) / 2 * mpf("1.001")
    c, w = remez(near(exp, 2, lambda r: (exp(r) - 1 - r) / r**2), lambda r: r**2 / exp(r) + mpf("1e-12"),
                 -half, half, 4)
    emit("expCoefficients", "double", c, w, "(e^r - 1 - r) / r^2 on +-ln2/2, relative to e^r")
    c, w = remez(near(lambda f: log(1 + f), 2, lambda f: (log(1 + f) - f) / f**2),
                 lambda f: fabs(f) + mpf("1e-9"), -mpf(1) / 3, mpf(1) / 3, 13)
    emit("logCoefficients", "double", c, w, "(ln(1 + f) - f) / f^2 on +-1/3, relative to f")
    c, w = remez(near(lambda f: log(1 + f), 2, lambda f: (log(1 + f) - f) / f**2),
                 lambda f: fabs(f) + mpf("1e-9"), -mpf(1) / 3, mpf(1) / 3, 8)
    emit("shortLogCoefficients", "double", c, w, "the same for f32")
    c, w = remez(near(lambda r: 2**r, 1, lambda r: (2**r - 1) / r), lambda r: fabs(r) + mpf("1e-9"),
                 -mpf("0.5005"), mpf("0.5005"), 7)
    emit("exp2Coefficients", "double", c, w, "(2^r - 1) / r on +-1/2")
    quarter = (pi / 4 * mpf("1.001")) ** 2
    c, w = remez(even(sin, lambda x: x), lambda s: s + mpf("1e-9"), 0, quarter, 3)
    emit("sinCoefficients", "double", c, w, "(sin x - x) / x^3 in x^2 on +-pi/4")
    def cosine(s):
        series = [mpf(1) / mp.factorial(2 * k) * (-1) ** k for k in range(2, 14)]
        return polyval(series[::-1], s)
    c, w = remez(cosine, lambda s: s**2 + mpf("1e-9"), 0, quarter, 3)
    emit("cosCoefficients", "double", c, w, "(cos x - 1 + x^2/2) / x^4 in x^2 on +-pi/4")
    c, w = remez(even(tanh, lambda x: x), lambda s: s + mpf("1e-9"), 0, mpf("0.626") ** 2, 4)
    emit("tanhCoefficients", "double", c, w, "(tanh x - x) / x^3 in x^2 up to 0.625")
    c, w = remez(even(tanh, lambda x: x), lambda s: s + mpf("1e-9"), 0, mpf("0.25") ** 2, 1)
    emit("shortTanhCoefficients", "double", c, w, "(tanh x - x) / x^3 in x^2 up to 1/4")
    c, w = remez(even(sinh, lambda x: x), lambda s: s + mpf("1e-9"), 0, mpf("1.01"), 3)
    emit("sinhCoefficients", "double", c, w, "(sinh x - x) / x^3 in x^2 up to 1")
    c, w = remez(even(asin, lambda x: x), lambda s: s + mpf("1e-9"), 0, mpf("0.2501"), 5)
    emit("asinCoefficients", "double", c, w, "(asin x - x) / x^3 in x^2 up to 1/2")
    c, w = remez(even(atan, lambda x: x), lambda s: s + mpf("1e-9"), 0, mpf("1.001"), 8)
    emit("atanCoefficients", "double", c, w, "(atan x - x) / x^3 in x^2 up to 1")
    def erf_ratio(s):
        series = [2 / sqrt(pi) * (-1) ** k / (mp.factorial(k) * (2 * k + 1)) for k in range(40)]
        return polyval(series[::-1], s) - 1
    c, w = remez(erf_ratio, lambda s: mpf(1), 0, mpf("1.01"), 6)
    emit("erfCoefficients", "double", c, w, "erf(x) / x - 1 in x^2 up to 1")
    c, w = remez(lambda a: log(erfc(a)) / log(2), lambda a: erfc(a) * log(2), mpf("0.99"), mpf(4), 7)
    emit("erfTailCoefficients", "double", c, w, "log2(erfc(x)) from 1 to 4, as an error of erfc")
    c, w = remez(lambda t: erfc(2 / t - 2) * exp((2 / t - 2) ** 2), lambda t: 1 / (erfc(2 / t - 2) * exp((2 / t - 2) ** 2)),
                 2 / (2 + mpf("10.2")), 2 / (2 + mpf("0.49")), 10)
    emit("erfcCoefficients", "double", c, w, "erfc(x) e^(x^2) in t = 2 / (2 + x) from 1/2 to 10.2, relative")
    c, w = remez(lambda x: log(erfc(x)) / log(2) / x, lambda x: x * log(2), mpf("1e-6"), mpf("5.5"), 7)
    emit("erfcPowerCoefficients", "double", c, w, "log2(erfc(x)) / x up to 5.5, as a relative error of erfc")


main()
