/** Tables of invalid input: each row is a request and its expected error. */
import { XMLParser } from 'fast-xml-parser'
import type { Test } from 'tap'
import { send } from './request.ts'

/** `error` is the code in the body; `parameter` is expected with `invalid_parameter`. */
export interface Refusal {
  path: string
  method?: string
  status?: number
  error: string
  parameter?: string
}

/** Checks that each row gets its status (400 by default), its code and a sentence, on negotiated routes also in XML. */
export async function checkRefusals(
  t: Test,
  baseUrl: string,
  rows: Refusal[],
  { negotiated }: { negotiated: boolean },
): Promise<void> {
  for (const { path, method = 'GET', status = 400, error, parameter } of rows) {
    const what = `${method} ${path.length > 80 ? `${path.slice(0, 80)}…` : path}`
    const reply = await send(baseUrl, path, { method })
    const body = reply.json()
    t.equal(reply.status, status, what)
    t.equal(body.error, error, `${what}: ${error}`)
    t.type(body.details, 'string', `${what}: says why`)
    t.equal(body.parameter, parameter, `${what}: parameter`)
    if (!negotiated) continue
    t.equal(reply.headers.vary, 'Accept', `${what}: varies`)
    const xml = await send(baseUrl, path, { method, headers: { Accept: 'application/xml' } })
    t.equal(xml.status, status, `${what}: as XML`)
    t.match(readXml(xml.text), { error, details: String }, `${what}: says the same in XML`)
  }
}

/** The children of the root element `response`; throws if the document is not well-formed. */
export function readXml(document: string): Record<string, unknown> {
  const parsed = new XMLParser({ ignoreAttributes: false }).parse(document, true) as {
    response: Record<string, unknown>
  }
  return parsed.response
}
