/** Reads a step whose references are replaced. */
import type { Json, JsonObject } from 'svc/plugin'
import { asObject, asText, below, InputProblem } from 'svc/toolkit'
import { BOUNDS } from './bounds.ts'
import type { Step, StepRule, Wait } from './demo.ts'
import { readExpectation } from './read-expectation.ts'
import { readTraffic } from './read-traffic.ts'
import { listed, Part } from './values.ts'

const CHARTS = ['rate', 'status', 'latency', 'lanes', 'tokens'] as const
const KEYS = [
  'id',
  'title',
  'say',
  'look',
  'rules',
  'remove',
  'identity',
  'send',
  'during',
  'ask',
  'wait',
  'expect',
  'chart',
]
const MAX_WAIT_MS = 60_000

/** Throws `InputProblem`. `number` is from 1. */
export function readStep(value: Json, at: string, number: number, lanes: readonly string[]): Step {
  const part = new Part(value, at, KEYS)
  const id = part.textOr('id', String(number))
  if (!/^[\w-]{1,40}$/.test(id)) throw new InputProblem(part.place('id'), 'expected letters, digits, - and _')
  const sent = listed(part.given.send)
  if (sent.length > 20) throw new InputProblem(part.place('send'), 'expected at most 20')
  const isList = Array.isArray(part.given.send)
  return {
    number,
    id,
    title: part.text('title', 200),
    say: part.textOr('say', ''),
    look: part.textOr('look', ''),
    rules: rulesOf(part, lanes),
    remove: part.texts('remove', 50),
    identity: part.has('identity') ? identityOf(part) : null,
    send: sent.map((one, index) => readTraffic(one, isList ? below(part.place('send'), index) : part.place('send'))),
    during: part.list('during', 50).map((one, index) => {
      const event = new Part(one, below(part.place('during'), index), ['at_ms', 'rules', 'remove'])
      return {
        atMs: event.integer('at_ms', 0, BOUNDS.stepMs),
        rules: rulesOf(event, lanes),
        remove: event.texts('remove', 50),
      }
    }),
    ask: part.has('ask') ? askOf(part) : null,
    wait: part.has('wait') ? waitOf(part, lanes) : null,
    expect: part
      .list('expect', 50)
      .map((one, index) => readExpectation(one, below(part.place('expect'), index), lanes)),
    chart: part.has('chart') ? part.oneOf('chart', CHARTS) : null,
  }
}

/** The control plane checks the rules; here are only their names and lanes. */
function rulesOf(part: Part, lanes: readonly string[]): StepRule[] {
  return part.list('rules', 50).map((one, index) => {
    const at = below(part.place('rules'), index)
    const { lane, ...rule } = asObject(one, at)
    if (rule.name !== undefined && !/^[\w.-]{1,40}$/.test(asText(rule.name, below(at, 'name'), 40, 1)))
      throw new InputProblem(below(at, 'name'), 'expected letters, digits, -, _ and .')
    if (rule.then === undefined) throw new InputProblem(below(at, 'then'), 'expected a step or a list of steps')
    if (lane !== undefined && !lanes.includes(asText(lane, below(at, 'lane'), 20, 1)))
      throw new InputProblem(
        below(at, 'lane'),
        lanes.length === 0 ? 'the demo has no lanes' : `expected one of ${lanes.join(', ')}`,
      )
    return { lane: (lane as string | undefined) ?? null, rule: rule as JsonObject }
  })
}

function identityOf(part: Part): JsonObject {
  const own = new Part(part.given.identity, part.place('identity'), ['issuer', 'rotate', 'faults'])
  return own.given
}

function askOf(part: Part): Step['ask'] {
  if (typeof part.given.ask === 'string') return { text: part.text('ask'), optional: false }
  const own = new Part(part.given.ask, part.place('ask'), ['text', 'optional'])
  return { text: own.text('text'), optional: own.flag('optional') }
}

function waitOf(part: Part, lanes: readonly string[]): Wait {
  const own = new Part(part.given.wait, part.place('wait'), ['for_s', 'until', 'timeout_ms'])
  const kind = own.onlyOne(['for_s', 'until'])
  if (kind === 'for_s') return { forMs: own.numberOr('for_s', 0, MAX_WAIT_MS / 1000, 0) * 1000 }
  if (kind === undefined) throw new InputProblem(part.place('wait'), 'expected for_s or until')
  return {
    until: readExpectation(own.given.until!, own.place('until'), lanes),
    timeoutMs: own.integerOr('timeout_ms', 1, MAX_WAIT_MS, 10_000),
  }
}
