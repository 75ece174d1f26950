/** Parses `multipart/form-data` bodies (RFC 7578). */

export interface FormPart {
  name: string
  /** Null for a field, which is not a file. */
  filename: string | null
  /** The media type with its parameters; null if the part has none. */
  type: string | null
  content: Buffer
}

export interface FormParts {
  parts: FormPart[]
  /** The body ends with the closing delimiter. */
  isComplete: boolean
}

/** Parts of a body that are read. */
const MAX_PARTS = 1000
const LINE_BREAK = '\r\n'

/** The parts that have a name, in order; null if the type is another one or has no boundary. */
export function readFormParts(body: Buffer, contentType: string | undefined): FormParts | null {
  const boundary = boundaryOf(contentType ?? '')
  if (boundary === undefined) return null
  const delimiter = Buffer.from(`${LINE_BREAK}--${boundary}`)
  // The first delimiter may have no line break before it.
  const whole = Buffer.concat([Buffer.from(LINE_BREAK), body])
  const parts: FormPart[] = []
  let start = whole.indexOf(delimiter)
  for (let count = 0; start !== -1 && count < MAX_PARTS; count++) {
    const begin = start + delimiter.length
    const end = whole.indexOf(delimiter, begin)
    if (end === -1) return { parts, isComplete: whole.toString('latin1', begin, begin + 2) === '--' }
    const part = readPart(whole.subarray(begin, end))
    if (part !== null) parts.push(part)
    start = end
  }
  return { parts, isComplete: false }
}

function boundaryOf(contentType: string): string | undefined {
  const [type = '', ...parameters] = contentType.split(';')
  if (type.trim().toLowerCase() !== 'multipart/form-data') return undefined
  return parameters.map(text => /^\s*boundary="?([^"]{1,70})"?\s*$/i.exec(text)?.[1]?.trim()).find(Boolean)
}

function readPart(part: Buffer): FormPart | null {
  const end = part.indexOf(LINE_BREAK + LINE_BREAK)
  if (end === -1) return null
  const lines = part.subarray(0, end).toString('utf8').split(LINE_BREAK)
  const field = (name: string): string | undefined =>
    lines.find(line => line.toLowerCase().startsWith(`${name}:`))?.slice(name.length + 1)
  const parameters = parametersOf(field('content-disposition') ?? '')
  const name = parameters.get('name')
  if (name === undefined) return null
  return {
    name,
    filename: parameters.get('filename') ?? parameters.get('filename*') ?? null,
    type: field('content-type')?.trim() || null,
    content: part.subarray(end + 4),
  }
}

function parametersOf(disposition: string): Map<string, string> {
  return new Map(
    disposition
      .split(';')
      .slice(1)
      .map(text => {
        const equals = text.indexOf('=')
        return [text.slice(0, equals).trim().toLowerCase(), unquote(text.slice(equals + 1).trim())]
      }),
  )
}

/** Browsers write a quotation mark in a name as `%22` (WHATWG HTML, multipart/form-data encoding algorithm). */
function unquote(text: string): string {
  return /^".*"$/s.test(text) ? text.slice(1, -1).replaceAll('%22', '"') : text
}
