/** The header `X-Svc-Graphql`: faults inside the answer to one request, such as `error=/user/name@DOWN; status=503`. */
import { InputProblem, isTextNestedWithin } from 'svc/toolkit'
import {
  DATA_FAULTS,
  DEFAULT_CODE,
  DEFAULT_MEMBER,
  DEFAULT_MESSAGE,
  ENTITY_FAULTS,
  MAX_EVENTS,
  NO_FAULTS,
  readCode,
  readMemberName,
  readPlace,
  readStatus,
  readWord,
  SERVICE_SDL_KINDS,
  type FaultPlan,
} from './plan.ts'

const ITEMS = ['error', 'delay', 'value', 'remove', 'add', 'entities', 'data', 'status', 'cut', 'sdl']
const MAX_DEPTH = 50
const MAX_DELAY_MS = 86_400_000

/** Reads the header. Throws an `InputProblem` whose place is the item. */
export function readFaultHeader(text: string, maxPlaces: number): FaultPlan {
  const items = splitItems(text)
    .map(item => item.trim())
    .filter(item => item !== '')
  if (items.length > maxPlaces) throw new InputProblem('', `expected at most ${maxPlaces} items`)
  return items.reduce(addItem, NO_FAULTS)
}

/** Splits at semicolons outside the texts of JSON. */
function splitItems(text: string): string[] {
  const items: string[] = []
  let start = 0
  let isText = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (isText && character === '\\') index++
    else if (character === '"') isText = !isText
    else if (character === ';' && !isText) {
      items.push(text.slice(start, index))
      start = index + 1
    }
  }
  return [...items, text.slice(start)]
}

function addItem(plan: FaultPlan, item: string): FaultPlan {
  const at = item.slice(0, 100)
  const [name, value] = halves(item, '=')
  const [place, detail] = value === null ? ['', null] : halves(value, '@')
  switch (name) {
    case 'error': {
      const code = detail === null ? DEFAULT_CODE : readCode(detail, at)
      const error = { at: readPlace(place, at), code, message: DEFAULT_MESSAGE, extensions: {} }
      return { ...plan, errors: [...plan.errors, error] }
    }
    case 'delay':
      return {
        ...plan,
        delays: [...plan.delays, { at: readPlace(place, at), ms: readNumber(detail, MAX_DELAY_MS, at) }],
      }
    case 'value':
      return { ...plan, values: [...plan.values, { at: readPlace(place, at), value: readJson(detail, at) }] }
    case 'remove':
      return { ...plan, removals: [...plan.removals, readPlace(value, at)] }
    case 'add': {
      const member = detail === null ? DEFAULT_MEMBER : readMemberName(detail, at)
      const addition = { at: readPlace(place, at, { isRootAllowed: true }), name: member, value: true }
      return { ...plan, additions: [...plan.additions, addition] }
    }
    case 'entities':
      return { ...plan, entities: readWord(value, ENTITY_FAULTS, at) }
    case 'data':
      return { ...plan, data: readWord(value, DATA_FAULTS, at) }
    case 'status':
      return { ...plan, status: readStatus(readNumber(value, 599, at), at) }
    case 'cut':
      return { ...plan, cut: readNumber(value, MAX_EVENTS, at) }
    case 'sdl':
      return { ...plan, sdl: readWord(value, SERVICE_SDL_KINDS, at) }
    default:
      throw new InputProblem(at, `expected one of ${ITEMS.map(known => `${known}=`).join(', ')}`)
  }
}

/** The text before and after the first separator; null without one. */
function halves(text: string, separator: string): [before: string, after: string | null] {
  const end = text.indexOf(separator)
  return end === -1 ? [text.trim(), null] : [text.slice(0, end).trim(), text.slice(end + 1).trim()]
}

function readNumber(text: string | null, max: number, at: string): number {
  if (text !== null && /^\d{1,9}$/.test(text) && Number(text) <= max) return Number(text)
  throw new InputProblem(at, `expected a whole number from 0 to ${max}`)
}

function readJson(text: string | null, at: string): unknown {
  try {
    if (text !== null && isTextNestedWithin(text, MAX_DEPTH)) return JSON.parse(text)
  } catch {
    // Reported below.
  }
  throw new InputProblem(at, 'expected a place, @, and JSON')
}
