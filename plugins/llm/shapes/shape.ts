/** The shape of a stream: how its bytes are written, and what is unusual about its events (`X-Svc-Stream-Shape`). */
import type { Framing, StreamShapes } from '../contract/stream.ts'

/** One item of a shape: its name, and its value after `=`. */
export interface ShapeItem {
  name: string
  value: string | null
}

export type StreamShape = readonly ShapeItem[]

interface ItemRule {
  /** Values after `=`; null: the item has none. */
  values: RegExp | null
  /** Numeric values must be within these bounds. */
  range?: readonly [number, number]
  /** Framings that it fits; default: all. */
  framings?: readonly Framing[]
  /** Whether a wire format has it. */
  fits?(shapes: StreamShapes, value: string): boolean
  /** Items that it excludes, if they come later in the table. */
  excludes?: readonly string[]
}

const SSE = ['sse', 'sse-crlf'] as const
const LINES = [...SSE, 'ndjson'] as const
const TEXT = [...LINES, 'json-array'] as const

/** All items, in the order in which the response lists them. */
const ITEMS: Readonly<Record<string, ItemRule>> = {
  split: { values: /^(?:utf8|line|end|byte|\d{1,5})$/, range: [1, 65_536], excludes: ['join'] },
  join: { values: /^\d{1,3}$/, range: [2, 100] },
  crlf: { values: null, framings: LINES, excludes: ['cr'] },
  cr: { values: null, framings: SSE },
  bom: { values: null, framings: TEXT },
  nospace: { values: null, framings: SSE },
  multiline: { values: null, framings: [...SSE, 'json-array'] },
  comments: { values: /^[A-Za-z0-9 _.-]{1,40}(?:@[1-9]\d{0,5})?$/, framings: LINES },
  heartbeat: { values: /^\d{2,5}$/, range: [10, 60_000], framings: LINES },
  retry: { values: /^\d{1,9}$/, framings: SSE },
  eventid: { values: null, framings: SSE },
  'no-done': { values: null, fits: shapes => shapes.isEnd !== undefined },
  'no-end': { values: null, framings: LINES },
  'no-finish': { values: null, fits: shapes => shapes.isFinish !== undefined },
  usage: {
    values: /^(?:own|last|every|twice|none)$/,
    fits: (shapes, value) => shapes.usage?.modes.some(mode => mode === value) === true,
  },
  role: { values: /^(?:absent|every)$/, fits: shapes => shapes.hasRole === true },
  id: { values: /^(?:changing|absent)$/, fits: shapes => shapes.idMember !== undefined },
  'start-twice': { values: null },
  'error-first': { values: null },
  type: { values: /^(?:json|text)$/ },
  'bad-crc': { values: null, framings: ['aws-eventstream'] },
}
const NAMES = Object.keys(ITEMS)
const MAX_ITEMS = 12
const MAX_TEXT = 500

/** For `X-Svc-Ignored` and the errors of options. */
export const EXPECTED_SHAPE = `a list of at most ${MAX_ITEMS} items such as split=utf8, crlf or no-done`

/** Reads a list of items, and the texts of those that can't be read. */
export function readShape(text: string): { shape: StreamShape; unknown: string[] } {
  const parts = text
    .slice(0, MAX_TEXT)
    .split(',')
    .map(part => part.trim())
  const shape: ShapeItem[] = []
  const unknown = text.length > MAX_TEXT ? ['…'] : []
  for (const part of parts) {
    const item = shape.length < MAX_ITEMS ? readItem(part) : null
    if (item === null) unknown.push(part.slice(0, 60))
    else if (!shape.some(({ name }) => name === item.name)) shape.push(item)
  }
  shape.sort((one, other) => NAMES.indexOf(one.name) - NAMES.indexOf(other.name))
  return { shape, unknown }
}

function readItem(text: string): ShapeItem | null {
  const at = text.indexOf('=')
  const name = at < 0 ? text : text.slice(0, at)
  const value = at < 0 ? null : text.slice(at + 1)
  const rule = Object.hasOwn(ITEMS, name) ? ITEMS[name]! : null
  if (rule === null || (rule.values === null) !== (value === null)) return null
  if (value !== null) {
    if (!rule.values!.test(value)) return null
    const isNumber = /^\d+$/.test(value)
    if (isNumber && rule.range !== undefined && (Number(value) < rule.range[0] || Number(value) > rule.range[1]))
      return null
  }
  return { name, value }
}

/** The items that act on a stream with this framing and wire format. */
export function actingItems(shape: StreamShape, framing: Framing, shapes: StreamShapes): StreamShape {
  const acting: ShapeItem[] = []
  for (const item of shape) {
    const rule = ITEMS[item.name]!
    const isArrayEnd = item.name === 'no-done' && framing === 'json-array'
    if (rule.framings !== undefined && !rule.framings.includes(framing)) continue
    if (!isArrayEnd && rule.fits?.(shapes, item.value ?? '') === false) continue
    if (acting.some(other => ITEMS[other.name]!.excludes?.includes(item.name) === true)) continue
    acting.push(item)
  }
  return acting
}

/** The text of items, as clients write it. */
export function showShape(shape: StreamShape): string {
  return shape.map(({ name, value }) => (value === null ? name : `${name}=${value}`)).join(', ')
}

/** The value of an item; true if it has none, undefined if it does not act. */
export function itemOf(shape: StreamShape, name: string): string | true | undefined {
  const found = shape.find(item => item.name === name)
  return found === undefined ? undefined : (found.value ?? true)
}
