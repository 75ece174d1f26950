/** Captured requests as curl commands for a POSIX shell, one on each line. */
import { isUtf8 } from 'node:buffer'
import type { InspectorEntry } from '../contract/plugin.ts'
import { curlHeader, curlMethod, curlUrlFlags } from '../toolkit/curl-line.ts'
import { quoteWord } from '../toolkit/shell.ts'

/** curl writes these itself, or they belong to the connection (RFC 9110, 7.6.1). */
const FRAMING = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'http2-settings',
  'te',
  'expect',
])
/** curl adds these to a request without them. */
const ADDED = ['user-agent', 'accept']

/** The commands that send the requests again, to `baseUrl`. */
export function* curlText(entries: Iterable<InspectorEntry>, baseUrl: string): Generator<string> {
  for (const entry of entries) yield `${curlCommand(entry, baseUrl)}\n`
}

function curlCommand(entry: InspectorEntry, baseUrl: string): string {
  const body = entry.body_size === 0 ? null : bodyOf(entry)
  const target = entry.uri.startsWith('/') ? [] : ['--request-target', entry.uri]
  const words = [
    'curl',
    ...curlUrlFlags(entry.uri),
    ...curlMethod(entry.method, body !== null),
    ...headersOf(entry, body !== null).flatMap(header => ['-H', header]),
    ...target,
  ].map(shellWord)
  if (body !== null) words.push(...body.words.map(quoteWord))
  words.push(shellWord(baseUrl + (target.length > 0 ? '/' : entry.uri)))
  const cut = entry.body_truncated ? ` # only the beginning of a body of ${entry.body_size} bytes` : ''
  return `${body?.pipe ?? ''}${words.join(' ')}${cut}`
}

function headersOf({ headers }: InspectorEntry, hasBody: boolean): string[] {
  const sent = headers.filter(({ name }) => !FRAMING.has(name))
  const has = (name: string): boolean => sent.some(header => header.name === name)
  const without = [...ADDED, ...(hasBody ? ['content-type'] : [])].filter(name => !has(name))
  return [...sent.map(curlHeader), ...without.map(name => `${name}:`)]
}

/** Text on one line is an argument; other bodies are piped as Base64, since a command must not have line breaks. */
function bodyOf({ body, body_base64 }: InspectorEntry): { pipe: string; words: string[] } {
  if (body !== null && !/[\0\r\n]/.test(body)) return { pipe: '', words: ['--data-raw', body] }
  const base64 = body_base64 ?? Buffer.from(body ?? '').toString('base64')
  return { pipe: `printf %s ${quoteWord(base64)} | base64 -d | `, words: ['--data-binary', '@-'] }
}

/** A word whose characters are bytes (Latin-1), as in headers and URIs. */
function shellWord(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return quoteWord(text)
  const bytes = Buffer.from(text, 'latin1')
  if (isUtf8(bytes) && !hasControl(text)) return quoteWord(bytes.toString())
  // Other bytes are not text.
  const octal = [...bytes].map(byte => `\\${byte.toString(8).padStart(3, '0')}`).join('')
  return `"$(printf '${octal}')"`
}

function hasControl(text: string): boolean {
  return [...text].some(character => character < ' ' || character === '\x7f')
}
