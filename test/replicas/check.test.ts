/** `svc check --connect`. */
import t from 'tap'
import { NEEDS_SERVER, startStateServer } from '../support/state-store.ts'
import { svc } from '../support/terminal.ts'

t.test('check --connect reports the version and the policy of the store [CLI-6]', NEEDS_SERVER, async t => {
  const store = await startStateServer(t)
  const folder = t.testdir()
  const env = { SVC_STATE_STORE: store.url }
  const host = new URL(store.url).host
  t.match(await svc(['check', '--connect'], { folder, env }), {
    code: 0,
    output: new RegExp(`^state store ${host}: (?:Redis|Valkey) [0-9.]+, noeviction\\nno svc\\.yaml`),
  })
  store.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
  t.match(await svc(['check', '--connect'], { folder, env }), { code: 0, output: /policy allkeys-lru[^]*noeviction/ })
  await store.kill()
  const { code, output } = await svc(['check', '--connect', '--json'], { folder, env })
  t.equal(code, 1)
  t.match(JSON.parse(output), {
    ok: false,
    state_store: { host, version: null },
    findings: [{ severity: 'error', message: /can't be used/ }],
  })
  t.match(await svc(['check'], { folder, env }), { code: 0 }, 'without --connect nothing is opened')
  t.match(await svc(['check', '--connect'], { folder }), { code: 0, output: /there is no state store to connect to/ })
})
