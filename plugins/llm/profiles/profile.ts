/** Latency profiles: the time to the first token and the gaps between tokens, as distributions. */
import { asObject, below, InputProblem, readDistribution, rejectUnknownKeys, type Distribution } from 'svc/toolkit'
import type { Json } from 'svc/plugin'

/** A distribution with the value that describes it. */
export interface Drawn {
  shown: Json
  distribution: Distribution
}

export interface Profile {
  name: string
  source: 'built-in' | 'svc.yaml' | 'header'
  /** Absent: the profile says nothing about it. */
  ttft?: Drawn
  gap?: Drawn
  /** Added to the time to the first token for each prompt token that was not cached. */
  prefillMsPerToken: number
  /** Null: every draw is random. */
  seed: string | null
}

export const RANDOM = 'random'
const KEYS = ['ttft', 'gap', 'prefill_ms_per_token', 'seed']
const MAX_PREFILL = 10_000
const MAX_SEED = 200
const MAX_INLINE = 500

/** Reads an entry of `llm.profiles`. Throws an `InputProblem`. */
export function readProfile(value: Json, at: string, { name, source }: Pick<Profile, 'name' | 'source'>): Profile {
  const given = asObject(value, at)
  rejectUnknownKeys(given, KEYS, at)
  if (given.ttft === undefined && given.gap === undefined) throw new InputProblem(at, 'expected ttft, gap or both')
  const seed = given.seed ?? ''
  if ((typeof seed !== 'string' && typeof seed !== 'number') || String(seed).length > MAX_SEED)
    throw new InputProblem(below(at, 'seed'), `expected a text of at most ${MAX_SEED} characters`)
  return {
    name,
    source,
    ...(given.ttft === undefined ? {} : { ttft: readDrawn(given.ttft, below(at, 'ttft')) }),
    ...(given.gap === undefined ? {} : { gap: readDrawn(given.gap, below(at, 'gap')) }),
    prefillMsPerToken: readPrefill(given.prefill_ms_per_token ?? 0, below(at, 'prefill_ms_per_token')),
    seed: seed === RANDOM ? null : String(seed),
  }
}

function readDrawn(value: Json, at: string): Drawn {
  return { shown: value, distribution: readDistribution(value, at) }
}

function readPrefill(value: Json, at: string): number {
  if (typeof value === 'number' && value >= 0 && value <= MAX_PREFILL) return value
  throw new InputProblem(at, `expected milliseconds from 0 to ${MAX_PREFILL}`)
}

const INLINE_KEYS: Readonly<Record<string, string>> = {
  ttft: 'ttft',
  gap: 'gap',
  prefill: 'prefill_ms_per_token',
  seed: 'seed',
}

export function isInline(text: string): boolean {
  return text.includes('=')
}

/** Reads `ttft=lognormal(400,2500); gap=normal(20,5); prefill=0.2; seed=demo`. Throws an `InputProblem`. */
export function readInlineProfile(text: string): Profile {
  if (text.length > MAX_INLINE) throw new InputProblem('', `expected at most ${MAX_INLINE} characters`)
  const value: Record<string, Json> = {}
  for (const item of text.split(';')) {
    const end = item.indexOf('=')
    const name = item.slice(0, Math.max(0, end)).trim()
    const content = item.slice(end + 1).trim()
    const key = Object.hasOwn(INLINE_KEYS, name) ? INLINE_KEYS[name]! : undefined
    if (key === undefined) {
      if (item.trim() === '') continue
      throw new InputProblem(name || item.trim().slice(0, 50), `expected one of ${Object.keys(INLINE_KEYS).join(', ')}`)
    }
    if (value[key] !== undefined) throw new InputProblem(name, 'is given twice')
    value[key] = key === 'seed' ? content : key === 'prefill_ms_per_token' ? Number(content) : readCall(content, name)
  }
  return readProfile(value, '', { name: text, source: 'header' })
}

/** A number, or a distribution such as `lognormal(400,2500)`, as the value that `readDistribution` takes. */
function readCall(text: string, at: string): Json {
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) return Number(text)
  const [, name, list] = /^([a-z]{1,20})\(([\d.,:\s]{1,400})\)$/.exec(text) ?? []
  if (name === undefined || list === undefined)
    throw new InputProblem(at, 'expected milliseconds, or a distribution such as lognormal(400,2500)')
  const parts = list.split(',').map(part => part.trim())
  if (name === 'percentiles')
    return {
      percentiles: Object.fromEntries(
        parts.map(part => {
          const [position = '', ms = ''] = part.split(':')
          return [`p${position.trim()}`, numberOf(ms, at)]
        }),
      ),
    }
  const numbers = parts.map(part => numberOf(part, at))
  const count = name === 'constant' ? 1 : 2
  if (numbers.length !== count) throw new InputProblem(at, `${name} takes ${count === 1 ? 'a number' : 'two numbers'}`)
  const [first, second] = numbers as [number, number]
  switch (name) {
    case 'constant':
      return first
    case 'uniform':
      return { uniform: numbers }
    case 'normal':
      return { normal: { mean: first, sd: second } }
    case 'lognormal':
      return { lognormal: { median: first, p99: second } }
    default:
      throw new InputProblem(at, 'expected one of constant, uniform, normal, lognormal, percentiles')
  }
}

function numberOf(text: string, at: string): number {
  if (/^\s*\d{1,9}(?:\.\d{1,6})?\s*$/.test(text)) return Number(text)
  throw new InputProblem(at, `expected a number, got ${JSON.stringify(text.slice(0, 50))}`)
}
