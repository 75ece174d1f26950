/** The shape of a reply: how its bytes are written, and what is unusual about its contents (`X-Svc-Stream-Shape`). */
import type { Framing, ShapeChangeName, StreamShapes } from '../contract/stream.ts'

/** One item of a shape: its name, and its value after `=`. */
export interface ShapeItem {
  name: string
  value: string | null
}

export type StreamShape = readonly ShapeItem[]

interface ItemRule {
  /** Values after `=`; null: the item has none. A list: several can be joined by `+`. */
  values: RegExp | readonly string[] | null
  /** The item can also be without a value. */
  isOptional?: true
  /** Numeric values must be within these bounds. */
  range?: readonly [number, number]
  /** Framings that it fits; default: all. */
  framings?: readonly Framing[]
  /** Whether a wire format has a value of it; `isWhole`: for complete replies. */
  fits?(shapes: StreamShapes, value: string, isWhole: boolean): boolean
  /** It acts on complete replies too. */
  isOfWhole?: true
  /** Items that it excludes, if they come later in the table. */
  excludes?: readonly string[]
}

const SSE = ['sse', 'sse-crlf'] as const
const LINES = [...SSE, 'ndjson'] as const
const TEXT = [...LINES, 'json-array'] as const

/** How the usage is written, wherever that is. */
export const USAGE_FORMS: readonly string[] = ['null', 'strings', 'bare']
/** Codings by themselves are for clients that accept them, and are flushed after each event. */
const CODED = /^(?:force|late)$/
export const CODINGS = ['gzip', 'br', 'zstd'] as const
export type Coding = (typeof CODINGS)[number]

/** An item of which each format knows itself what it changes. */
function change(name: ShapeChangeName, values: readonly string[] | null): ItemRule {
  return { values, isOfWhole: true, fits: (shapes, value, isWhole) => hasChange(shapes, name, value, isWhole) }
}

function hasChange({ changes }: StreamShapes, name: ShapeChangeName, value: string, isWhole: boolean): boolean {
  const own = changes?.[name]
  if (own === undefined || (isWhole ? own.whole : own.events) === undefined) return false
  return value === '' || own.values === undefined || own.values.includes(value)
}

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
    values: ['own', 'last', 'every', 'twice', 'none', 'beside', 'null', 'strings', 'bare'],
    isOfWhole: true,
    fits: ({ usage }, value, isWhole) => {
      if (USAGE_FORMS.includes(value)) return usage?.member !== undefined
      if (isWhole) return value === 'none' && usage?.member !== undefined
      return usage?.modes.some(mode => mode === value) === true
    },
  },
  role: { values: /^(?:absent|every)$/, fits: shapes => shapes.hasRole === true },
  id: {
    values: /^(?:changing|absent)$/,
    fits: (shapes, value) => shapes.idMember !== undefined || hasChange(shapes, 'id', value, false),
  },
  'start-twice': { values: null },
  'error-first': { values: null },
  type: { values: /^(?:json|text)$/ },
  'bad-crc': { values: null, framings: ['aws-eventstream'] },
  gzip: { values: CODED, isOptional: true, isOfWhole: true, excludes: ['br', 'zstd'] },
  br: { values: CODED, isOptional: true, isOfWhole: true, excludes: ['zstd'] },
  zstd: { values: CODED, isOptional: true, isOfWhole: true },
  huge: { values: /^\d{1,7}$/, range: [1, 4_194_304] },
  done: { values: /^(?:twice|early)$/, fits: shapes => shapes.isEnd !== undefined },
  'empty-choices': change('empty-choices', null),
  tools: change('tools', [
    'interleaved',
    'same-index',
    'no-index',
    'no-id',
    'blank-id',
    'repeat-id',
    'fused',
    'late-name',
    'whole',
    'empty-args',
  ]),
  null: change('null', ['content', 'message', 'delta', 'details', 'tool_calls', 'finish', 'logprobs']),
  finish: { values: /^[A-Za-z_]{1,40}$/, isOfWhole: true },
  signature: change('signature', ['split']),
  order: change('order', ['swapped']),
  sequence: change('sequence', ['absent', 'zero']),
  completed: change('completed', ['bare']),
  'error-200': { values: null, isOfWhole: true },
  // Of errors only.
  'error-body': { values: /^(?:html|text|empty|truncated|array)$/, fits: () => false },
}
/** The names of all items. */
export const NAMES: readonly string[] = Object.keys(ITEMS)
const MAX_ITEMS = 16
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
  if (rule === null) return null
  if (value === null) return rule.values === null || rule.isOptional === true ? { name, value } : null
  return rule.values !== null && isValue(value, rule) ? { name, value } : null
}

function isValue(value: string, { values, range }: ItemRule): boolean {
  if (values === null) return false
  if (!(values instanceof RegExp)) return value.split('+').every(part => values.includes(part))
  if (!values.test(value)) return false
  return !/^\d+$/.test(value) || range === undefined || (Number(value) >= range[0] && Number(value) <= range[1])
}

/** The items that act on a stream with this framing, or on a complete reply (null), in a wire format. */
export function actingItems(shape: StreamShape, framing: Framing | null, shapes: StreamShapes): StreamShape {
  const acting: ShapeItem[] = []
  for (const item of shape) {
    const rule = ITEMS[item.name]!
    if (framing === null ? rule.isOfWhole !== true : rule.framings?.includes(framing) === false) continue
    const isArrayEnd = item.name === 'no-done' && framing === 'json-array'
    const values = isArrayEnd ? [item.value] : fittingValues(item, rule, shapes, framing === null)
    if (values.length === 0) continue
    if (acting.some(other => ITEMS[other.name]!.excludes?.includes(item.name) === true)) continue
    acting.push(item.value === null ? item : { ...item, value: values.join('+') })
  }
  return acting
}

/** The values that a wire format has; of an item without a value that one, if it fits. */
function fittingValues(
  { value }: ShapeItem,
  rule: ItemRule,
  shapes: StreamShapes,
  isWhole: boolean,
): (string | null)[] {
  const parts = value !== null && rule.values !== null && !(rule.values instanceof RegExp) ? value.split('+') : [value]
  return parts.filter(part => rule.fits?.(shapes, part ?? '', isWhole) !== false)
}

/** The items that change an error: `error-200` and `error-body`. */
export function itemsOfErrors(shape: StreamShape): StreamShape {
  return shape.filter(({ name }) => name === 'error-200' || name === 'error-body')
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

/** The values of an item that are joined by `+`; none if it does not act. */
export function valuesOf(shape: StreamShape, name: string): readonly string[] {
  const value = itemOf(shape, name)
  return typeof value === 'string' ? value.split('+') : []
}
