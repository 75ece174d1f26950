/** Compares the parts of turns and replies. */
import { joinNeighbors, resultText } from '../neutral.ts'
import type { CallPart, FilePart, ImagePart, Part, ResultPart } from '../types.ts'
import { isEqual, parseJson } from '../values.ts'
import { isRecord } from 'svc/toolkit'
import type { Collector } from './collector.ts'

/** Ids of calls as they were sent, and as they arrived. */
export type CallIds = Map<string, string>

export interface PartsContext {
  differences: Collector
  ids: CallIds
}

/** In which order wires have parts that don't say it. */
const ORDER: Readonly<Record<Part['type'], number>> = {
  thinking: 0,
  redacted: 0,
  result: 1,
  text: 2,
  image: 2,
  file: 2,
  refusal: 2,
  other: 3,
  call: 4,
}

/** `role`: of the assistant, text and calls have an order in some wires only. */
export function compareParts(
  sent: readonly Part[],
  got: readonly Part[],
  path: string,
  role: 'user' | 'assistant',
  context: PartsContext,
): void {
  const { differences } = context
  const { from, to } = differences.scope
  const isUnordered = role === 'assistant' && (from.reply.has('order') || to.reply.has('order'))
  const hasRefusals = [from, to].every(({ reply }) => !reply.has('refusal') && !reply.has('filter'))
  const hasRedacted = [from, to].every(({ reply, request }) => !reply.has('redacted') && !request.has('redacted'))
  const prepared = (parts: readonly Part[]): Part[] => {
    const plain = joinNeighbors(parts.map(part => comparable(part, { hasRefusals, hasRedacted })))
    return isUnordered ? joinNeighbors(plain.toSorted((one, other) => ORDER[one.type] - ORDER[other.type])) : plain
  }
  const before = withoutUnsayable(prepared(sent), path, differences)
  const after = prepared(got)
  const matched = matchParts(before, after, context)
  // Each result names its call, so results may change places with one another.
  const last = { result: -1, other: -1 }
  for (const [index, part] of before.entries()) {
    const other = matched.get(part)
    const at = `${path}/${index}`
    if (other === undefined) {
      differences.lost(at, part, part.type === 'image' && part.url !== null && to.request.has('image-url'))
      continue
    }
    const place = after.indexOf(other)
    const isResult = part.type === 'result'
    const isMoved = place < last.other || (!isResult && place < last.result)
    if (isMoved || place < last.result)
      differences.changed(at, `place ${index}`, `place ${place}`, !isMoved, 'another order')
    if (isResult) last.result = Math.max(last.result, place)
    else last.other = Math.max(last.other, place)
    comparePart(part, other, at, context)
  }
  const taken = new Set(matched.values())
  for (const [index, part] of after.entries())
    if (!taken.has(part)) differences.added(`${path}/${index}`, part, part.type === 'thinking' ? 'thinking' : undefined)
}

interface Words {
  hasRefusals: boolean
  hasRedacted: boolean
}

/** Without marks, which are compared for themselves. */
function comparable(part: Part, words: Words): Part {
  const { hasRefusals, hasRedacted } = words
  // Thinking without a text is its sealed value, whatever the wire calls it.
  if (part.type === 'thinking' && part.text === '' && part.signature !== null && hasRedacted)
    return { type: 'redacted', data: part.signature }
  if (part.type === 'refusal' && !hasRefusals) return { type: 'text', text: part.text }
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.type === 'result') return { ...part, parts: part.parts.map(inner => comparable(inner, words)) }
  return part
}

/** Leaves out what the other wire has no word for. */
function withoutUnsayable(parts: readonly Part[], path: string, differences: Collector): Part[] {
  const { to, side } = differences.scope
  const cannot = (part: Part): boolean => {
    if (part.type === 'thinking')
      return side === 'reply'
        ? to.reply.has('thinking')
        : to.request.has('thinking') || (to.request.has('signatures') && part.text === '')
    if (part.type === 'redacted') return side === 'reply' ? to.reply.has('redacted') : to.request.has('redacted')
    if (part.type === 'file') return to.request.has('files')
    return false
  }
  return parts.filter((part, index) => {
    if (!cannot(part)) return true
    differences.lost(`${path}/${index}`, part, true)
    return false
  })
}

/** The first with the first of a type; results with those of the same call. */
function matchParts(before: readonly Part[], after: readonly Part[], { ids }: PartsContext): Map<Part, Part> {
  const matched = new Map<Part, Part>()
  const free = new Set(after)
  const take = (part: Part, found: Part | undefined): void => {
    if (found === undefined) return
    matched.set(part, found)
    free.delete(found)
  }
  for (const part of before)
    if (part.type === 'result' && part.id !== null) {
      const id = ids.get(part.id) ?? part.id
      take(
        part,
        [...free].find(other => other.type === 'result' && other.id === id),
      )
    }
  // An equal one first, so that one that is missing does not change all that follow.
  for (const exact of [true, false])
    for (const part of before)
      if (!matched.has(part))
        take(
          part,
          [...free].find(other => other.type === part.type && (!exact || isAlike(part, other))),
        )
  return matched
}

function isAlike(one: Part, other: Part): boolean {
  if (one.type === 'call' && other.type === 'call') return one.name === other.name && isEqual(one.args, other.args)
  if (one.type === 'text' && other.type === 'text') return one.text === other.text
  if (one.type === 'result' && other.type === 'result') return hasSameResult(one, other)
  return isEqual(one, other)
}

