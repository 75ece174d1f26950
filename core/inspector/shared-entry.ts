/** Captured requests as they may leave the instance in a file: without the secrets of the clients. */
import type { InspectorEntry } from '../contract/plugin.ts'
import type { Json } from '../contract/json.ts'
import { isNestedWithin } from '../toolkit/json-depth.ts'
import { Redactor } from '../toolkit/redaction.ts'
import { SecretValues } from '../toolkit/secret-values.ts'

type Headers = InspectorEntry['headers']

/** Deeper JSON is treated as text. */
const MAX_DEPTH = 200

/** The entry without secrets. What is replaced in the request is replaced in the response too. */
export function withoutSecrets(entry: InspectorEntry): InspectorEntry {
  const found = new Set<string>()
  const redactor = new Redactor({ onSecret: secret => void found.add(secret) })
  const headersOf = (headers: Headers): Headers =>
    headers.map(({ name, value }) => ({ name, value: redactor.header(name, value) }))
  const request = {
    uri: redactor.text(entry.uri),
    query: entry.query === null ? null : redactor.query(entry.query),
    headers: headersOf(entry.headers),
    body: bodyOf(entry.body, entry.headers, redactor),
    body_decoded: bodyOf(entry.body_decoded, entry.headers, redactor),
  }
  // Secrets in a coded body can be replaced in the decoded one only.
  if (request.body_decoded !== entry.body_decoded) {
    request.headers = request.headers.filter(({ name }) => name !== 'content-encoding')
    Object.assign(request, { body: request.body_decoded, body_base64: null, body_decoded: null })
  }
  const secrets = new SecretValues(found)
  return {
    ...entry,
    ...request,
    response_headers:
      entry.response_headers === null
        ? null
        : headersOf(entry.response_headers).map(({ name, value }) => ({ name, value: secrets.text(value) })),
    response_body:
      entry.response_body === null
        ? null
        : secrets.text(bodyOf(entry.response_body, entry.response_headers ?? [], redactor)!),
    response_body_base64:
      entry.response_body_base64 === null
        ? null
        : secrets.bytes(Buffer.from(entry.response_body_base64, 'base64')).toString('base64'),
  }
}

function bodyOf(text: string | null, headers: Headers, redactor: Redactor): string | null {
  if (text === null) return null
  const type = headers.find(({ name }) => name === 'content-type')?.value.toLowerCase() ?? ''
  if (type.startsWith('application/x-www-form-urlencoded')) return redactor.query(text)
  const json = parse(text)
  if (json === undefined) return redactor.text(text)
  const shown = JSON.stringify(redactor.json(json))
  // Unchanged bodies keep their white space.
  return shown === JSON.stringify(json) ? text : shown
}

function parse(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json
    return isNestedWithin(value, MAX_DEPTH) ? value : undefined
  } catch {
    return undefined
  }
}
