/**
 * Bins, events, WebSockets, JSON-RPC, webhooks and orchestration can each be disabled alone.
 * Takes long: it starts a server for each plugin.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

/** A path of each plugin, with the status of a GET. */
const PATHS: [plugin: string, path: string, status: number][] = [
  ['bins', '/bin', 200],
  ['sse', '/sse?count=0', 200],
  ['websocket', '/ws', 426],
  ['jsonrpc', '/jsonrpc', 405],
  ['webhooks', '/webhooks', 200],
  ['orchestration', '/orchestration/status', 200],
]

t.test('disabling a plugin removes only its own paths [TBX-1]', async t => {
  const { url, folder } = await serve(t, { yaml: '{}' })
  for (const [off] of PATHS) {
    writeFileSync(join(folder, 'svc.yaml'), `plugins: { disable: [${off}] }`)
    t.equal((await send(url, '/_svc/reload', { method: 'POST' })).status, 200)
    for (const [plugin, path, status] of PATHS) {
      const reply = await send(url, path)
      t.equal(reply.status, plugin === off ? 404 : status, `${path} without ${off}`)
      if (plugin === off) t.match(reply.json(), { plugin, plugin_state: 'disabled' })
    }
  }
})

t.test('bins survive the reload that disables another plugin [TBX-1]', async t => {
  const { url, folder } = await serve(t, { yaml: '{}' })
  const { path } = (await send(url, '/bin', { method: 'POST' })).json<{ path: string }>()
  await send(url, `${path}/a`)
  writeFileSync(join(folder, 'svc.yaml'), 'plugins: { disable: [sse] }')
  await send(url, '/_svc/reload', { method: 'POST' })
  await send(url, `${path}/b`)
  t.match((await send(url, `${path}/requests`)).json(), { count: 2 })
})
