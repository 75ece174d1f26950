/** Sends a request to the upstream of a toy gateway. */
import { request as requestHttp, type IncomingMessage } from 'node:http'
import type { Wire, WireAnswer, WireRequest } from '../../../plugins/probe/wires/types.ts'

export interface UpstreamOptions {
  /** The upstream is left when it is aborted. */
  signal: AbortSignal
  /** Of the gateway for the upstream. */
  credential?: string
  /** What came so far of an answer that is not an error. */
  onPart?(answer: WireAnswer): void
  /** How the pieces of a body are joined. */
  join?(chunks: readonly Buffer[]): Buffer
}

const READ_MS = 5

export async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Rejects if there is no answer at all. */
export function callUpstream(
  upstream: string,
  wire: Wire,
  { method, path, fields, body }: WireRequest,
  { signal, onPart, credential = 'toy-key', join = Buffer.concat }: UpstreamOptions,
): Promise<WireAnswer> {
  const headers = {
    ...Object.fromEntries([...fields, ...wire.credentials(credential)]),
    'Content-Length': String(body.length),
  }
  return new Promise((resolve, reject) => {
    const sent = requestHttp(`${upstream}${wire.base}${path}`, { method, agent: false, headers, signal }, response => {
      const chunks: Buffer[] = []
      const answer = (): WireAnswer => ({
        status: response.statusCode ?? 0,
        fields: Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const),
        body: join(chunks),
        isComplete: response.complete,
      })
      let isWaiting = false
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (onPart === undefined || isWaiting || (response.statusCode ?? 0) >= 400) return
        // Pieces that come together are read once.
        isWaiting = true
        setTimeout(() => {
          isWaiting = false
          onPart(answer())
        }, READ_MS)
      })
      // Without its end, what came of it is the answer.
      response.on('error', () => {})
      response.on('close', () => resolve(answer()))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
