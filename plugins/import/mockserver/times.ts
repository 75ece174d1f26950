/** Durations and repetitions of MockServer. */
import type { Json, JsonObject } from 'svc/plugin'
import { Members } from '../source/members.ts'
import { checkedDelay, wholeMs } from '../stub/delay.ts'
import type { Stub } from '../stub/stub.ts'
import { isRecord } from 'svc/toolkit'

const UNITS: Readonly<Record<string, number>> = {
  NANOSECONDS: 1e-6,
  MICROSECONDS: 1e-3,
  MILLISECONDS: 1,
  SECONDS: 1000,
  MINUTES: 60_000,
  HOURS: 3_600_000,
  DAYS: 86_400_000,
}

/** The length of a unit; unknown ones are milliseconds. */
function millisecondsOf(unit = 'MILLISECONDS'): number {
  return Object.hasOwn(UNITS, unit) ? UNITS[unit]! : 1
}
const MAX_LIFE_SECS = 86_400

/** A delay of `value` and `timeUnit`, in whole milliseconds; 0 if there is none. */
export function fixedDelay(delay: Members, stub: Stub): number {
  const ms = (delay.number('value') ?? 0) * millisecondsOf(delay.text('timeUnit'))
  return wholeMs(ms, delay.at('value'), stub)
}

/** `delay`: a number in a unit, or a distribution; null if there is none. */
export function readDelay(owner: Members, stub: Stub): Json | null {
  const delay = owner.object('delay')
  if (delay === undefined) return null
  const unit = delay.text('timeUnit')
  const fixed = fixedDelay(delay, stub)
  const distribution = delay.object('distribution')
  stub.others(delay, 'lost')
  if (distribution !== undefined) {
    const read = readDistribution(distribution, unit, stub)
    return read === null ? null : checkedDelay(read, distribution.path, stub)
  }
  return fixed === 0 ? null : fixed
}

function readDistribution(given: Members, unit: string | undefined, stub: Stub): Json | null {
  const type = (given.text('type') ?? '').toUpperCase()
  const read = (...names: string[]): number | undefined =>
    names.map(name => given.number(name)).find(value => value !== undefined)
  const [from, to] = [read('min', 'minMillis', 'lower'), read('max', 'maxMillis', 'upper')]
  const [mean, sd] = [read('mean', 'meanMillis'), read('stdDev', 'standardDeviation', 'stdDevMillis')]
  const [median, p99] = [read('median', 'medianMillis'), read('p99', 'p99Millis')]
  stub.others(given, 'lost')
  const ms = (value: number): number => Math.max(0, Math.round(value * millisecondsOf(unit)))
  if (type === 'UNIFORM' && from !== undefined && to !== undefined && from <= to) return { uniform: [ms(from), ms(to)] }
  if (['GAUSSIAN', 'NORMAL'].includes(type) && mean !== undefined && sd !== undefined)
    return { normal: { mean: ms(mean), sd: ms(sd) } }
  if (
    ['LOG_NORMAL', 'LOGNORMAL'].includes(type) &&
    median !== undefined &&
    p99 !== undefined &&
    median > 0 &&
    p99 >= median
  )
    return { lognormal: { median: ms(median), p99: ms(p99) } }
  stub.lost(given.path, 'this distribution has no counterpart')
  return null
}

/** Members of a rule for `times`, `timeToLive` and `percentage`. */
export function readRepetitions(expectation: Members, stub: Stub): JsonObject {
  const members: JsonObject = {}
  const times = expectation.take('times')
  if (isRecord(times)) {
    const given = new Members(times as JsonObject, expectation.at('times'))
    const count = given.number('remainingTimes')
    if (given.take('unlimited') !== true && count !== undefined) {
      if (count >= 1) members.times = Math.min(Number.MAX_SAFE_INTEGER, Math.round(count))
      else stub.disabled(given.at('remainingTimes'), 'the expectation is used up')
    }
    stub.others(given, 'lost')
  }
  const life = expectation.object('timeToLive')
  if (life !== undefined) {
    const [value, unit] = [life.number('timeToLive'), life.text('timeUnit')]
    if (life.take('unlimited') !== true && value !== undefined) {
      const secs = Math.max(1, Math.ceil((value * millisecondsOf(unit)) / 1000))
      members.expires_in_secs = Math.min(MAX_LIFE_SECS, secs)
      const cut = secs > MAX_LIFE_SECS ? ', and ends after a day' : ''
      stub.changed(life.path, `the time begins when svc loads the rule${cut}`)
    }
    life.ignore('endDate')
    stub.others(life, 'lost')
  }
  const percentage = expectation.number('percentage')
  if (percentage !== undefined && percentage > 0 && percentage < 100) members.sample = percentage / 100
  if (percentage !== undefined && percentage <= 0) stub.disabled(expectation.at('percentage'), 'no request is answered')
  return members
}
