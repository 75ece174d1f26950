/** With a state store, the feed of a bin ends when the bin is removed, at every replica. */
import t from 'tap'
import { startStore } from '../../support/redis.ts'
import { serve } from '../../support/server.ts'

t.test('the feed of a bin ends, however the bin is removed, with and without requests', async t => {
  const store = await startStore(t)
  const options = {
    plugins: ['bins'],
    env: { SVC_STATE_STORE: store.url, SVC_STATE_STORE_TIMEOUT_MS: '10000' },
    oneProcess: 'it starts replicas itself',
  }
  const [one, other] = [await serve(t, options), await serve(t, options)]
  const session = { 'X-Svc-Session': 's' }
  const capture = (id: string): Promise<Response> => fetch(`${other.url}/bin/${id}`, { method: 'POST', body: 'x' })
  const remove = (id: string): Promise<Response> => fetch(`${other.url}/bin/${id}`, { method: 'DELETE' })
  const reset = (): Promise<Response> => fetch(`${one.url}/_svc/reset`, { method: 'POST', headers: session })
  const ways: Record<string, { end: (id: string) => Promise<unknown>; hasRequests?: boolean }> = {
    'deleted, without requests': { end: remove },
    'deleted, with requests': { end: remove, hasRequests: true },
    'a reset, without requests': { end: reset },
    'a reset, with requests': { end: reset, hasRequests: true },
  }
  for (const [way, { end, hasRequests = false }] of Object.entries(ways)) {
    const created = await fetch(`${one.url}/bin`, { method: 'POST', headers: session })
    const { id } = (await created.json()) as { id: string }
    const feeds = await Promise.all([one, other].map(({ url }) => fetch(`${url}/bin/${id}/requests/stream`)))
    for (const feed of feeds) t.equal(feed.status, 200, way)
    const readers = feeds.map(({ body }) => textReader(body!))
    if (hasRequests) {
      await capture(id)
      // A removal may overtake a request on its way to the other replica.
      await Promise.all(readers.map(reader => reader.until('event: request')))
    }
    await end(id)
    // The test times out if they don't end.
    const texts = await Promise.all(readers.map(reader => reader.until()))
    for (const text of texts) t.equal(text.includes('event: request'), hasRequests, way)
  }
})

/** Reads a stream of text: `until` resolves with all text so far once it contains the given text, or at the end. */
function textReader(stream: ReadableStream<Uint8Array>): { until(part?: string): Promise<string> } {
  const chunks = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  return {
    async until(part) {
      while (part === undefined || !text.includes(part)) {
        const { done, value } = await chunks.read()
        if (done) return text
        text += decoder.decode(value, { stream: true })
      }
      return text
    },
  }
}
