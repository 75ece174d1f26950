/** `POST /_svc/reset`. */
import t from 'tap'
import { serve } from '../../support/server.ts'
import { putRule, send } from '../../support/rules.ts'

const PLUGINS = ['echo', 'reliability', 'bins', 'mocks', 'llm-openai', 'a2a', 'mcp', 'identity']
const server = await serve(t, { plugins: PLUGINS })

/** Leaves something of each kind in a session. */
async function use(session: string): Promise<void> {
  await putRule(server, 'busy', { match: { path: '/echo' }, then: [{ fail: 503 }] }, session)
  await send(server, '/echo', { session })
  await send(server, '/flaky/recover/2', { session })
  await send(server, 'POST /bin', { session })
  await send(server, 'POST /ai/openai/v1/chat/completions', {
    session,
    body: { model: 'svc-gpt', messages: [{ role: 'user', content: 'hi' }] },
  })
  await send(server, '/mock/petstore/pets', { session })
  await send(server, 'POST /a2a/echo', {
    session,
    headers: { 'a2a-version': '1.0' },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } },
    },
  })
  await send(server, 'POST /mcp', {
    session,
    headers: { accept: 'application/json, text/event-stream' },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
    },
  })
  server.flush()
}

const removedOf = async (target: string, init: Parameters<typeof send>[2] = {}): Promise<Record<string, number>> => {
  const { status, json } = await send(server, `POST ${target}`, init)
  t.equal(status, 200)
  return (json as { removed: Record<string, number> }).removed
}

t.test('removes what is kept of a session, and of no other [RESET-1]', async t => {
  await use('r-1')
  await use('r-2')
  await putRule(server, 'all', { match: { path: '/echo' }, then: [{ fail: 500, times: 1 }], priority: -1 })
  t.equal((await send(server, '/echo', { session: 'r-1' })).status, 500)
  const removed = await removedOf('/s/r-1/_svc/reset')
  for (const kind of ['requests', 'rules', 'flaky', 'bins', 'llm', 'mocks', 'mcp']) t.ok(removed[kind]! > 0, kind)
  t.ok(removed.a2a! > 0, 'a2a')
  t.match(removed, { identity: 0, health: 0 }, 'what belongs to the instance stays')
  for (const [kind, count] of Object.entries(await removedOf('/_svc/reset?session=r-1'))) t.equal(count, 0, kind)
  t.match((await send(server, '/_svc/requests?session=r-1')).json, { count: 0 })
  t.match((await send(server, '/_svc/rules?session=r-1')).json, { count: 1 })
  t.equal((await send(server, '/echo', { session: 'r-1' })).status, 500, "counters of the instance's rules are reset")
  t.match((await send(server, '/_svc/rules/busy?session=r-2')).json, { hits: 1 })
  const others = await removedOf('/_svc/reset', { session: 'r-2', body: { kinds: ['requests', 'bins'] } })
  t.strictSame(Object.keys(others), ['requests', 'bins'])
  t.ok(others.requests! > 0 && others.bins! > 0)
  await send(server, 'DELETE /_svc/rules')
})

t.test('resets the instance only if asked for by name [RESET-2]', async t => {
  await use('r-3')
  await send(server, 'POST /health/unhealthy')
  t.match((await send(server, 'POST /_svc/reset')).json, { error: 'session_required' })
  const removed = await removedOf('/_svc/reset?scope=instance')
  t.equal(removed.health, 1)
  t.ok(removed.rules! > 0 && removed.bins! > 0 && removed.mcp! > 0)
  t.equal((await send(server, '/health')).status, 200)
  t.match((await send(server, '/_svc/rules?session=r-3')).json, { count: 0 })
  const open = await serve(t, { plugins: ['echo'], env: { SVC_PUBLIC_MODE: '1' } })
  t.equal((await send(open, 'POST /_svc/reset?scope=instance')).status, 403)
  t.equal((await send(open, 'POST /s/a/_svc/reset')).status, 200)
  const guarded = await serve(t, { plugins: ['echo'], env: { SVC_ADMIN_TOKEN: 'secret-token' } })
  t.equal((await send(guarded, 'POST /_svc/reset?scope=instance')).status, 401)
})

t.test('rejects unknown kinds and wrong bodies [RESET-3]', async t => {
  const wrong = await send(server, 'POST /s/a/_svc/reset', { body: { kinds: ['request'] } })
  t.equal(wrong.status, 400)
  t.match(wrong.json, {
    error: 'unknown_kind',
    kind: 'request',
    did_you_mean: 'requests',
    kinds: ['requests', 'connections', 'rules'],
  })
  t.match((await send(server, 'POST /s/a/_svc/reset', { body: { kind: [] } })).json, { error: 'unknown_member' })
  t.match((await send(server, 'POST /s/a/_svc/reset', { body: { kinds: 'rules' } })).json, { error: 'unknown_kind' })
  t.match((await send(server, 'POST /s/a/_svc/reset', { body: '[' })).json, { error: 'invalid_json' })
  t.match((await send(server, 'POST /s/a/_svc/reset', { body: { kinds: [] } })).json, { removed: {} })
})
