/**
 * A bounded fuzzer: a family has examples of valid input, mutates them, and reports what is wrong with how they
 * were handled. Cases are determined by the seed; each can be repeated on its own.
 *
 * - `SVC_FUZZ_CASES`: cases per family, instead of the short version.
 * - `SVC_FUZZ_SEED`: another seed; the one in use is printed.
 * - `SVC_FUZZ_ONLY`: families with one of these texts in their names, separated by commas; `SVC_FUZZ_CASE`: only this case.
 */
import type t from 'tap'
import { Random } from './random.ts'
import { usedBytes } from '../support/heap.ts'

export interface Family<T> {
  name: string
  /** Valid input. */
  seeds: readonly T[]
  mutate(random: Random, seed: T): T
  /** Processes an input; returns what is wrong with how it was handled. An exception is a finding too. */
  run(input: T): Finding | Promise<Finding>
  /** Default number of cases. */
  slice: number
  /** Concurrent cases. Default: one. */
  inFlight?: number
}
export type Finding = string | null | undefined | void
/** For lists of families with inputs of different kinds. */
export type AnyFamily = Family<unknown>

/** Milliseconds of processor time that a function may take. */
const MOST_CPU_MS = 10_000
/** Milliseconds after which a case of a server hangs, also on a busy machine. */
const DEADLINE_MS = 60_000
/** Bytes that all cases together may leave in memory, including the content of bounded stores. */
const MAX_GROWTH = 96 * 1024 * 1024
const MAX_SHOWN = 5

const seed = process.env.SVC_FUZZ_SEED ?? '1'
const only = (process.env.SVC_FUZZ_ONLY ?? '').toLowerCase().split(',')
const wantedCases = Number(process.env.SVC_FUZZ_CASES ?? 0)
const wantedCase = process.env.SVC_FUZZ_CASE === undefined ? null : Number(process.env.SVC_FUZZ_CASE)

type Tap = Pick<typeof t, 'test' | 'comment' | 'ok' | 'equal' | 'fail' | 'pass'>

/** Runs families one after the other, then compares the memory in use with the memory after the valid input. */
export async function fuzz(
  t: Tap,
  families: readonly AnyFamily[],
  afterwards: () => Finding | Promise<Finding> = () => null,
): Promise<void> {
  t.comment(`seed ${seed}`)
  const wanted = families.filter(({ name }) => only.some(text => name.toLowerCase().includes(text)))
  for (const { seeds, run } of wanted) for (const input of seeds) await run(input)
  const before = usedBytes()
  for (const family of wanted) await t.test(family.name, t => fuzzFamily(t, family, afterwards))
  const growth = usedBytes() - before
  t.comment(`memory: ${(growth / 1e6).toFixed(1)} MB more after all cases`)
  t.ok(growth < MAX_GROWTH, 'memory stays within bounds')
  t.equal(Object.keys(Object.prototype).length, 0, 'no property was added to every object')
}

async function fuzzFamily(t: Tap, family: AnyFamily, afterwards: () => Finding | Promise<Finding>): Promise<void> {
  const cases = wantedCases || family.slice
  const findings = new Map<string, string>()
  const slowest = { ms: 0, index: 0 }
  let next = wantedCase ?? 0
  const end = wantedCase === null ? cases : wantedCase + 1
  const startedAt = performance.now()
  const work = async (): Promise<void> => {
    while (next < end && findings.size < MAX_SHOWN) {
      const index = next++
      const input = inputOf(family, index)
      const caseStartedAt = performance.now()
      const before = process.cpuUsage()
      const outcome = attempt(family, input)
      const cpuMs = process.cpuUsage(before).user / 1000
      const finding = outcome instanceof Promise ? await within(outcome) : outcome
      const ms = performance.now() - caseStartedAt
      if (ms > slowest.ms) Object.assign(slowest, { ms, index })
      const problem = finding ?? (cpuMs > MOST_CPU_MS ? `took ${Math.round(cpuMs)} ms of processor time` : null)
      if (problem !== null) findings.set(problem.slice(0, 200), `case ${index}: ${problem}\ninput: ${shown(input)}`)
    }
  }
  await Promise.all(Array.from({ length: family.inFlight ?? 1 }, work))
  const late = await afterwards()
  if (late != null) findings.set(late, late)
  t.comment(
    `${end} cases in ${((performance.now() - startedAt) / 1000).toFixed(1)} s; the slowest, ${slowest.index}, took ${slowest.ms.toFixed(1)} ms`,
  )
  for (const finding of findings.values()) t.fail(finding)
  if (findings.size === 0) t.pass('every case was answered or refused')
}

function inputOf({ name, seeds, mutate }: AnyFamily, index: number): unknown {
  const random = new Random(`${seed} ${name} ${index}`)
  return mutate(random, random.pick(seeds))
}

function attempt({ run }: AnyFamily, input: unknown): Finding | Promise<Finding> {
  try {
    const outcome = run(input)
    return outcome instanceof Promise ? outcome.catch(thrown) : outcome
  } catch (error) {
    return thrown(error)
  }
}

function thrown(error: unknown): string {
  return `threw ${error instanceof Error ? error.stack : String(error)}`
}

async function within(outcome: Promise<Finding>): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Finding>(resolve => {
    timer = setTimeout(() => resolve(`no outcome within ${DEADLINE_MS} ms`), DEADLINE_MS)
  })
  try {
    return await Promise.race([outcome, late])
  } finally {
    clearTimeout(timer)
  }
}

function shown(input: unknown): string {
  const text =
    JSON.stringify(input, (_key, value: unknown) => (Buffer.isBuffer(value) ? value.toString('latin1') : value)) ??
    String(input)
  return text.length > 1500 ? `${text.slice(0, 1500)}… (${text.length} characters)` : text
}
