/** Faults inside an answer: what a request or a rule asks for, and where. */
import { InputProblem } from 'svc/toolkit'

/** A response path, whose segments may be `*`, or a field of a type. */
export type Place = { kind: 'path'; segments: readonly string[] } | { kind: 'coordinate'; type: string; field: string }

/** What happens to the entities of a representation list. */
export const ENTITY_FAULTS = ['reverse', 'short', 'long', 'null', 'empty', 'not-list', 'error'] as const
export type EntityFault = (typeof ENTITY_FAULTS)[number]

export const DATA_FAULTS = ['null', 'drop'] as const

/** The SDLs that do not compose, and two for which `_service` alone is enough. */
export const SDL_KINDS = ['syntax', 'unknown-directive', 'key-field', 'not-shareable', 'field-type', 'link'] as const
export const SERVICE_SDL_KINDS = [...SDL_KINDS, 'empty', 'null'] as const
export type SdlKind = (typeof SERVICE_SDL_KINDS)[number]

export interface FieldError {
  at: Place
  code: string
  message: string
  extensions: Readonly<Record<string, unknown>>
}

export interface FaultPlan {
  errors: readonly FieldError[]
  delays: readonly { at: Place; ms: number }[]
  values: readonly { at: Place; value: unknown }[]
  removals: readonly Place[]
  additions: readonly { at: Place; name: string; value: unknown }[]
  entities: EntityFault | null
  data: (typeof DATA_FAULTS)[number] | null
  /** Status of the response. */
  status: number | null
  /** Events after which a stream is cut. */
  cut: number | null
  sdl: SdlKind | null
}

export const NO_FAULTS: FaultPlan = {
  errors: [],
  delays: [],
  values: [],
  removals: [],
  additions: [],
  entities: null,
  data: null,
  status: null,
  cut: null,
  sdl: null,
}

export const DEFAULT_CODE = 'INJECTED_FAULT'
export const DEFAULT_MESSAGE = 'injected fault'
export const DEFAULT_MEMBER = 'svcExtra'
export const MAX_EVENTS = 1_000_000
const MAX_PLACE = 500
const MAX_SEGMENTS = 50
const NAME = /^[_A-Za-z]\w{0,199}$/

/** Reads a place. `/`, the data as a whole, is one only if `isRootAllowed`. Throws an `InputProblem`. */
export function readPlace(text: unknown, at: string, { isRootAllowed = false } = {}): Place {
  const problem = (): InputProblem =>
    new InputProblem(at, 'expected a response path such as /products/*/name, or a field such as Product.name')
  if (typeof text !== 'string' || text.length > MAX_PLACE) throw problem()
  if (text === '/' && isRootAllowed) return { kind: 'path', segments: [] }
  if (text.startsWith('/')) {
    const segments = text.slice(1).split('/')
    if (segments.length > MAX_SEGMENTS || !segments.every(isSegment)) throw problem()
    return { kind: 'path', segments }
  }
  const [type = '', field = '', ...rest] = text.split('.')
  if (rest.length > 0 || !NAME.test(type) || !NAME.test(field)) throw problem()
  return { kind: 'coordinate', type, field }
}

function isSegment(segment: string): boolean {
  return segment === '*' || NAME.test(segment) || /^(?:0|[1-9]\d{0,8})$/.test(segment)
}

/** Reads the name of a member that is added. Throws an `InputProblem`. */
export function readMemberName(name: unknown, at: string): string {
  if (typeof name === 'string' && NAME.test(name)) return name
  throw new InputProblem(at, 'expected the name of a member')
}

/** Reads the code of an error. Throws an `InputProblem`. */
export function readCode(code: unknown, at: string): string {
  if (typeof code === 'string' && /^[\w.:-]{1,100}$/.test(code)) return code
  throw new InputProblem(at, 'expected a code such as RATINGS_DOWN')
}

/** Reads a status: one of a response with a body. Throws an `InputProblem`. */
export function readStatus(status: unknown, at: string): number {
  const isStatus = typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599
  if (isStatus && ![204, 205, 304].includes(status)) return status
  throw new InputProblem(at, 'expected a status from 200 to 599 of a response with a body')
}

/** Reads one of some words. Throws an `InputProblem`. */
export function readWord<Word extends string>(value: unknown, words: readonly Word[], at: string): Word {
  const found = words.find(word => word === value)
  if (found === undefined) throw new InputProblem(at, `expected one of ${words.join(', ')}`)
  return found
}
