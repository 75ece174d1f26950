/** Reads what a step expects: `expect`. */
import { StepBudget, type Json, type JsonObject } from 'svc/plugin'
import { asObject, asText, below, InputProblem, readValueTest } from 'svc/toolkit'
import type { Expectation, ExpectationTest, Quantity, Selection } from './demo.ts'
import { Part } from './values.ts'

export const EXPECTATIONS = [
  'responses',
  'arrivals',
  'events',
  'tokens',
  'cost',
  'agent',
  'compare',
  'capture',
  'services',
  'telemetry',
] as const
const MAX_COUNT = 1_000_000
const COUNTS = ['exactly', 'at_least', 'at_most']
const SELECTION = ['of', 'variant', 'from_s', 'to_s']
/** Steps that checking the patterns of a demo may take. */
const CHECK_STEPS = 1_000_000

/** Throws `InputProblem`. `lanes`: those of the demo. */
export function readExpectation(value: Json, at: string, lanes: readonly string[]): Expectation {
  const part = new Part(value, at, [...EXPECTATIONS, 'why', 'soft', 'when'])
  const kind = part.onlyOne(EXPECTATIONS) as (typeof EXPECTATIONS)[number] | undefined
  if (kind === undefined) throw new InputProblem(at, `expected one of ${EXPECTATIONS.join(', ')}`)
  return {
    why: part.optionalText('why'),
    soft: part.flag('soft'),
    when: whenOf(part),
    test: READERS[kind](part.given[kind], part.place(kind), lanes),
  }
}

/** Values of variables. */
function whenOf(part: Part): Expectation['when'] {
  const given = Object.entries(part.object('when'))
  return given.map(([name, value]) => {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return [name, value]
    throw new InputProblem(below(part.place('when'), name), 'expected a text, a number, true or false')
  })
}

type Reader = (value: Json | undefined, at: string, lanes: readonly string[]) => ExpectationTest

const READERS: Record<(typeof EXPECTATIONS)[number], Reader> = {
  responses: readResponses,
  arrivals: readArrivals,
  events: readEvents,
  tokens: readTokens,
  cost: readCost,
  agent: readAgent,
  compare: readCompare,
  capture: readCapture,
  services: (value, at) => ({ kind: 'services', verification: asObject(value, at) }),
  telemetry: (value, at) => ({ kind: 'telemetry', verification: asObject(value, at) }),
}

/** What is tested on a response, next to members of its JSON and its headers. */
const RESPONSE_FACTS = [
  'status',
  'body',
  'ms',
  'error',
  'text',
  'logins',
  'finish',
  'tool_calls',
  'grpc_status',
  'grpc_message',
]

function readResponses(value: Json | undefined, at: string): ExpectationTest {
  const given = asObject(value, at)
  const headers = Object.keys(given).filter(key => key.startsWith('header.'))
  const part = new Part(given, at, [
    'json',
    ...RESPONSE_FACTS,
    ...headers,
    'every',
    'some',
    'none',
    ...COUNTS,
    'share',
    ...SELECTION,
  ])
  const tests: Record<string, Json> = {}
  for (const key of [...headers, ...RESPONSE_FACTS])
    if (part.given[key] !== undefined) tests[key] = checkedTest(part.given[key], part.place(key), key)
  for (const [pointer, test] of Object.entries(part.object('json')))
    tests[`json${checkedPointer(pointer, part.place('json'))}`] = checkedTest(test, below(part.place('json'), pointer))
  return { kind: 'responses', selection: selectionOf(part), tests, quantity: quantityOf(part) }
}

function checkedPointer(pointer: string, at: string): string {
  if (pointer === '' || pointer.startsWith('/')) return pointer
  throw new InputProblem(below(at, pointer), 'expected a JSON pointer such as /id')
}

/** Headers and texts are compared as text, all else by type. */
export function comparisonOf(name: string): 'text' | 'json' {
  return name.startsWith('header.') || ['body', 'text', 'finish', 'error', 'grpc_message'].includes(name)
    ? 'text'
    : 'json'
}

/** Checks a value test; it is read again when the run needs it. */
function checkedTest(value: Json, at: string, name = ''): Json {
  readValueTest(value, at, { comparison: comparisonOf(name), checks: new StepBudget(CHECK_STEPS), isTrusted: false })
  return value
}

function selectionOf(part: Part): Selection {
  const from = part.numberOr('from_s', 0, 120, null)
  const to = part.numberOr('to_s', 0, 120, null)
  return {
    of: part.integerOr('of', 1, 20, null),
    variant: part.integerOr('variant', 1, 20, null),
    fromMs: from === null ? null : from * 1000,
    toMs: to === null ? null : to * 1000,
  }
}

