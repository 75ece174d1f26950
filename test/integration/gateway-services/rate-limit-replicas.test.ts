/** Counters and stored domains are those of all replicas. */
import t from 'tap'
import { startReplicas } from '../../../core/testing/index.ts'
import { send } from '../../support/rules.ts'

type Json = Record<string, any>

t.test("replicas count together, and know each other's domains at once [GWS-12]", async t => {
  const replicas = await startReplicas(3, { plugins: ['rate-limit'] })
  t.teardown(() => replicas.stop())
  const put = (requests: number): Promise<unknown> =>
    send(replicas.via(0), 'PUT /_svc/rate-limits/shared', {
      body: { descriptors: [{ key: 'k', rate_limit: { unit: 'year', requests_per_unit: requests } }] },
    })
  const ask = async (index: number): Promise<Json> =>
    (
      await send(replicas.via(index), 'POST /rate-limit/json', {
        body: { domain: 'shared', descriptors: [{ entries: [{ key: 'k', value: 'v' }] }] },
      })
    ).json as Json
  await put(10)
  const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => ask(index)))
  const left = answers.map(({ statuses }) => statuses[0].limitRemaining ?? 0).toSorted((a, b) => b - a)
  t.strictSame(left, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0], 'each hit was counted once')
  t.equal(answers.filter(({ overallCode }) => overallCode === 'OVER_LIMIT').length, 2)
  await put(100)
  for (const index of [0, 1, 2]) t.equal((await ask(index)).statuses[0].limitRemaining, 100 - 13 - index)
  const shown = (await send(replicas.via(1), '/_svc/rate-limits')).json as Json
  t.match(shown, { domains: [{ domain: 'shared', source: 'api' }], counters: [{ count: 15, limit: 100 }] })
  await send(replicas.via(1), 'POST /_svc/reset?scope=instance', { body: { kinds: ['rate_limits'] } })
  t.equal((await ask(2)).statuses[0].limitRemaining, 99)
  await send(replicas.via(2), 'DELETE /_svc/rate-limits/shared')
  for (const index of [0, 1, 2]) t.strictSame((await ask(index)).statuses, [{ code: 'OK' }])
})
