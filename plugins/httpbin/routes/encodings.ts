/** Compressed responses: `/gzip`, `/deflate` and `/brotli`. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { BOOLEAN, jsonReply, object, RECORD, TEXT } from 'svc/toolkit'
import type { Call } from '../call.ts'
import { Failure } from '../failure.ts'
import type { Operation } from '../operation.ts'
import { goJson, pythonJson } from '../response/json.ts'

async function sendCompressed(
  call: Call,
  flag: string,
  coding: string,
  compress: (body: Buffer) => Buffer,
): Promise<unknown> {
  const facts = await call.describeRequest(
    call.isGo ? ['args', 'headers', 'method', 'origin'] : ['headers', 'method', 'origin'],
    {
      // go-httpbin leaves the URL of these empty.
      ...(call.isGo ? { url: '' } : {}),
      [flag]: true,
    },
  )
  call.reply.header('Content-Encoding', coding)
  const [type, text] = call.isGo
    ? ['application/json; charset=utf-8', goJson(facts)]
    : ['application/json', pythonJson(facts)]
  return call.send(type, compress(Buffer.from(text)))
}

const encoding = (path: string, flag: string, handle: Operation['handle']): Operation => ({
  path,
  reply: jsonReply(object({ headers: RECORD, method: TEXT, origin: TEXT, [flag]: BOOLEAN })),
  summary: `A response compressed with ${path.slice(1)}`,
  examples: [{ name: 'Compressed', path, status: path === '/brotli' ? null : 200 }],
  handle,
})

export const ENCODINGS: readonly Operation[] = [
  encoding('/gzip', 'gzipped', call => sendCompressed(call, 'gzipped', 'gzip', gzipSync)),
  encoding('/deflate', 'deflated', call => sendCompressed(call, 'deflated', 'deflate', deflateSync)),
  encoding('/brotli', 'brotli', call => {
    if (call.isGo) throw new Failure(501)
    return sendCompressed(call, 'brotli', 'br', brotliCompressSync)
  }),
]
