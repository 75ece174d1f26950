/** `Set-Cookie` as the originals write it. */
import { isToken } from 'svc/toolkit'
import type { Call } from '../call.ts'
import { Failure } from '../failure.ts'

/** Attributes in order, after `name=value`. */
type Attributes = readonly string[]

/** Adds a cookie of httpbin for the whole host. */
export function setCookie(call: Call, name: string, value: string, before: Attributes = []): void {
  if (!isToken(name)) throw new Failure(400, 'the name of a cookie must be a token')
  add(call, [`${name}=${quoteHttpbin(value)}`, ...before, ...(call.isSecure ? ['Secure'] : []), 'Path=/'])
}

/** Adds a cookie of go-httpbin; a name that is not a token adds nothing. */
export function setGoCookie(call: Call, name: string, value: string, attributes: Attributes): void {
  if (isToken(name)) add(call, [`${name}=${quoteGo(value)}`, ...attributes])
}

function add({ reply }: Call, parts: readonly string[]): void {
  // Fastify collects repeated Set-Cookie fields.
  reply.header('Set-Cookie', parts.join('; '))
}

/** Other characters are escaped: quotes and backslashes by a backslash, the rest as octal numbers. */
function quoteHttpbin(value: string): string {
  if (/^[\w!#$%&'()*+\-./:<=>?@[\]^`{|}~]*$/.test(value)) return value
  const bytes = Buffer.from(value).toString('latin1')
  const escaped = bytes.replace(/[^\x20-\x7e]|["\\,;]/g, character =>
    character === '"' || character === '\\'
      ? `\\${character}`
      : `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  )
  return `"${escaped}"`
}

/** Invalid bytes are dropped; a value with spaces or commas is quoted. */
function quoteGo(value: string): string {
  const valid = value.replace(/[^\x20-\x7e]|["\\;]/g, '')
  return /[ ,]/.test(valid) ? `"${valid}"` : valid
}
