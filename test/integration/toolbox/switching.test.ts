/** Each plugin of the toolbox can be disabled alone. Takes long: it starts a server for each plugin. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

/** A path of each plugin, with its status. */
const PATHS: [plugin: string, path: string, status: number][] = [
  ['echo', '/echo', 200],
  ['status', '/status/202', 202],
  ['delay', '/delay/0', 200],
  ['caching', '/cache/1', 200],
  ['transfer', '/bytes/1', 200],
  ['redirects', '/cookies', 200],
  ['info', '/uuid', 200],
  ['images', '/image/png', 200],
  ['reliability', '/flaky/0', 200],
]

t.test('disabling a plugin removes only its own paths [TOOL-6]', async t => {
  const { url, folder } = await serve(t, { yaml: '{}' })
  for (const [off] of PATHS) {
    writeFileSync(join(folder, 'svc.yaml'), `plugins: { disable: [${off}] }`)
    t.equal((await send(url, '/_svc/reload', { method: 'POST' })).status, 200)
    for (const [plugin, path, status] of PATHS) {
      const reply = await send(url, path)
      const isOff = plugin === off || (plugin === 'delay' && off === 'echo')
      t.equal(reply.status, isOff ? 404 : status, `${path} without ${off}`)
      if (isOff) t.match(reply.json(), { plugin, plugin_state: 'disabled' })
    }
  }
})
