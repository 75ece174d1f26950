/** Subscriptions over HTTP as `multipart/mixed` (Apollo's multipart protocol for subscriptions). */
import type { ExecutionResult } from 'graphql'
import { sleep } from 'svc/toolkit'
import { MultipartWriter, type StreamedAnswer, type StreamedChunk } from './parts.ts'

const BOUNDARY = 'graphql'
const HEARTBEAT_MS = 5000

export function multipartSubscription(results: AsyncIterable<ExecutionResult>): StreamedAnswer {
  const iterator = results[Symbol.asyncIterator]()
  return {
    contentType: `multipart/mixed; boundary="${BOUNDARY}"; subscriptionSpec=1.0`,
    isFeed: true,
    chunks: chunksOf(iterator),
    end: () => void iterator.return?.(),
  }
}

/** A subscription that could not start: one part with the errors. */
export function refusedSubscription(result: ExecutionResult): StreamedAnswer {
  async function* once(): AsyncGenerator<ExecutionResult> {
    yield result
  }
  return multipartSubscription(once())
}

async function* chunksOf(results: AsyncIterator<ExecutionResult>): AsyncGenerator<StreamedChunk> {
  const writer = new MultipartWriter(BOUNDARY)
  yield { text: writer.open(), isResult: false }
  let next = results.next()
  try {
    for (;;) {
      const beat = new AbortController()
      const outcome = await Promise.race([next, sleep(HEARTBEAT_MS, { signal: beat.signal, isBackground: true })])
      beat.abort()
      if (typeof outcome === 'boolean') yield { text: writer.part({}), isResult: false }
      else if (outcome.done === true) break
      else {
        yield { text: writer.part({ payload: outcome.value }), isResult: true }
        next = results.next()
      }
    }
  } catch {
    const errors = [{ message: 'the subscription failed', extensions: { code: 'INTERNAL_SERVER_ERROR' } }]
    yield { text: writer.part({ payload: null, errors }), isResult: false }
  }
  yield { text: writer.close(), isResult: false }
}
