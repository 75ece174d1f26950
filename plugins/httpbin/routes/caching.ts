/** `/etag` and `/cache`. */
import { randomUUID } from 'node:crypto'
import type { Call } from '../call.ts'
import { Failure } from '../failure.ts'
import type { Operation } from '../operation.ts'
import { goInteger, pathNumber } from '../request/numbers.ts'
import { sendContent } from '../response/content.ts'
import { goJson } from '../response/json.ts'
import { sendFacts } from './reflection.ts'
import { HTTPBIN_GET } from '../replies.ts'

const isHeaderText = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

async function sendTagged(call: Call): Promise<unknown> {
  const etag = call.parameter('etag')
  if (!isHeaderText(etag)) throw new Failure(400, 'the entity tag must be printable ASCII')
  if (call.isGo) {
    const facts = await call.describeRequest(['args', 'headers', 'method', 'origin', 'url'])
    const body = Buffer.from(goJson(facts))
    return sendContent(call, { type: 'text/plain; charset=utf-8', body, etag: `"${etag}"`, lastModified: new Date() })
  }
  const noneMatch = readTags(call.header('if-none-match'))
  const match = readTags(call.header('if-match'))
  if (noneMatch.length > 0) {
    if (!noneMatch.includes(etag) && !noneMatch.includes('*')) return sendWithTag(call, etag)
    return call.reply.code(304).header('ETag', etag).send()
  }
  if (match.length > 0 && !match.includes(etag) && !match.includes('*')) return call.empty(412)
  return sendWithTag(call, etag)
}

function sendWithTag(call: Call, etag: string): Promise<unknown> {
  call.reply.header('ETag', etag)
  return sendFacts(call)
}

/** Entity tags without `W/` and quotes. */
function readTags(header: string | undefined): string[] {
  return (header ?? '')
    .split(',')
    .map(tag =>
      tag
        .trim()
        .replace(/^W\//i, '')
        .replace(/^"(.*)"$/s, '$1'),
    )
    .filter(tag => tag !== '')
}

export const CACHING: readonly Operation[] = [
  {
    path: '/etag/{etag}',
    summary: 'A response with an entity tag, for conditional requests',
    reply: HTTPBIN_GET,
    atRoot: true,
    examples: [{ name: 'Tag', path: '/etag/abc' }],
    handle: sendTagged,
  },
  {
    path: '/cache',
    summary: 'A response that is not modified for conditional requests',
    reply: HTTPBIN_GET,
    atRoot: true,
    examples: [{ name: 'Fresh', path: '/cache' }],
    handle(call) {
      if (call.header('if-none-match') || call.header('if-modified-since')) return call.reply.code(304).send()
      call.reply.headers({ 'Last-Modified': new Date().toUTCString(), ETag: randomUUID().replaceAll('-', '') })
      return sendFacts(call)
    },
  },
  {
    path: '/cache/{seconds}',
    summary: 'A response with Cache-Control: max-age',
    reply: HTTPBIN_GET,
    examples: [{ name: 'A minute', path: '/cache/60' }],
    handle(call) {
      const text = call.parameter('seconds')
      const seconds = call.isGo ? goInteger(text, 'invalid seconds', 'ParseInt') : pathNumber(text)
      call.reply.header('Cache-Control', `public, max-age=${seconds}`)
      return sendFacts(call)
    },
  },
]
