/** Rules: conditions on requests, and what happens to a request that meets them. */
import type { Json, JsonObject } from '../contract/json.ts'
import type { MessageSteps } from '../contract/testing.ts'
import { isNestedWithin } from '../toolkit/json-depth.ts'
import { readMatch, type Match } from '../match/match.ts'
import {
  asBoolean,
  asInteger,
  asObject,
  asText,
  below,
  InputProblem,
  rejectUnknownKeys,
} from '../toolkit/input-problem.ts'
import { readStep, type Step, type StepOptions } from './step.ts'

/** A rule that was read, without the state that requests change. */
export interface Rule {
  name: string
  match: Match
  /** One step acts forever; a list is played once. */
  steps: readonly Step[]
  isSequence: boolean
  loops: boolean
  priority: number
  skip: number
  every: number
  sample: number
  seed: string
  /** Null: unlimited. */
  times: number | null
  /** Whether each session has its own counters. */
  countsPerSession: boolean
  expiresInSecs: number | null
  isEnabled: boolean
  /** As given, with defaults. */
  asJson: JsonObject
}

const DEFAULTS = {
  priority: 0,
  skip: 0,
  every: 1,
  sample: 1,
  seed: '',
  loop: false,
  count: 'session',
  enabled: true,
} as const
const KEYS = ['name', 'match', 'then', ...Object.keys(DEFAULTS), 'times', 'expires_in_secs', 'description']
const MAX_COUNT = Number.MAX_SAFE_INTEGER
const MAX_DEPTH = 150

/** Whether a text is a valid name. */
export function isRuleName(text: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(text)
}

/**
 * Reads a rule with a name. Throws an `InputProblem` for the first mistake, and `TooExpensive` if checking the conditions takes
 * too many steps.
 */
export function readRule(value: unknown, at: string, options: StepOptions): Rule {
  const given = asObject(value, at, 'expected a rule: an object with match and then')
  const { bounds } = options
  rejectUnknownKeys(given, KEYS, at)
  if (!isNestedWithin(given, MAX_DEPTH)) throw new InputProblem(at, `expected at most ${MAX_DEPTH} levels`)
  if (JSON.stringify(given).length > bounds.ruleBytes)
    throw new InputProblem(at, `expected a rule of at most ${bounds.ruleBytes} bytes`)
  const { name } = given
  if (typeof name !== 'string' || !isRuleName(name))
    throw new InputProblem(below(at, 'name'), 'expected 1 to 64 characters of A-Z a-z 0-9 . _ -')
  if (given.then === undefined) throw new InputProblem(below(at, 'then'), 'expected a step or a list of steps')
  const integer = (key: 'priority' | 'skip' | 'every', min: number, max: number): number =>
    given[key] === undefined ? DEFAULTS[key] : asInteger(given[key], below(at, key), min, max)
  const optional = <T>(key: string, read: (member: Json, place: string) => T): T | null =>
    given[key] === undefined ? null : read(given[key], below(at, key))
  const isSequence = Array.isArray(given.then)
  const loops = optional('loop', asBoolean) ?? false
  if (loops && !isSequence) throw new InputProblem(below(at, 'loop'), 'loop needs a list of steps')
  const steps = readSteps(given.then, below(at, 'then'), options, given.match)
  if (loops && steps.at(-1)!.times === null)
    throw new InputProblem(below(at, 'loop'), 'the last step acts always, so the list never begins again')
  const match = readMatch(given.match ?? {}, below(at, 'match'), {
    protocols: options.protocols,
    isSeen: options.isSeen,
    maxTests: bounds.tests,
    hasScenarios: true,
    checks: options.checks,
  })
  for (const [index, { action, also }] of steps.entries())
    for (const { name: key, protocol } of action.kind === 'step' ? [action.step, ...also] : also)
      if (protocol !== null && match.messages !== protocol)
        throw new InputProblem(
          below(isSequence ? below(below(at, 'then'), index) : below(at, 'then'), key),
          `${key} needs a match with ${protocol}`,
        )
  const messages = match.messages === null ? null : options.protocols.find(match.messages)!.messages
  if (messages !== null)
    for (const [index, step] of steps.entries())
      rejectOthers(step, isSequence ? below(below(at, 'then'), index) : below(at, 'then'), match.messages!, messages)
  return {
    name,
    match,
    steps,
    isSequence,
    loops,
    priority: integer('priority', -1000, 1000),
    skip: integer('skip', 0, MAX_COUNT),
    every: integer('every', 1, MAX_COUNT),
    sample: optional('sample', readSample) ?? 1,
    seed: optional('seed', (text, place) => asText(text, place, 64)) ?? '',
    times: optional('times', (times, place) => asInteger(times, place, 1, MAX_COUNT)),
    countsPerSession: optional('count', readCount) ?? true,
    expiresInSecs: optional('expires_in_secs', (secs, place) => asInteger(secs, place, 1, bounds.expiresInSecs)),
    isEnabled: optional('enabled', asBoolean) ?? true,
    asJson: {
      name,
      match: given.match ?? {},
      then: given.then,
      ...DEFAULTS,
      ...given,
      ...(given.description === undefined
        ? {}
        : { description: asText(given.description, below(at, 'description'), 200) }),
    },
  }
}

function readSteps(value: Json, at: string, options: StepOptions, match: Json | undefined): Step[] {
  if (!Array.isArray(value)) return [readStep(value, at, options, { isListed: false, isLast: true, match })]
  if (value.length === 0 || value.length > options.bounds.steps)
    throw new InputProblem(at, `expected a step or a list of 1 to ${options.bounds.steps} steps`)
  return value.map((step, index) =>
    readStep(step, below(at, index), options, { isListed: true, isLast: index === value.length - 1, match }),
  )
}

/** Requests within others have no answer of their own: only some steps can act on them. */
function rejectOthers({ action }: Step, at: string, protocol: string, { steps, aborts }: MessageSteps): void {
  if (action.kind === 'pass') return
  const key = action.kind === 'step' ? action.step.name : action.kind
  if (!steps.includes(key))
    throw new InputProblem(below(at, key), `a rule about ${protocol} can have ${steps.join(', ')}, delay or pass`)
  if (action.kind === 'abort' && !aborts.includes(action.fault))
    throw new InputProblem(below(at, key), `expected one of ${aborts.join(', ')} in a rule about ${protocol}`)
}

function readSample(value: Json, at: string): number {
  if (typeof value === 'number' && value > 0 && value <= 1) return value
  throw new InputProblem(at, 'expected a share above 0, at most 1')
}

function readCount(value: Json, at: string): boolean {
  if (value === 'session' || value === 'instance') return value === 'session'
  throw new InputProblem(at, 'expected session or instance')
}
