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
  const ways: Record<string, (id: string) => Promise<unknown>> = {
    'deleted, without requests': remove,
    'deleted, with requests': id => capture(id).then(() => remove(id)),
    'a reset, without requests': reset,
    'a reset, with requests': id => capture(id).then(reset),
  }
  for (const [way, go] of Object.entries(ways)) {
    const created = await fetch(`${one.url}/bin`, { method: 'POST', headers: session })
    const { id } = (await created.json()) as { id: string }
    const feeds = await Promise.all([one, other].map(({ url }) => fetch(`${url}/bin/${id}/requests/stream`)))
    for (const feed of feeds) t.equal(feed.status, 200, way)
    await go(id)
    // The test times out if they don't end.
    const texts = await Promise.all(feeds.map(feed => feed.text()))
    for (const text of texts) t.equal(text.includes('event: request'), way.endsWith('with requests'), way)
  }
})
