/* The standard normal and Student's t distribution.
 *
 * normal cdf: W. J. Cody, "Rational Chebyshev approximations for the error function", Math. Comp. 23 (1969),
 * with the coefficients for the normal integral of Algorithm 715 (ACM TOMS 19, 1993).
 * normal quantile: M. J. Wichura, Algorithm AS 241 (PPND16), Applied Statistics 37 (1988).
 * t quantile: Newton's method on the logarithm of the incomplete beta function (see below). */
#include <math.h>
#include <stdbool.h>

#include "sim/base/elementary.h"
#include "sim/base/polynomial.h"

static const double INVERSE_SQRT_TWO_PI = 0.39894228040143267794;
static const double HALF_LOG_PI = 0.57236494292470008707;

/* exp(-z^2/2). The square of z rounded down to sixteenths is exact, so a large z loses no digits. */
static double bell(double z) {
  double coarse = floor(z * 16.0) / 16.0;
  double rest = (z - coarse) * (z + coarse);
  return fw_exp(-0.5 * coarse * coarse) * fw_exp(-0.5 * rest);
}

/* P(0 < Z < z) for |z| <= 0.66291. */
static double normal_centre(double z) {
  static const double numerator[] = {6.5682337918207449113e-2, 2.2352520354606839287, 1.6102823106855587881e2,
                                     1.0676894854603709582e3, 1.8154981253343561249e4};
  static const double denominator[] = {1.0, 4.7202581904688241870e1, 9.7609855173777669322e2, 1.0260932208618978205e4,
                                       4.5507789335026729956e4};
  double square = z * z;
  return z * FWI_POLYNOMIAL(numerator, square) / FWI_POLYNOMIAL(denominator, square);
}

/* P(Z > z) / exp(-z^2/2) for z in [0.66291, sqrt(32)]. */
static double normal_flank(double z) {
  static const double numerator[] = {1.0765576773720192317e-8, 3.9894151208813466764e-1, 8.8831497943883759412,
                                     9.3506656132177855979e1,  5.9727027639480026226e2,  2.4945375852903726711e3,
                                     6.8481904505362823326e3,  1.1602651437647350124e4,  9.8427148383839780218e3};
  static const double denominator[] = {1.0,
                                       2.2266688044328115691e1,
                                       2.3538790178262499861e2,
                                       1.5193775994075548050e3,
                                       6.4855582982667607550e3,
                                       1.8615571640885098091e4,
                                       3.4900952721145977266e4,
                                       3.8912003286093271411e4,
                                       1.9685429676859990727e4};
  return FWI_POLYNOMIAL(numerator, z) / FWI_POLYNOMIAL(denominator, z);
}

/* The same for z >= sqrt(32). */
static double normal_far(double z) {
  static const double numerator[] = {2.307344176494017303e-2, 2.1589853405795699e-1,   1.274011611602473639e-1,
                                     2.2235277870649807e-2,   1.421619193227893466e-3, 2.9112874951168792e-5};
  static const double denominator[] = {1.0,
                                       1.28426009614491121,
                                       4.68238212480865118e-1,
                                       6.59881378689285515e-2,
                                       3.78239633202758244e-3,
                                       7.29751555083966205e-5};
  double square = 1.0 / (z * z);
  double correction = square * FWI_POLYNOMIAL(numerator, square) / FWI_POLYNOMIAL(denominator, square);
  return (INVERSE_SQRT_TWO_PI - correction) / z;
}

double fw_normal_cdf(double z) {
  if (isnan(z)) return z;
  double size = fabs(z);
  if (size <= 0.66291) return 0.5 + normal_centre(z);
  if (size > 39.0) return z < 0 ? 0.0 : 1.0; /* the tail is below the smallest double */
  double tail = bell(size) * (size * size <= 32.0 ? normal_flank(size) : normal_far(size));
  return z < 0 ? tail : 1.0 - tail;
}

/* AS 241 for |offset| = |p - 1/2| <= 0.425. */
static double quantile_centre(double offset) {
  static const double numerator[] = {2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
                                     4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3,
                                     1.3314166789178437745e2, 3.3871328727963666080};
  static const double denominator[] = {
      5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
      5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1.0};
  double r = 0.180625 - offset * offset;
  return offset * FWI_POLYNOMIAL(numerator, r) / FWI_POLYNOMIAL(denominator, r);
}

/* AS 241 for a tail probability below 0.075, as r = sqrt(-log(tail)); r <= 5. */
static double quantile_flank(double r) {
  static const double numerator[] = {7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
                                     1.27045825245236838258,    3.64784832476320460504,    5.76949722146069140550,
                                     4.63033784615654529590,    1.42343711074968357734};
  static const double denominator[] = {
      1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
      6.89767334985100004550e-1, 1.67638483018380384940,    2.05319162663775882187,    1.0};
  return FWI_POLYNOMIAL(numerator, r - 1.6) / FWI_POLYNOMIAL(denominator, r - 1.6);
}

/* The same for r > 5. */
static double quantile_far(double r) {
  static const double numerator[] = {2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
                                     2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580,
                                     5.46378491116411436990,    6.65790464350110377720};
  static const double denominator[] = {
      2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
      1.48753612908506148525e-2,  1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0};
  return FWI_POLYNOMIAL(numerator, r - 5.0) / FWI_POLYNOMIAL(denominator, r - 5.0);
}

double fw_normal_quantile(double p) {
  if (!(p > 0 && p < 1)) return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
  double offset = p - 0.5;
  if (fabs(offset) <= 0.425) return quantile_centre(offset);
  double r = sqrt(-fw_log(offset < 0 ? p : 1.0 - p));
  double size = r <= 5.0 ? quantile_flank(r) : quantile_far(r);
  return offset < 0 ? -size : size;
}

