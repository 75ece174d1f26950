/** Steps: what a rule does with a request. */
import type { StepBudget } from '../contract/budgets.ts'
import type { RuleFailure } from '../contract/http.ts'
import type { Json, JsonObject } from '../contract/json.ts'
import {
  asBoolean,
  asInteger,
  asObject,
  asText,
  below,
  InputProblem,
  rejectUnknownKeys,
} from '../toolkit/input-problem.ts'
import type { RuleStepKind } from '../contract/testing.ts'
import type { FindBodyFile } from './body-files.ts'
import type { RuleBounds } from './bounds.ts'
import { nearest } from '../toolkit/nearest.ts'
import { readDistribution, type Distribution } from '../toolkit/distribution.ts'
import { CONNECTION_FAULTS, type ConnectionFault } from './fault-headers.ts'
import { encodingOf, ENCODINGS, readEncoding, type ResponseEncoding } from './encoding.ts'
import { readNotify, type Notification } from './notify.ts'
import { readRespond, type RespondStep } from './respond.ts'
import { MAX_SCENARIO_TEXT } from './scenarios.ts'
import { ACTIONS, BESIDES, OF_FAIL } from './step-registry.ts'
import type { RuleVocabulary } from './vocabulary.ts'

export interface Step {
  delay: Distribution | null
  /** The content coding of the response. */
  encoding: ResponseEncoding | null
  action: Action
  /** The request is neither captured nor written to the access log. */
  isQuiet: boolean
  /** How often it acts before the next one; null: always. Only in a list. */
  times: number | null
  /** New states of scenarios, by name. */
  scenario: Readonly<Record<string, string>>
  /** Requests that are sent after the response. */
  notify: readonly Notification[]
  /** Steps of plugins that come along. */
  also: readonly PluginStep[]
}

/** A step of a plugin. */
export interface PluginStep {
  name: string
  /** What the plugin read. */
  value: unknown
  act: RuleStepKind['act']
  /** The protocol with whose conditions a rule must come; null: any rule can have the step. */
  protocol: string | null
}

export type Action =
  | { kind: 'pass' }
  | ({ kind: 'fail' } & RuleFailure)
  | { kind: 'abort'; fault: ConnectionFault }
  | { kind: 'respond'; respond: RespondStep }
  | { kind: 'reply'; reply: JsonObject; protocol: string }
  | { kind: 'step'; step: PluginStep }

export interface StepOptions extends RuleVocabulary {
  bounds: RuleBounds
  /** Finds files that a rule in a file names; null for other rules. */
  findFile?: FindBodyFile | null
  /** What checking the conditions may take; null if they were checked before, when the rule was stored. */
  checks: StepBudget | null
}

const KEYS = [...ACTIONS, ...OF_FAIL, ...BESIDES]
/** Scenarios that one step changes. */
const MAX_CHANGES = 20
const MAX_RETRY_AFTER_SECS = 86_400
const MAX_MESSAGE = 500
/** Of the type and the code of an error. */
const MAX_WORD = 100

/** Where a step is. */
export interface StepPlace {
  isListed: boolean
  isLast: boolean
  /** The conditions of its rule, as written. */
  match: Json | undefined
}

/** Reads one step. Throws an `InputProblem`. */
export function readStep(value: Json, at: string, options: StepOptions, { isListed, isLast, match }: StepPlace): Step {
  const kinds = options.steps.list()
  const answers = [...ACTIONS, ...kinds.filter(kind => kind.answers === true).map(({ name }) => name)]
  const besides = [...BESIDES, ...kinds.filter(kind => kind.answers !== true).map(({ name }) => name)]
  const expected = `expected a step: an object with ${answers.join(', ')} or delay`
  const given = asObject(value, at, expected)
  if (given.times !== undefined && !isListed)
    throw new InputProblem(below(at, 'times'), 'times of a step needs a list of steps; use times of the rule instead')
  rejectUnknownKeys(given, [...KEYS, ...kinds.map(({ name }) => name), ...(isListed ? ['times'] : [])], at)
  const named = answers.filter(key => given[key] !== undefined)
  if (named.length > 1) throw new InputProblem(below(at, named[1]!), `expected at most one of ${answers.join(', ')}`)
  if (named.length === 0 && besides.every(key => given[key] === undefined)) throw new InputProblem(at, expected)
  for (const { name, excludes = [] } of kinds) {
    const excluded = given[name] === undefined ? undefined : excludes.find(key => given[key] !== undefined)
    if (excluded !== undefined) throw new InputProblem(below(at, name), `${name} and ${excluded} cannot be combined`)
  }
  for (const key of OF_FAIL)
    if (given[key] !== undefined && given.fail === undefined)
      throw new InputProblem(below(at, key), `${key} belongs to fail`)
  return {
    delay: given.delay === undefined ? null : readDelay(given.delay, below(at, 'delay')),
    encoding: given.encoding === undefined ? null : readEncodingOf(given.encoding, below(at, 'encoding')),
    action: readAction(named[0], given, at, { ...options, match }),
    isQuiet: given.quiet !== undefined && asBoolean(given.quiet, below(at, 'quiet')),
    times: readTimes(given.times, below(at, 'times'), isLast),
    scenario: given.scenario === undefined ? {} : readScenario(given.scenario, below(at, 'scenario')),
    notify: given.notify === undefined ? [] : readNotify(given.notify, below(at, 'notify'), options.bounds),
    also: kinds
      .filter(({ name, answers: isAnswer }) => isAnswer !== true && given[name] !== undefined)
      .map(kind => readPluginStep(kind, given[kind.name]!, at, match)),
  }
}

