/** Requests in a `.http` file for the HTTP clients of editors. */
import { allHeaders, type Entry, isRedirect } from '../entries.ts'
import type { Format } from '../format.ts'

export const httpFile: Format = {
  id: 'http',
  title: '.http file',
  description: 'Requests for the HTTP clients of JetBrains IDEs, Visual Studio and the REST Client extension.',
  file: 'requests.http',
  mediaType: 'text/plain; charset=utf-8',
  filename: 'svc.http',
  write: ({ baseUrl, folders }) => {
    const blocks: string[] = []
    const unknown = new Set<string>()
    for (const { name, entries } of folders)
      for (const entry of entries)
        if (KNOWN_METHODS.has(entry.method)) blocks.push(toBlock(entry, name))
        else unknown.add(entry.method)
    const left =
      unknown.size === 0 ? '' : `# Left out, since clients do not know the method: ${[...unknown].join(', ')}\n\n`
    return `@base_url = ${baseUrl}\n\n${left}${blocks.join('\n')}`
  },
}

/** Clients take a line with any other word for a part of the request before it. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(
  'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK REPORT SEARCH'.split(
    ' ',
  ),
)

/** Everything before the next `###` is body, so each block names its category. */
function toBlock(entry: Entry, category: string): string {
  const body = entry.body === null ? null : writableBody(entry.body, entry)
  const headers = allHeaders(entry)
  const writable = headers.filter(({ value }) => !value.includes('{{'))
  const notes = [
    ...entry.notes,
    ...(body === null && entry.body !== null ? ["The body is left out: this format can't hold it."] : []),
    ...(writable.length < headers.length ? ['A header is omitted: {{ would start a variable.'] : []),
  ]
  return [
    `### ${entry.name}`,
    `# ${category}`,
    ...notes.map(note => `# ${note}`),
    ...(isRedirect(entry) ? ['# @no-redirect'] : []),
    `${entry.method} {{base_url}}${entry.target}`,
    ...writable.map(({ name, value }) => `${name}: ${value}`),
    ...(body === null ? [] : ['', body]),
    '',
  ].join('\n')
}

/** A variable, a line that ends the request, and lines that refer to a file or script. */
const UNWRITABLE = /\{\{|\r|^(?:###|[<>]\s|<@)/m

/** The body, escaped so that clients send it unchanged; null if that is impossible. Multipart bodies get CRLF line breaks. */
function writableBody(body: string, { bodyType, headers }: Entry): string | null {
  const isMultipart = headers.some(
    ({ name, value }) => name.toLowerCase() === 'content-type' && /^multipart\//i.test(value),
  )
  const text = isMultipart ? body.replaceAll('\r\n', '\n').trimEnd() : escapeBraces(body, bodyType)
  return UNWRITABLE.test(text) || text !== text.trim() ? null : text
}

function escapeBraces(text: string, bodyType: Entry['bodyType']): string {
  if (bodyType === 'form') return text.replaceAll('{{', '%7B%7B')
  return bodyType === 'json' && isJson(text) ? text.replaceAll('{{', '{\\u007b') : text
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
