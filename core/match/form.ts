/** The fields of form bodies: urlencoded ones, and the text parts of multipart ones (RFC 7578). */

/** Parts of a body that are read. */
const MAX_PARTS = 1000

/** Values by name, in order. Empty for other media types, and for other bodies. */
export function formFields(body: Buffer, contentType: string | undefined): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, string[]>()
  const add = (name: string, value: string): void => void fields.set(name, [...(fields.get(name) ?? []), value])
  const [type = '', ...parameters] = (contentType ?? '').split(';')
  const mediaType = type.trim().toLowerCase()
  if (mediaType === 'application/x-www-form-urlencoded')
    for (const [name, value] of new URLSearchParams(body.toString('utf8'))) add(name, value)
  if (mediaType === 'multipart/form-data') {
    const boundary = parameters.map(text => /^\s*boundary="?([^"]{1,70})"?\s*$/i.exec(text)?.[1]).find(Boolean)
    if (boundary !== undefined) for (const { name, value } of textParts(body, boundary)) add(name, value)
  }
  return fields
}

function* textParts(body: Buffer, boundary: string): Generator<{ name: string; value: string }> {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  // The first delimiter has no line break before it.
  const whole = Buffer.concat([Buffer.from('\r\n'), body])
  let start = whole.indexOf(delimiter)
  for (let count = 0; start !== -1 && count < MAX_PARTS; count++) {
    const begin = start + delimiter.length
    const end = whole.indexOf(delimiter, begin)
    if (end === -1) return
    const part = readPart(whole.subarray(begin, end))
    if (part !== null) yield part
    start = end
  }
}

function readPart(part: Buffer): { name: string; value: string } | null {
  const end = part.indexOf('\r\n\r\n')
  if (end === -1) return null
  const lines = part.subarray(0, end).toString('utf8').split('\r\n')
  const disposition = lines.find(line => /^content-disposition:/i.test(line)) ?? ''
  const parameters = new Map(
    disposition
      .split(';')
      .slice(1)
      .map((text): [string, string] => {
        const equals = text.indexOf('=')
        return [text.slice(0, equals).trim().toLowerCase(), unquote(text.slice(equals + 1).trim())]
      }),
  )
  const name = parameters.get('name')
  if (name === undefined || parameters.has('filename')) return null
  return { name, value: part.subarray(end + 4).toString('utf8') }
}

function unquote(text: string): string {
  return /^".*"$/s.test(text) ? text.slice(1, -1).replaceAll('%22', '"') : text
}