function readEncodingOf(value: Json, at: string): ResponseEncoding | null {
  const name = typeof value === 'string' ? readEncoding(value) : null
  if (name === null) throw new InputProblem(at, `expected one of ${ENCODINGS.join(', ')}`)
  return encodingOf(name)
}

function readPluginStep(
  { name, read, act, protocol }: RuleStepKind,
  value: Json,
  at: string,
  match: Json | undefined,
): PluginStep {
  return { name, value: read(value, below(at, name), match), act, protocol: protocol ?? null }
}

function readScenario(value: Json, at: string): Record<string, string> {
  const entries = Object.entries(asObject(value, at, 'expected an object of names of scenarios and states'))
  if (entries.length === 0 || entries.length > MAX_CHANGES)
    throw new InputProblem(at, `expected 1 to ${MAX_CHANGES} scenarios`)
  return Object.fromEntries(
    entries.map(([name, state]) => {
      if (name === '' || name.length > MAX_SCENARIO_TEXT)
        throw new InputProblem(below(at, name), `expected a name of 1 to ${MAX_SCENARIO_TEXT} characters`)
      return [name, asText(state, below(at, name), MAX_SCENARIO_TEXT, 1)]
    }),
  )
}

function readDelay(value: Json, at: string): Distribution {
  if (typeof value === 'number' && !Number.isInteger(value)) throw new InputProblem(at, 'expected whole milliseconds')
  return readDistribution(value, at)
}

function readTimes(value: Json | undefined, at: string, isLast: boolean): number | null {
  if (value === undefined) return 1
  if (value === 'always') {
    if (isLast) return null
    throw new InputProblem(at, 'only the last step can act always')
  }
  return asInteger(value, at, 1, Number.MAX_SAFE_INTEGER)
}

function readAction(
  name: string | undefined,
  given: JsonObject,
  at: string,
  options: StepOptions & Pick<StepPlace, 'match'>,
): Action {
  const value = name === undefined ? undefined : given[name]
  const place = below(at, name ?? '')
  switch (name) {
    case 'fail':
      return readFail(value!, given, at, options)
    case 'abort': {
      const fault = CONNECTION_FAULTS.find(known => known === value)
      if (fault === undefined) throw new InputProblem(place, `expected one of ${CONNECTION_FAULTS.join(', ')}`)
      return { kind: 'abort', fault }
    }
    case 'respond':
      return { kind: 'respond', respond: readRespond(value!, place, options.bounds, options.findFile) }
    case 'reply': {
      const reader = options.protocols.replyReader()
      if (reader === undefined) throw new InputProblem(place, 'no enabled plugin can send replies')
      reader.readReply(value!, place)
      return { kind: 'reply', reply: asObject(value, place), protocol: reader.name }
    }
    case 'pass':
      if (value !== true) throw new InputProblem(place, 'expected true')
      return { kind: 'pass' }
    case undefined:
      return { kind: 'pass' }
    default:
      return { kind: 'step', step: readPluginStep(options.steps.get(name)!, value!, at, options.match) }
  }
}

/** A few of the words, for somebody who knows none. */
function exampleOf(words: ReadonlyMap<string, number>): string {
  return [...words.keys()].slice(0, 3).join(', ')
}

function readFail(value: Json, given: JsonObject, at: string, { protocols }: StepOptions): Action {
  const words = protocols.failures()
  const status = typeof value === 'string' ? words.get(value) : value
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 400 || status > 599) {
    const guess = typeof value === 'string' ? nearest(value, words.keys()) : undefined
    throw new InputProblem(
      below(at, 'fail'),
      `expected a status from 400 to 599${words.size === 0 ? '' : `, or a word such as ${guess ?? exampleOf(words)}`}`,
    )
  }
  const text = (key: string, max: number): string | null =>
    given[key] === undefined ? null : asText(given[key], below(at, key), max)
  return {
    kind: 'fail',
    status,
    word: typeof value === 'string' ? value : null,
    message: text('message', MAX_MESSAGE),
    type: text('type', MAX_WORD),
    code: text('code', MAX_WORD),
    retryAfterSecs:
      given.retry_after === undefined
        ? null
        : asInteger(given.retry_after, below(at, 'retry_after'), 0, MAX_RETRY_AFTER_SECS),
  }
}