function comparePart(sent: Part, got: Part, path: string, context: PartsContext): void {
  const { differences } = context
  switch (sent.type) {
    case 'text':
    case 'refusal':
      if (got.type === sent.type && got.text !== sent.text) differences.changed(`${path}/text`, sent.text, got.text)
      return
    case 'image':
    case 'file':
      return compareMedia(sent, got as ImagePart | FilePart, path, differences)
    case 'call':
      return compareCalls(sent, got as CallPart, path, context)
    case 'result':
      return compareResults(sent, got as ResultPart, path, context)
    case 'thinking': {
      if (got.type !== 'thinking') return
      const { to, side } = differences.scope
      const cannotSign = (side === 'reply' ? to.reply : to.request).has('signatures' as never)
      if (got.text !== sent.text) differences.changed(`${path}/text`, sent.text, got.text)
      if (sent.signature === null) return
      // In replies a wire has its own signatures, which lead to these.
      if (got.signature === null) differences.lost(`${path}/signature`, sent.signature, cannotSign)
      else if (got.signature !== sent.signature && side === 'request')
        differences.changed(`${path}/signature`, sent.signature, got.signature)
      return
    }
    case 'redacted':
      if (got.type === 'redacted' && got.data !== sent.data && differences.scope.side === 'request')
        differences.changed(`${path}/data`, sent.data, got.data)
      return
    default:
      if (!isEqual(sent, got)) differences.changed(path, sent, got)
  }
}

function compareCalls(sent: CallPart, got: CallPart, path: string, { differences, ids }: PartsContext): void {
  if (got.name !== sent.name) differences.changed(`${path}/name`, sent.name, got.name)
  if (!isEqual(sent.args, got.args)) differences.changed(`${path}/args`, sent.args, got.args)
  if (sent.id === null || got.id === null) return
  const other = [...ids].find(([, id]) => id === got.id)
  if (other !== undefined && other[0] !== sent.id)
    differences.changed(`${path}/id`, sent.id, got.id, false, 'two calls have this id')
  ids.set(sent.id, got.id)
}

function compareResults(sent: ResultPart, got: ResultPart, path: string, { differences, ids }: PartsContext): void {
  const { to } = differences.scope
  const expected = sent.id === null ? null : (ids.get(sent.id) ?? null)
  if (expected !== null && got.id !== null && got.id !== expected) differences.changed(`${path}/id`, expected, got.id)
  if (sent.error && !got.error)
    differences.lost(
      `${path}/error`,
      true,
      to.request.has('error-flag') || to.request.has('marks'),
      'only a convention',
    )
  if (!sent.error && got.error) differences.changed(`${path}/error`, false, true)
  if (!hasSameResult(sent, got)) differences.changed(`${path}/parts`, contentOf(sent), contentOf(got))
  const media = sent.parts.filter(({ type }) => type === 'image' || type === 'file')
  const arrived = got.parts.filter(({ type }) => type === 'image' || type === 'file')
  for (const [index, part] of media.entries()) {
    const other = arrived[index]
    if (other === undefined) differences.lost(`${path}/parts/${index}`, part, to.request.has('result-image'))
    else compareMedia(part as ImagePart, other as ImagePart, `${path}/parts/${index}`, differences)
  }
}

const WRAPPERS = ['output', 'result', 'content', 'error']

/** The text, or its JSON value, which may be in a member. */
function hasSameResult(one: ResultPart, other: ResultPart): boolean {
  const [before, after] = [contentOf(one), contentOf(other)]
  if (isEqual(before, after)) return true
  const wrapped = (value: unknown): unknown[] =>
    isRecord(value) && Object.keys(value).length === 1
      ? WRAPPERS.flatMap(name => (name in value ? [asValue(value[name])] : []))
      : []
  return wrapped(after).some(inner => isEqual(inner, before)) || wrapped(before).some(inner => isEqual(inner, after))
}

function contentOf(part: ResultPart): unknown {
  return asValue(resultText(part))
}

function asValue(value: unknown): unknown {
  return typeof value === 'string' ? (parseJson(value) ?? value) : value
}

function compareMedia(
  sent: ImagePart | FilePart,
  got: ImagePart | FilePart,
  path: string,
  differences: Collector,
): void {
  if (sent.url !== null && got.data !== null)
    return differences.changed(`${path}/url`, sent.url, 'its bytes', true, 'the gateway fetched it')
  for (const key of ['url', 'data', 'id'] as const)
    if (sent[key] !== null && got[key] !== sent[key])
      if (got[key] === null)
        differences.lost(
          `${path}/${key}`,
          short(sent[key]),
          key === 'url' && differences.scope.to.request.has('image-url'),
        )
      else differences.changed(`${path}/${key}`, short(sent[key]), short(got[key]))
  if (sent.mediaType !== null && got.mediaType !== null && sent.mediaType !== got.mediaType)
    differences.changed(`${path}/mediaType`, sent.mediaType, got.mediaType)
  if (sent.type !== 'file' || got.type !== 'file' || sent.name === null) return
  if (got.name === null) differences.lost(`${path}/name`, sent.name, differences.scope.to.request.has('file-name'))
  else if (stem(got.name) !== stem(sent.name)) differences.changed(`${path}/name`, sent.name, got.name)
}

const short = (value: string | null): string => (value ?? '').slice(0, 200)

/** Converse takes no dots in names. */
function stem(name: string): string {
  return name
    .replace(/[.-](?:pdf|txt|md|csv|html)$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
}
