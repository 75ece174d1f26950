/**
 * Bodies of the largest size that arrive together: each is worth some processor time, and other clients are served in between.
 * Measures: memory and processor time of a process.
 */
import t from 'tap'
import { attackedServer, attackWith } from '../../support/attacked-server.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const MEMBERS = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`k${at}`, at]))
const NUMBERS = Array.from({ length: 5000 }, (_, at) => at % 10)

const ATTACKS: Record<string, { path: string; body: object; status: number }> = {
  'rules with many unknown members': { path: '/_svc/rules?session=demo', body: { match: {}, ...MEMBERS }, status: 400 },
  'rules with a large response': {
    path: '/_svc/rules?session=demo',
    body: { match: {}, then: { respond: { json: MEMBERS } } },
    status: 400,
  },
  'JSON-RPC batches of numbers': {
    path: '/jsonrpc',
    body: Array.from({ length: 100 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'echo', params: NUMBERS })),
    status: 200,
  },
  'texts with personal data': {
    path: '/guardrails/pii/redact',
    body: { text: 'a@b.co 123-45-6789 '.repeat(25_000) },
    status: 200,
  },
}

t.test('large bodies take turns [HARD-30]', { timeout: 600_000 }, async t => {
  const server = await attackedServer(t)
  for (const [name, { path, body, status }] of Object.entries(ATTACKS)) {
    const sent = { headers: JSON_TYPE, body: JSON.stringify(body) }
    const attack = () => attackWith(server.url + path, sent)
    // What is compiled and allocated once, such as the space for new objects, is not the cost of the attack.
    for (let round = 0; round < 3; round++) await attack()
    await server.attack(2, attack)
    const cost = await server.attack(10, attack)
    const shown = `${name}: +${cost.grownMib} MiB, waited ${cost.slowestWaitMs} ms of ${cost.cpuMs} ms`
    if (process.env.SVC_TEST_COSTS !== undefined) t.comment(shown)
    t.equal(cost.exit, null, `${name}: the process lives`)
    t.ok(cost.grownMib < 64, shown)
    t.ok(cost.slowestWaitMs < 250, shown)
    for (const result of cost.results) t.match(result, { status: 'fulfilled', value: { status } }, name)
  }
})
