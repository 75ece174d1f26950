/** Writes multipart bodies (RFC 2046, 5.1; RFC 7578 for forms). */
import { type OutputBudget } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { ownObject, ownText, type Json, type JsonObject } from '../document/json.ts'
import { baseType, isJsonType } from '../request/media-types.ts'
import { headerText } from './response-headers.ts'
import { hash } from '../schema/seed.ts'

export interface Multipart {
  text: string
  /** The media type with its boundary. */
  type: string
}

interface Part {
  headers: string[]
  text: string
}

const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i
const MAX_PARTS = 1000
/** Bytes of a part besides its headers and content. */
const FRAME_BYTES = 64

/**
 * A value as a multipart body: each member of an object, or item of a list, is a part. `encoding` is that of the media type
 * (OpenAPI 3.1.1, 4.15). A text that starts with a delimiter stays as it is. Throws `OutputTooLarge`.
 */
export function writeMultipart(
  value: Json,
  { type, encoding, output }: { type: string; encoding: JsonObject | undefined; output: OutputBudget },
): Multipart {
  const declared = BOUNDARY.exec(type)
  const given = declared?.[1] ?? declared?.[2]
  const own = typeof value === 'string' ? /^--([\w'()+,./:=?-]{1,70})\r?\n/.exec(value)?.[1] : undefined
  if (own !== undefined && typeof value === 'string')
    return { text: value, type: given === undefined ? withBoundary(type, own) : type }
  const parts = partsOf(value, baseType(type) === 'multipart/form-data', encoding, output)
  const boundary = given ?? unusedBoundary(parts)
  const lines = parts.map(({ headers, text }) => `--${boundary}\r\n${headers.join('\r\n')}\r\n\r\n${text}\r\n`)
  return {
    text: `${lines.join('')}--${boundary}--\r\n`,
    type: given === undefined ? withBoundary(type, boundary) : type,
  }
}

function withBoundary(type: string, boundary: string): string {
  return `${type}; boundary=${/^[\w'+.-]+$/.test(boundary) ? boundary : `"${boundary}"`}`
}

function partsOf(value: Json, isForm: boolean, encoding: JsonObject | undefined, output: OutputBudget): Part[] {
  const named: [string | null, Json][] = isRecord(value)
    ? Object.entries(value).flatMap(([name, member]): [string, Json][] =>
        isForm && Array.isArray(member) ? member.map(item => [name, item]) : [[name, member]],
      )
    : (Array.isArray(value) ? value : [value]).map(item => [null, item])
  return named.slice(0, MAX_PARTS).map(([name, content]) => {
    const part = partOf(name, content, isForm, name === null ? undefined : ownObject(encoding, name))
    output.take(FRAME_BYTES + part.text.length + part.headers.reduce((sum, header) => sum + header.length + 2, 0))
    return part
  })
}

function partOf(name: string | null, content: Json, isForm: boolean, encoding: JsonObject | undefined): Part {
  const isText = typeof content === 'string'
  const type = ownText(encoding, 'contentType')?.split(',', 1)[0]?.trim()
  const usual = typeof content === 'object' && content !== null ? 'application/json' : 'text/plain; charset=utf-8'
  const contentType = headerText(type === undefined || type === '' || type.includes('*') ? usual : type)
  const headers: string[] = []
  if (isForm || name !== null)
    headers.push(`Content-Disposition: ${isForm ? 'form-data' : 'attachment'}; name="${quotedName(name ?? 'value')}"`)
  headers.push(`Content-Type: ${contentType}`)
  return { headers, text: isText && !isJsonType(contentType) ? content : JSON.stringify(content) }
}

/** RFC 7578, 4.2: quotes and line ends are percent-encoded, as browsers do. */
function quotedName(name: string): string {
  return name.replaceAll(/["\r\n]/g, character => encodeURIComponent(character))
}

/** A boundary that does not occur in the parts; the same parts have the same one. */
function unusedBoundary(parts: readonly Part[]): string {
  for (let number = hash(parts.map(({ text }) => text).join('\n')); ; number++) {
    const boundary = `svc-part-${number.toString(16)}`
    if (!parts.some(({ text }) => text.includes(boundary))) return boundary
  }
}
