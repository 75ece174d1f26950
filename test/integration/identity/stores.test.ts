/** The stores of the provider are bounded. */
import t from 'tap'
import type { StoreBounds, Svc } from '../../../core/contract/plugin.ts'
import { MemoryStore } from '../../../core/state/state-registry.ts'
import { createRevocations } from '../../../plugins/identity/stores/revocations.ts'
import { openStores } from '../../../plugins/identity/stores/stores.ts'
import { authorization, call, callback, encode, register } from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

t.test('each store has limits of count, size and lifetime, lower in public mode [IDP-46]', async t => {
  for (const [publicMode, tokens, clients, maxBytes, fetched] of [
    [false, 10_000, 1_000, 33_554_432, 200],
    [true, 2_000, 200, 8_388_608, 50],
  ] as const) {
    const bounds: Record<string, StoreBounds<unknown>> = {}
    const state = (name: string, given: StoreBounds<unknown>) => {
      bounds[name] = given
    }
    openStores({ config: { publicMode }, state } as unknown as Svc)
    t.strictSame(bounds, {
      codes: { maxCount: 2 * tokens, maxPerGroup: tokens, ttlMs: 300_000, maxBytes, secret: true },
      'refresh-tokens': { maxCount: 2 * tokens, maxPerGroup: tokens, ttlMs: 86_400_000, maxBytes, secret: true },
      'access-tokens': { maxCount: 2 * tokens, maxPerGroup: tokens, maxBytes, secret: true },
      clients: { maxCount: clients, ttlMs: 86_400_000, maxBytes, secret: true },
      sessions: { maxCount: 2 * tokens, maxPerGroup: tokens, maxBytes, secret: true },
      revoked: { maxCount: 2 * tokens, maxPerGroup: tokens, evict: 'expiring' },
      'used-steps': { maxCount: tokens, evict: 'expiring' },
      'assertion-ids': { maxCount: tokens, evict: 'expiring' },
      'proof-ids': { maxCount: tokens, evict: 'expiring' },
      'pushed-requests': { maxCount: tokens, maxBytes, secret: true },
      'device-codes': { maxCount: tokens, maxBytes, secret: true },
      'client-documents': { maxCount: fetched, maxBytes: 4_194_304, evict: 'idle' },
      'key-sets': { maxCount: fetched, maxBytes: 4_194_304, evict: 'idle' },
    })
  }
})

t.test('registration never fails: the oldest registration is dropped [IDP-46] [IDP-45]', async t => {
  const server = await serve(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  const ids: string[] = []
  for (let n = 0; n < 201; n++) {
    const { status, body } = await register(server.url, { redirect_uris: [callback] })
    if (status !== 201) t.equal(status, 201)
    ids.push(body.client_id!)
  }
  const statuses = await Promise.all(
    [ids[0], ids[1], ids[200]].map(
      async client_id => (await call(`${server.url}/oauth/authorize?${encode(authorization({ client_id }))}`)).status,
    ),
  )
  t.strictSame(statuses, [400, 200, 200])
})

t.test('a revocation is kept until a minute after its token expires [IDP-44] [IDP-46]', async t => {
  const clock = { now: Date.now() }
  const revocations = createRevocations(new MemoryStore<true>({ maxCount: 10 }, { now: () => clock.now }))
  const exp = Math.floor(clock.now / 1000) + 3600
  await revocations.add({ jti: 'a', exp })
  await revocations.add({ jti: 'for ever', exp: Infinity })
  for (const claims of [{ exp }, { jti: 5, exp }, { jti: 'no end' }]) await revocations.add(claims)
  t.ok(await revocations.has({ jti: 'a' }))
  for (const jti of [undefined, 5, 'no end', '__proto__']) t.notOk(await revocations.has({ jti }), String(jti))
  clock.now = exp * 1000 + 59_000
  t.ok(await revocations.has({ jti: 'a' }))
  clock.now = exp * 1000 + 61_000
  t.notOk(await revocations.has({ jti: 'a' }))
  t.ok(await revocations.has({ jti: 'for ever' }))
})
