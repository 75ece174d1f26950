/** The standard normal distribution. */

/** The distribution function, by an approximation of the error function (Abramowitz and Stegun, 7.1.26). */
export function normalCdf(x: number): number {
  const z = Math.abs(x) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * z)
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
  const erf = 1 - series * Math.exp(-z * z)
  return x < 0 ? (1 - erf) / 2 : (1 + erf) / 2
}

/** Coefficients of a rational approximation of the quantile by Peter Acklam; its relative error is below 1.15e-9. */
const CENTER = {
  above: [
    -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239,
  ],
  below: [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1],
}
const TAIL = {
  above: [
    -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
    2.938163982698783,
  ],
  below: [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1],
}
const TAIL_SHARE = 0.02425
const MIN_SHARE = 1e-12

/** The value below which a share of the distribution lies. */
export function normalQuantile(share: number): number {
  const p = Math.min(1 - MIN_SHARE, Math.max(MIN_SHARE, share))
  if (p < TAIL_SHARE) return tail(p)
  if (p > 1 - TAIL_SHARE) return -tail(1 - p)
  const q = p - 0.5
  const r = q * q
  return (polynomial(CENTER.above, r) * q) / polynomial(CENTER.below, r)
}

function tail(p: number): number {
  const q = Math.sqrt(-2 * Math.log(p))
  return polynomial(TAIL.above, q) / polynomial(TAIL.below, q)
}

function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0)
}
