/** The stage that sends responses in the content coding that `X-Svc-Encoding` names. */
import { encodingOf, ENCODINGS, readEncoding } from '../../../rules/encoding.ts'
import type { RequestContext } from '../../request/context.ts'
import { firstHeader } from '../../request/header.ts'
import { sendResponse } from '../../response/send.ts'
import { encodeAs } from '../rules/encoding.ts'
import { isExempt } from '../rules/subject.ts'

/** It has no effect below `/_svc`, on paths exempt from faults, on handshakes and on HEAD. */
export function encodeAsAsked(context: RequestContext): boolean | Promise<boolean> {
  if (context.request.headers['x-svc-encoding'] === undefined || isExempt(context)) return true
  const text = firstHeader(context.request, 'x-svc-encoding') ?? ''
  const name = readEncoding(text)
  if (name === null) {
    const details = `expected one of ${ENCODINGS.join(', ')}`
    sendResponse(context, { status: 400, body: { error: 'invalid_encoding', details, encodings: ENCODINGS } })
    return false
  }
  context.hasOwnEncoding = true
  const encoding = encodingOf(name)
  if (encoding === null) return true
  return encodeAs(context, encoding, `X-Svc-Encoding: ${name}`, 'header').then(() => !context.closed)
}