function quantityOf(part: Part): Quantity {
  const keys = ['every', 'some', 'none', 'exactly', 'share'].filter(key => part.has(key))
  const bounds = ['at_least', 'at_most'].filter(key => part.has(key))
  if (keys.length + Math.min(1, bounds.length) > 1) {
    const [first, second] = [...keys, ...bounds]
    throw new InputProblem(part.place(second!), `${first} and ${second} cannot be combined`)
  }
  if (bounds.length > 0) {
    const min = part.integerOr('at_least', 0, MAX_COUNT, 0)
    return { how: 'count', min, max: part.integerOr('at_most', min, MAX_COUNT, null) }
  }
  const [key] = keys
  if (key === 'exactly') {
    const count = part.integer('exactly', 0, MAX_COUNT)
    return { how: 'count', min: count, max: count }
  }
  if (key === 'share') return { how: 'share', ...shareOf(part.given.share, part.place('share'), []) }
  if (key !== undefined && !part.flag(key)) throw new InputProblem(part.place(key), 'expected true')
  return { how: (key ?? 'every') as 'every' | 'some' | 'none' }
}

function shareOf(value: Json | undefined, at: string, further: readonly string[]): { min: number; max: number } {
  const part = new Part(value, at, ['at_least', 'at_most', ...further])
  const min = part.numberOr('at_least', 0, 1, 0)
  return { min, max: part.numberOr('at_most', min, 1, 1) }
}

function readArrivals(value: Json | undefined, at: string, lanes: readonly string[]): ExpectationTest {
  const given = asObject(value, at)
  const headers = Object.keys(given).filter(key => key.startsWith('header.'))
  const part = new Part(given, at, [
    'match',
    'order',
    'strict',
    ...COUNTS,
    'none',
    'within_ms',
    'settle_ms',
    'lane',
    'from_s',
    'to_s',
    'share',
    'per',
    'gap_ms',
    'body',
    'json',
    'absent',
    'unchanged',
    ...headers,
  ])
  part.onlyOne(['match', 'order'])
  if (part.has('exactly')) part.onlyOne(['exactly', 'at_least'])
  if (part.has('exactly')) part.onlyOne(['exactly', 'at_most'])
  const counted = [...COUNTS, 'none'].find(key => part.has(key))
  if (part.has('none') && counted !== 'none') part.onlyOne(['none', counted!])
  if (part.has('order') && counted !== undefined) part.onlyOne(['order', counted])
  if (part.has('strict') && !part.has('order'))
    throw new InputProblem(part.place('strict'), 'strict is possible with order only')
  const lane = part.optionalText('lane')
  if (lane !== null) checkLane(lane, part.place('lane'), lanes)
  const verification: JsonObject = part.has('order')
    ? { order: part.list('order', 20), ...(part.has('strict') ? { strict: part.flag('strict') } : {}) }
    : { match: part.object('match') }
  const exactly = part.flag('none') ? 0 : part.integerOr('exactly', 0, MAX_COUNT, null)
  const atLeast = part.integerOr('at_least', 0, MAX_COUNT, null)
  const from = part.numberOr('from_s', 0, 120, null)
  const to = part.numberOr('to_s', 0, 120, null)
  return {
    kind: 'arrivals',
    verification,
    lane,
    exactly,
    atLeast,
    atMost: part.integerOr('at_most', atLeast ?? 0, MAX_COUNT, null),
    withinMs: part.integerOr('within_ms', 0, 30_000, null),
    settleMs: part.integerOr('settle_ms', 0, 10_000, null),
    fromMs: from === null ? null : from * 1000,
    toMs: to === null ? null : to * 1000,
    share: part.has('share') ? laneShare(part, lanes) : null,
    per: part.has('per') ? perOf(part) : null,
    gapMs: part.has('gap_ms') ? checkedTest(part.given.gap_ms!, part.place('gap_ms')) : null,
    every: conditionsOf(part, headers),
    absent: part.texts('absent', 50),
    unchanged: part.texts('unchanged', 20),
  }
}

function laneShare(part: Part, lanes: readonly string[]): { lane: string; min: number; max: number } {
  const at = part.place('share')
  const lane = asText(asObject(part.given.share, at).lane, below(at, 'lane'), 20, 1)
  checkLane(lane, below(at, 'lane'), lanes)
  return { lane, ...shareOf(part.given.share, at, ['lane']) }
}

function checkLane(lane: string, at: string, lanes: readonly string[]): void {
  if (!lanes.includes(lane))
    throw new InputProblem(at, lanes.length === 0 ? 'the demo has no lanes' : `expected one of ${lanes.join(', ')}`)
}

function perOf(part: Part): string {
  const per = part.text('per')
  if (per === 'client' || per === 'credential' || /^header\.[\w-]+$/.test(per)) return per
  throw new InputProblem(part.place('per'), 'expected client, credential or header.<name>')
}

