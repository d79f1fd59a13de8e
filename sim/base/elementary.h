/* Elementary functions with the same bits on every compiler, optimisation level and processor.
 *
 * glibc picks a different exp and log where the processor has FMA, so its last digits depend on the
 * machine. These are ours: only +, -, x, / and sqrt in double precision, which IEEE 754 fixes, compiled
 * with -ffp-contract=off. On every path to a result, use these and not <math.h> (fabs, floor, ceil,
 * sqrt, isfinite and the like are exact and may be used). Errors stated are maxima over tested ranges. */
#ifndef FW_BASE_ELEMENTARY_H
#define FW_BASE_ELEMENTARY_H

double fw_exp(double x);           /* relative error < 2e-15; 0 and infinity at the ends as IEEE would */
double fw_log(double x);           /* natural; < 2e-15 relative (absolute near 1); -inf at 0, NaN below */
double fw_log2(double x);          /* exact at powers of two */
double fw_pow(double x, double y); /* x >= 0; exp(y log x), relative error < 1e-13 for |y log x| < 100 */
double fw_tanh(double x);          /* relative error < 2e-15 */

/* log Gamma(x), x > 0: relative error < 1e-12, absolute error < 1e-14 around the zeros at 1 and 2. */
double fw_lgamma(double x);

/* Standard normal distribution. cdf: relative error < 2e-15 (Cody, 1969), in the lower tail too.
 * quantile: p in (0, 1), infinite at the ends; relative error < 1e-14 (Wichura, AS 241, 1988). */
double fw_normal_cdf(double z);
double fw_normal_quantile(double p);

/* Quantile of Student's t with `degrees` >= 1 degrees of freedom, p in (0, 1); relative error < 1e-10. */
double fw_student_quantile(double p, double degrees);

#endif
