/** The step `graphql` of rules: faults inside the answers to the requests on which the rule acts. */
import type { Json } from 'svc/plugin'
import {
  asInteger,
  asObject,
  asText,
  below,
  InputProblem,
  isNestedWithin,
  readDistribution,
  rejectUnknownKeys,
  type Distribution,
  type RuleStep,
  type RuleStepKind,
} from 'svc/toolkit'
import {
  DATA_FAULTS,
  DEFAULT_CODE,
  DEFAULT_MEMBER,
  DEFAULT_MESSAGE,
  ENTITY_FAULTS,
  MAX_EVENTS,
  readCode,
  readMemberName,
  readPlace,
  readStatus,
  readWord,
  SERVICE_SDL_KINDS,
  type FaultPlan,
  type Place,
} from './plan.ts'

export const STEP = 'graphql'
const MEMBERS = ['errors', 'delays', 'values', 'remove', 'add', 'entities', 'data', 'status', 'cut', 'sdl']
const MAX_MESSAGE = 500
const MAX_DEPTH = 50

/** What the step has: delays are drawn for each hit. */
type StoredPlan = Omit<FaultPlan, 'delays'> & { delays: readonly { at: Place; ms: Distribution }[] }

/** The step, with at most `maxPlaces` places. */
export function graphqlStep(maxPlaces: number): RuleStepKind {
  return {
    name: STEP,
    description:
      'GraphQL: faults inside the answer: errors, delays, values, remove, add, entities, data, status, cut, sdl',
    answers: false,
    read: (value, at) => readStep(value, at, maxPlaces),
  }
}

/** The faults of one hit of a rule. */
export function planOfStep({ value, draw }: RuleStep): FaultPlan {
  const stored = value as StoredPlan
  return {
    ...stored,
    delays: stored.delays.map(({ at, ms }, index) => ({ at, ms: ms.at(draw(`graphql.delay.${index}`)) })),
  }
}

function readStep(value: Json, at: string, maxPlaces: number): StoredPlan {
  const given = asObject(value, at, `expected an object with ${MEMBERS.join(', ')}`)
  rejectUnknownKeys(given, MEMBERS, at)
  if (Object.keys(given).length === 0) throw new InputProblem(at, `expected at least one of ${MEMBERS.join(', ')}`)
  const list = <Item>(name: string, read: (item: Json, place: string) => Item): Item[] => {
    const items = given[name]
    if (items === undefined) return []
    if (!Array.isArray(items) || items.length === 0) throw new InputProblem(below(at, name), 'expected a list')
    return items.map((item, index) => read(item, below(below(at, name), index)))
  }
  const optional = <Value>(name: string, read: (member: Json, place: string) => Value): Value | null =>
    given[name] === undefined ? null : read(given[name], below(at, name))
  const plan: StoredPlan = {
    errors: list('errors', readError),
    delays: list('delays', (item, place) => {
      const { at: where, ms } = members(item, ['at', 'ms'], place)
      return { at: readPlace(where, below(place, 'at')), ms: readDistribution(ms ?? null, below(place, 'ms')) }
    }),
    values: list('values', (item, place) => {
      const { at: where, value: put } = members(item, ['at', 'value'], place)
      return { at: readPlace(where, below(place, 'at')), value: readValue(put, below(place, 'value')) }
    }),
    removals: list('remove', (item, place) => readPlace(item, place)),
    additions: list('add', (item, place) => {
      const { at: where, name = DEFAULT_MEMBER, value: put = true } = members(item, ['at', 'name', 'value'], place)
      return {
        at: readPlace(where, below(place, 'at'), { isRootAllowed: true }),
        name: readMemberName(name, below(place, 'name')),
        value: readValue(put, below(place, 'value')),
      }
    }),
    entities: optional('entities', (word, place) => readWord(word, ENTITY_FAULTS, place)),
    data: optional('data', (word, place) => readWord(word === null ? 'null' : word, DATA_FAULTS, place)),
    status: optional('status', readStatus),
    cut: optional('cut', (count, place) => asInteger(count, place, 0, MAX_EVENTS)),
    sdl: optional('sdl', (word, place) => readWord(word, SERVICE_SDL_KINDS, place)),
  }
  const places = [plan.errors, plan.delays, plan.values, plan.removals, plan.additions].flat().length
  if (places > maxPlaces) throw new InputProblem(at, `expected at most ${maxPlaces} places`)
  return plan
}

function readError(item: Json, place: string): FaultPlan['errors'][number] {
  const given = members(item, ['at', 'code', 'message', 'extensions'], place)
  const { code = DEFAULT_CODE, message = DEFAULT_MESSAGE, extensions = {} } = given
  return {
    at: readPlace(given.at, below(place, 'at')),
    code: readCode(code, below(place, 'code')),
    message: asText(message, below(place, 'message'), MAX_MESSAGE),
    extensions: asObject(readValue(extensions, below(place, 'extensions')), below(place, 'extensions')),
  }
}

function members(item: Json, names: readonly string[], place: string): Record<string, Json | undefined> {
  const given = asObject(item, place, `expected an object with ${names.join(', ')}`)
  rejectUnknownKeys(given, names, place)
  return given
}

function readValue(value: Json | undefined, at: string): Json {
  if (value !== undefined && isNestedWithin(value, MAX_DEPTH)) return value
  throw new InputProblem(at, `expected JSON with at most ${MAX_DEPTH} levels`)
}
