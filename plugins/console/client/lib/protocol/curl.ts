/** Prints a request as a curl command, an `.http` file or a `fetch` call. */
import { curlHeader, curlMethod, curlUrlFlags } from '../../../../../core/toolkit/curl-line.ts'
import { quoteWord } from '../../../../../core/toolkit/shell.ts'
import type { NameValue } from './http.ts'

export interface PrintableRequest {
  method: string
  /** Absolute. */
  url: string
  headers: NameValue[]
  /** Binary bodies are not printed but referred to as a file. */
  body: string | Uint8Array | null
}

export function toCurl({ method, url, headers, body }: PrintableRequest): string {
  const parts = ['curl -sS']
  // POST is what curl sends with a body, but readers should see it.
  const ofMethod = method === 'POST' ? ['-X', method] : curlMethod(method, body !== null)
  if (ofMethod.length > 0) parts.push(ofMethod.map(quoteWord).join(' '))
  parts.push([...curlUrlFlags(url), quoteWord(url)].join(' '))
  for (const header of headers) parts.push(`-H ${quoteWord(curlHeader(header))}`)
  if (typeof body === 'string' && body !== '') parts.push(`--data-raw ${quoteWord(body)}`)
  else if (body instanceof Uint8Array && body.length > 0) parts.push('--data-binary @body.bin')
  return parts.join(' \\\n  ')
}

export function toHttpFile({ method, url, headers, body }: PrintableRequest): string {
  const head = [
    `### ${method} ${oneLine(url)}`,
    `${method} ${oneLine(url)}`,
    ...headers.map(({ name, value }) => `${name}: ${oneLine(value)}`),
  ]
  if (typeof body === 'string' && body !== '') return `${head.join('\n')}\n\n${body}\n`
  return `${head.join('\n')}\n${body instanceof Uint8Array && body.length > 0 ? '\n< ./body.bin\n' : ''}`
}

export function toFetch({ method, url, headers, body }: PrintableRequest): string {
  const options = [`  method: ${JSON.stringify(method)},`]
  if (headers.length > 0)
    options.push(
      `  headers: [\n${headers.map(({ name, value }) => `    [${JSON.stringify(name)}, ${JSON.stringify(value)}],`).join('\n')}\n  ],`,
    )
  if (typeof body === 'string' && body !== '') options.push(`  body: ${JSON.stringify(body)},`)
  else if (body instanceof Uint8Array && body.length > 0) options.push('  body: bytes, // not text')
  return `await fetch(${JSON.stringify(url)}, {\n${options.join('\n')}\n})\n`
}

function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ')
}
