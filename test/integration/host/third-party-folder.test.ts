/**
 * A third-party plugin folder that is added, edited, broken and removed while the server runs.
 * Takes long: each edit builds a generation.
 */
import t from 'tap'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginRecord } from '../../../core/contract/plugin.ts'
import { startProcess } from '../../support/process.ts'
import { until } from '../../support/until.ts'

const FIXTURE = join(import.meta.dirname, '..', '..', 'fixtures', 'plugins', 'orders')

t.test(
  'a new folder is served, an edit applies, a mistake keeps the old version, a removal is a 404 [RELOAD-10]',
  async t => {
    const server = startProcess(t, { yaml: 'plugins: { dirs: [plugins] }\norders: { currency: EUR }\n' })
    mkdirSync(join(server.folder, 'plugins'))
    const url = `http://127.0.0.1:${await server.port('HTTP')}`
    const folder = join(server.folder, 'plugins', 'orders')
    const definition = join(folder, 'index.ts')
    const place = async (): Promise<{ status: number; body: Record<string, unknown> }> => {
      const response = await fetch(`${url}/orders`, { method: 'POST', headers: { 'X-Svc-Session': 'a' } })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const record = async (): Promise<PluginRecord> =>
      (await (await fetch(`${url}/_svc/plugins/orders`)).json()) as PluginRecord
    t.equal((await place()).status, 404)

    cpSync(FIXTURE, folder, { recursive: true })
    await until(async () => (await place()).status === 201, 'the dropped plugin')
    const { body } = await place()
    t.match(body, { currency: 'EUR', release: 'first' })
    t.match(await record(), {
      state: 'enabled',
      source: 'directory',
      version: '3.1.4',
      path: folder,
      options: { currency: 'EUR' },
      stale: false,
    })
    t.match(await (await fetch(`${url}/_svc/catalog`)).text(), /Orders|\/orders/)

    const before = Number(body.number)
    writeFileSync(join(server.folder, 'svc.yaml'), 'plugins: { dirs: [plugins] }\norders: { currency: CHF }\n')
    await until(async () => (await place()).body.currency === 'CHF', 'the new option')
    t.ok(Number((await place()).body.number) > before, 'the counter outlived the reload')

    const source = readFileSync(definition, 'utf8')
    writeFileSync(definition, source.replace("'first'", "'second'"))
    await until(async () => (await place()).body.release === 'second', 'the edit')

    writeFileSync(definition, 'export default {')
    await until(async () => (await record()).stale, 'the break')
    t.match(await record(), { state: 'enabled', error: { phase: 'load', message: /orders\/index\.ts:1:\d+/ } })
    t.equal((await place()).body.release, 'second', 'the old version goes on')

    rmSync(folder, { recursive: true })
    await until(async () => (await place()).status === 404, 'the removal')
    t.equal((await fetch(`${url}/_svc/plugins/orders`)).status, 404)
  },
)
