/**
 * Messages of JSON-RPC in scripts. A gateway may give requests ids and progress tokens of its own, so the upstream answers with
 * those that arrived.
 */
import { isRecord } from 'svc/toolkit'

/** Texts are bytes in ISO 8859-1. */
export interface MessageAction {
  do: 'message'
  /** JSON, or an event that contains some. `ARRIVED_ID` and `ARRIVED_TOKEN` in it are replaced. */
  text: string
  /** Status line and fields, each with its line end; the length follows. Without a head the text is one chunk. */
  head?: string
}

/** Stand for the id of the request, and for the progress token in its `_meta`. */
export const ARRIVED_ID = '{{id}}'
export const ARRIVED_TOKEN = '{{progressToken}}'

/** The bytes of a message, in ISO 8859-1, as the answer to a request with this content. */
export function messageBytes({ text, head }: MessageAction, content: Buffer): string {
  const { id = null, token = null } = idsIn(content)
  const filled = text.replaceAll(`"${ARRIVED_ID}"`, () => json(id)).replaceAll(`"${ARRIVED_TOKEN}"`, () => json(token))
  return head === undefined
    ? `${filled.length.toString(16)}\r\n${filled}\r\n`
    : `${head}Content-Length: ${filled.length}\r\n\r\n${filled}`
}

function json(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('latin1')
}

function idsIn(content: Buffer): { id?: unknown; token?: unknown } {
  let value: unknown
  try {
    value = JSON.parse(content.toString('utf8'))
  } catch {
    return {}
  }
  if (!isRecord(value)) return {}
  const { id, params } = value
  const meta = isRecord(params) && isRecord(params._meta) ? params._meta : {}
  return { id, token: meta.progressToken }
}