/* log(1 + x) without loss for small x > -1: the rounding error of 1 + x is put back to first order. */
static double log_of_one_plus(double x) {
  double sum = 1.0 + x;
  return fw_log(sum) - ((sum - 1.0) - x) / sum;
}

/* log(Gamma(x + 1/2) / Gamma(x)), without the cancellation of two large log Gammas. The expansion in 1/x
 * (A&S 6.1.47, as a logarithm) is good to 1e-15 from 20 on; below, the recurrence of Gamma leads there. */
static double log_half_step(double x) {
  static const double series[] = {17.0 / 14336, -1.0 / 640, 1.0 / 192, -1.0 / 8};
  double product = 1.0;
  while (x < 20.0) {
    product *= x / (x + 0.5);
    x += 1.0;
  }
  double reciprocal = 1.0 / x;
  return fw_log(product * sqrt(x)) + reciprocal * FWI_POLYNOMIAL(series, reciprocal * reciprocal);
}

/* The continued fraction of the incomplete beta function without its leading factor, by the modified Lentz
 * method (NIST DLMF 8.17.22 and 3.10): I_x(a,b) = x^a (1-x)^b / (a B(a,b)) / (1 + d1/(1 + d2/(1 + ...))). */
static double beta_fraction(double a, double b, double x) {
  enum { MAX_TERMS = 5000 };
  double c = 1.0, d = 0.0, value = 1.0;
  for (int i = 1; i <= MAX_TERMS; i++) {
    int pair = i / 2;
    double m = pair;
    double twice = a + 2.0 * m;
    double term =
        i % 2 == 1 ? -(a + m) * (a + b + m) * x / (twice * (twice + 1.0)) : m * (b - m) * x / ((twice - 1.0) * twice);
    d = 1.0 / (1.0 + term * d);
    c = 1.0 + term / c;
    value *= c * d;
    if (fabs(c * d - 1.0) < 1e-16) break;
  }
  return 1.0 / value;
}

/* A point t = e^u > 0 of Student's distribution with v degrees. The masses are those of (0, t) and (t, inf). */
typedef struct student_point {
  double log_weight; /* log of t times the density */
  double log_centre;
  double log_tail;
} student_point;

/* With x = v / (v + t^2): tail = I_x(v/2, 1/2) / 2, centre = I_{1-x}(1/2, v/2) / 2, and the leading factor
 * of both is the weight. One of them has a fast continued fraction; the other is the rest of 1/2. */
static student_point student_at(double u, double v, double log_beta) {
  double log_odds = 2.0 * u - fw_log(v); /* log((1 - x) / x) */
  double odds = fw_exp(log_odds);
  double minus_log_x = log_odds > 40.0 ? log_odds : log_of_one_plus(odds);
  double a = 0.5 * v;
  double x = 1.0 / (1.0 + odds);
  student_point point = {.log_weight = 0.5 * log_odds - (a + 0.5) * minus_log_x - log_beta};
  if (x < (a + 1.0) / (a + 2.5)) {
    point.log_tail = point.log_weight + fw_log(beta_fraction(a, 0.5, x) / v);
    point.log_centre = fw_log(0.5 - fw_exp(point.log_tail));
  } else {
    point.log_centre = point.log_weight + fw_log(beta_fraction(0.5, a, odds * x));
    point.log_tail = fw_log(0.5 - fw_exp(point.log_centre));
  }
  return point;
}

/* The t > 0 that has `centre` below it (from 0) and `tail` above it; starts from the guess t = e^u.
 *
 * In u = log t both log masses are concave: log density is a concave function of u, so its ratio at s t and t
 * falls (s > 1) or rises (s < 1) with t, and t density / mass is one over the integral of that ratio over s.
 * Newton's method on a concave monotone function comes from one side after its first step, from any start. */
static double student_solve(double u, double v, double centre, double tail) {
  enum { MAX_STEPS = 100 };
  double log_beta = HALF_LOG_PI - log_half_step(0.5 * v);
  bool by_centre = centre < tail;
  double target = fw_log(by_centre ? centre : tail);
  for (int i = 0; i < MAX_STEPS; i++) {
    student_point point = student_at(u, v, log_beta);
    double log_mass = by_centre ? point.log_centre : point.log_tail;
    double step = (log_mass - target) * fw_exp(log_mass - point.log_weight);
    u += by_centre ? -step : step;
    if (fabs(step) < 1e-8) break; /* what is left is of the order of its square */
  }
  return fw_exp(u);
}

/* The expansion about the normal quantile z (A&S 26.7.5), for degrees so many that the first term left out,
 * about 1e-3 (z^2 / v)^4 of the value, vanishes even for |z| = 38. */
static double student_near_normal(double z, double v) {
  double square = z * z;
  double g1 = (square + 1.0) / 4.0;
  double g2 = ((5.0 * square + 16.0) * square + 3.0) / 96.0;
  double g3 = (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / 384.0;
  return z * (1.0 + (g1 + (g2 + g3 / v) / v) / v);
}

double fw_student_quantile(double p, double degrees) {
  if (!(degrees >= 1)) return NAN;
  double z = fw_normal_quantile(p);
  if (!isfinite(z) || z == 0) return z;
  if (degrees > 1e6) return student_near_normal(z, degrees);
  double t = student_solve(fw_log(fabs(z)), degrees, fabs(p - 0.5), p < 0.5 ? p : 1.0 - p);
  return z < 0 ? -t : t;
}
