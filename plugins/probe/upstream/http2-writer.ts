/** Lets scripts, which are bytes of HTTP/1.1, answer requests of HTTP/2. */
import { constants } from 'node:http2'
import type { TapHttp2Reply } from 'svc/toolkit'
import { http2Fields, http2ResponseHead, http2Trailers } from '../client/http2-message.ts'
import { ResponseParser, type Field } from '../client/response-parser.ts'
import type { Answered, ScriptWriter } from './answer.ts'

/** Records in `answered` what is written, in the form of HTTP/2. */
export function http2Writer(
  reply: TapHttp2Reply,
  { method, answered, now }: { method: string; answered: Answered; now(): number },
): ScriptWriter {
  let isComplete = false
  let isFailed = false
  let written: Promise<boolean> = Promise.resolve(true)
  let trailers: readonly Field[] = []
  /** A final head that was written in the same bytes as what follows it. */
  let head: { status: number; fields: Field[] } | null = null
  const respond = (isLast: boolean): void => {
    const found = head
    head = null
    if (found === null) return
    try {
      reply.respond(found.status, found.fields, isLast)
    } catch {
      // A head that HTTP/2 does not have: the stream ends with an error.
      isFailed = true
    }
  }
  const parser = new ResponseParser([method], {
    onHead(status, fields, isInterim) {
      const own = http2Fields(fields)
      answered.addHead(http2ResponseHead(status, own), now())
      if (isInterim) reply.interim(status, own)
      else head = { status, fields: own }
    },
    onContent(content) {
      respond(false)
      answered.add(content, now())
      written = reply.write(content)
    },
    onComplete(found) {
      isComplete = true
      trailers = http2Fields(found)
    },
  })
  const finish = (): void => {
    if (isFailed || !isComplete) return reply.reset(constants.NGHTTP2_INTERNAL_ERROR)
    answered.addTrailers(http2Trailers(trailers), now())
    reply.end(trailers)
  }
  return {
    signal: reply.signal,
    async write(bytes) {
      parser.feed({ atMs: now(), bytes })
      respond(isComplete && trailers.length === 0)
      return !isFailed && (await written)
    },
    keep: finish,
    end() {
      parser.end('fin', now())
      finish()
    },
    reset: () => reply.reset(constants.NGHTTP2_INTERNAL_ERROR),
    refuse: () => reply.reset(constants.NGHTTP2_REFUSED_STREAM),
    goAway: isRefused => reply.goAway(isRefused),
    onBytes: () => {},
  }
}
