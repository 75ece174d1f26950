/** Distributions of delays in milliseconds, drawn by the inverse of their distribution function. */
import type { Json } from '../contract/json.ts'
import { isRecord } from '../contract/record.ts'
import { asObject, below, InputProblem, rejectUnknownKeys } from './input-problem.ts'
import { normalCdf, normalQuantile } from './normal-distribution.ts'

export interface Distribution {
  /** The value below which a share of all draws lies; `share` is from 0 to below 1. */
  at(share: number): number
}

/** Upper bound of all parameters. */
const MAX_MS = 86_400_000
/** The quantile of 99 % of the standard normal distribution. */
const Z99 = 2.3263
/** A normal distribution ends this many standard deviations above its mean. */
const MAX_DEVIATIONS = 4
const NAMES = ['constant', 'uniform', 'normal', 'lognormal', 'percentiles']

/** Reads a number or an object such as `{"uniform": [100, 300]}`. Throws an `InputProblem`. */
export function readDistribution(value: Json, at: string): Distribution {
  if (typeof value === 'number') return constant(readMs(value, at))
  if (!isRecord(value))
    throw new InputProblem(at, 'expected whole milliseconds, or a distribution such as {"uniform": [100, 300]}')
  rejectUnknownKeys(value, NAMES, at)
  const [name, ...others] = Object.keys(value)
  if (name === undefined || others.length > 0) throw new InputProblem(at, `expected exactly one of ${NAMES.join(', ')}`)
  const parameters = value[name]!
  const place = below(at, name)
  switch (name) {
    case 'constant':
      return constant(readMs(parameters, place))
    case 'uniform':
      return readUniform(parameters, place)
    case 'normal':
      return readNormal(parameters, place)
    case 'lognormal':
      return readLognormal(parameters, place)
    default:
      return readPercentiles(parameters, place)
  }
}

function constant(ms: number): Distribution {
  return { at: () => ms }
}

function readUniform(value: Json, at: string): Distribution {
  if (!Array.isArray(value) || value.length !== 2) throw new InputProblem(at, 'expected a list [from, to]')
  const [from, to] = value.map((bound, index) => readMs(bound, below(at, index))) as [number, number]
  if (from > to) throw new InputProblem(at, 'expected the lower bound first')
  return { at: share => from + (to - from) * share }
}

function readNormal(value: Json, at: string): Distribution {
  const { mean, sd } = readMembers(value, ['mean', 'sd'], at)
  if (sd === 0) return constant(mean!)
  const lowest = normalCdf(-mean! / sd!)
  const highest = normalCdf(MAX_DEVIATIONS)
  return { at: share => Math.max(0, mean! + sd! * normalQuantile(lowest + (highest - lowest) * share)) }
}

function readLognormal(value: Json, at: string): Distribution {
  const { median, p99 } = readMembers(value, ['median', 'p99'], at)
  if (median === 0 || p99! < median!)
    throw new InputProblem(at, 'expected a median above 0 and a p99 of at least the median')
  const sigma = Math.log(p99! / median!) / Z99
  return { at: share => Math.min(MAX_MS, median! * Math.exp(sigma * normalQuantile(share))) }
}

function readPercentiles(value: Json, at: string): Distribution {
  const given = Object.entries(asObject(value, at, 'expected an object such as {"p50": 300, "p99": 2000}'))
  if (given.length === 0 || given.length > 20) throw new InputProblem(at, 'expected 1 to 20 percentiles')
  const points = given.map(([name, ms]): [number, number] => {
    if (!/^p(?:\d{1,2}(?:\.\d{1,3})?|100)$/.test(name))
      throw new InputProblem(below(at, name), 'expected a percentile such as p50 or p99.9')
    return [Number(name.slice(1)) / 100, readMs(ms, below(at, name))]
  })
  points.sort(([one], [other]) => one - other)
  if (points[0]![0] > 0) points.unshift([0, points[0]![1] / 2])
  if (points.at(-1)![0] < 1) points.push([1, points.at(-1)![1]])
  if (points.some(([, ms], index) => index > 0 && ms < points[index - 1]![1]))
    throw new InputProblem(at, 'expected values that do not decrease from one percentile to the next')
  return {
    at(share) {
      const next = Math.max(
        1,
        points.findIndex(([position]) => position >= share),
      )
      const [from, low] = points[next - 1]!
      const [to, high] = points[next]!
      return to === from ? high : low + ((high - low) * (share - from)) / (to - from)
    },
  }
}

function readMembers(value: Json, names: readonly string[], at: string): Record<string, number> {
  const given = asObject(value, at)
  rejectUnknownKeys(given, names, at)
  return Object.fromEntries(names.map(name => [name, readMs(given[name], below(at, name))]))
}

function readMs(value: Json | undefined, at: string): number {
  if (typeof value === 'number' && value >= 0 && value <= MAX_MS) return value
  throw new InputProblem(at, `expected milliseconds from 0 to ${MAX_MS}`)
}
