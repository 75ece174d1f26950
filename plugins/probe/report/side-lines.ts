/** Sides as lines for a reader, and which lines of a side another side lacks. */
import type { Field } from '../client/response-parser.ts'
import type { Http2Side } from './http2-sides.ts'
import type { Side } from './sides.ts'

export interface SideLine {
  text: string
  /** How the line ends in HTTP/1.1. */
  end: '' | 'LF' | 'CR LF'
  /** What the line says, in any version of HTTP; empty if it says nothing that the other version could have. */
  meanings: readonly string[]
}

/** Fields of one version that the other one does not have (RFC 9113, 8.2.2). */
const CONNECTION_FIELDS = /^(?:connection|keep-alive|proxy-connection|transfer-encoding|upgrade|http2-settings)$/i

export function linesOf(side: Side): SideLine[] {
  return 'bytes' in side ? http1Lines(side.bytes) : http2Lines(side)
}

/** The side as text. */
export function textOf(side: Side): string {
  return linesOf(side)
    .map(({ text, end }) => (end === 'CR LF' ? `${text}\r` : text))
    .join('\n')
}

/** The head of the side as text. */
export function headTextOf(side: Side): string {
  const lines = linesOf(side)
  const end = lines.findIndex(({ text }) => text === '')
  return (end === -1 ? lines : lines.slice(0, end)).map(({ text }) => text).join('\n')
}

/** For each line of `side`, whether `other` lacks it. Between versions of HTTP, meanings are compared. */
export function differingLines(side: Side, other: Side): boolean[] {
  const isSameVersion = 'bytes' in side === 'bytes' in other
  const known = new Set(
    linesOf(other).flatMap(({ text, end, meanings }) => (isSameVersion ? [`${text} ${end}`] : meanings)),
  )
  return linesOf(side).map(({ text, end, meanings }) =>
    isSameVersion ? !known.has(`${text} ${end}`) : meanings.some(meaning => !known.has(meaning)),
  )
}

function http1Lines(bytes: string): SideLine[] {
  const lines = bytes.split('\n')
  let isHead = true
  return lines.map((line, index) => {
    const isEnded = index < lines.length - 1
    const text = isEnded && line.endsWith('\r') ? line.slice(0, -1) : line
    if (text === '') isHead = false
    return {
      text,
      end: !isEnded ? '' : text.length < line.length ? 'CR LF' : 'LF',
      meanings: isHead ? headMeanings(text, index === 0) : text === '' ? [] : [text],
    }
  })
}

function headMeanings(text: string, isFirst: boolean): string[] {
  const status = /^HTTP\/\d\.\d (\d{3})/.exec(text)?.[1]
  if (status !== undefined) return [`:status: ${status}`]
  const request = isFirst ? /^(\S+) (\S+) HTTP\/\d\.\d$/.exec(text) : null
  if (request !== null) return [`:method: ${request[1]}`, `:path: ${request[2]}`]
  const colon = text.indexOf(':')
  return colon === -1 ? [text] : fieldMeanings([text.slice(0, colon), text.slice(colon + 1)])
}

function fieldMeanings([name, value]: Field): string[] {
  const lower = name.toLowerCase()
  if (CONNECTION_FIELDS.test(lower) || lower === ':scheme') return []
  return [`${lower === 'host' ? ':authority' : lower}: ${value.trim()}`]
}

function http2Lines({ interims = [], fields, data, trailers = [], error, frames = [] }: Http2Side): SideLine[] {
  const fieldLines = (list: readonly Field[]): SideLine[] =>
    list.map(field => ({ text: `${field[0]}: ${field[1]}`, end: '', meanings: fieldMeanings(field) }))
  const empty: SideLine = { text: '', end: '', meanings: [] }
  const content = data.split('\n').map(
    (line): SideLine => ({
      text: line.replace(/\r$/, ''),
      end: '',
      meanings: line === '' ? [] : [line.replace(/\r$/, '')],
    }),
  )
  const stated = (text: string): SideLine => ({ text, end: '', meanings: [text] })
  return [
    ...interims.flatMap(list => [...fieldLines(list), empty]),
    ...fieldLines(fields),
    ...(data === '' ? [] : [empty, ...content]),
    ...(trailers.length === 0 ? [] : [empty, ...fieldLines(trailers)]),
    ...frames.map(frame => stated(`frame: ${frame}`)),
    ...(error === undefined ? [] : [stated(`stream error: ${error}`)]),
  ]
}