/** `header.<name>`, `body` and `json` as conditions of a match. */
function conditionsOf(part: Part, headers: readonly string[]): JsonObject {
  const header = Object.fromEntries(headers.map(key => [key.slice('header.'.length), part.given[key]!]))
  return {
    ...(headers.length === 0 ? {} : { header }),
    ...(part.has('body') ? { body: part.given.body! } : {}),
    ...(part.has('json') ? { json: part.given.json! } : {}),
  }
}

function readEvents(value: Json | undefined, at: string): ExpectationTest {
  const part = new Part(value, at, ['count', 'first_ms', 'lag_ms', 'order', 'text', ...SELECTION])
  const tests: Record<string, Json> = {}
  for (const key of ['count', 'first_ms', 'lag_ms', 'text'])
    if (part.given[key] !== undefined) tests[key] = checkedTest(part.given[key], part.place(key), key)
  if (part.has('order')) tests.order = part.flag('order')
  if (Object.keys(tests).length === 0) throw new InputProblem(at, 'expected count, first_ms, lag_ms, order or text')
  return { kind: 'events', selection: selectionOf(part), tests }
}

function readTokens(value: Json | undefined, at: string): ExpectationTest {
  const part = new Part(value, at, ['counted', 'upstream', 'equal'])
  const test = (key: string): Json | null => (part.has(key) ? checkedTest(part.given[key]!, part.place(key)) : null)
  return { kind: 'tokens', counted: test('counted'), upstream: test('upstream'), equal: part.flag('equal') }
}

function readCost(value: Json | undefined, at: string): ExpectationTest {
  const part = new Part(value, at, ['counted', 'upstream', 'equal', 'header'])
  const test = (key: string): Json | null => (part.has(key) ? checkedTest(part.given[key]!, part.place(key)) : null)
  const header = part.optionalText('header')
  if (header !== null && !/^[\w-]{1,100}$/.test(header))
    throw new InputProblem(part.place('header'), 'expected the name of a header')
  const needing = header === null ? ['counted', 'equal'].find(key => part.has(key)) : undefined
  if (needing !== undefined) throw new InputProblem(part.place(needing), 'expected a header that states the cost')
  return { kind: 'cost', counted: test('counted'), upstream: test('upstream'), equal: part.flag('equal'), header }
}

function readAgent(value: Json | undefined, at: string): ExpectationTest {
  const part = new Part(value, at, ['completed', 'turns', 'error', 'lost', ...SELECTION])
  const test = (key: string): Json | null =>
    part.has(key) ? checkedTest(part.given[key]!, part.place(key), key) : null
  return {
    kind: 'agent',
    selection: selectionOf(part),
    completed: part.has('completed') ? part.flag('completed') : null,
    turns: test('turns'),
    error: test('error'),
    lost: part.has('lost') ? part.texts('lost', 20) : null,
  }
}

function readCompare(value: Json | undefined, at: string): ExpectationTest {
  const part = new Part(value, at, ['direct', 'same', 'differ', 'added_ms', 'rounds'])
  if (part.has('direct') && !part.flag('direct')) throw new InputProblem(part.place('direct'), 'expected true')
  const names = (key: string): string[] =>
    part.texts(key, 20).map((name, index) => {
      if (name === 'status' || name === 'body' || /^header\.[\w-]+$/.test(name)) return name
      throw new InputProblem(below(part.place(key), index), 'expected status, body or header.<name>')
    })
  const added = part.has('added_ms') ? new Part(part.given.added_ms, part.place('added_ms'), ['p50', 'p99']) : null
  const addedMs = Object.fromEntries(
    Object.entries(added?.given ?? {}).map(([key, test]) => [key, checkedTest(test, added!.place(key))]),
  )
  return {
    kind: 'compare',
    same: names('same'),
    differ: names('differ'),
    addedMs,
    rounds: part.integerOr('rounds', 1, 500, added === null ? 1 : 20),
  }
}

function readCapture(value: Json | undefined, at: string): ExpectationTest {
  const given = asObject(value, at)
  const values = Object.entries(given).map(([name, place]): [string, string] => {
    if (!/^\w{1,40}$/.test(name)) throw new InputProblem(below(at, name), 'expected a name of letters, digits and _')
    const text = asText(place, below(at, name), 500, 1)
    if (!/^(?:json:(?:\/.*)?|header:[\w-]+|sse:\d{1,6}:data|body)$/.test(text))
      throw new InputProblem(below(at, name), 'expected json:/pointer, header:name, sse:3:data or body')
    return [name, text]
  })
  if (values.length === 0) throw new InputProblem(at, 'expected at least one name')
  return { kind: 'capture', values: Object.fromEntries(values) }
}
