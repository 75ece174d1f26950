/** Envoy, as a process of a test. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { until } from '../../support/until.ts'

/** Starts Envoy with a configuration in JSON or YAML; resolves to its URL. It ends with the test. */
export async function startEnvoy(t: Test, path: string, config: object | string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-envoy-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, typeof config === 'string' ? 'envoy.yaml' : 'envoy.json')
  const admin = join(folder, 'admin')
  writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config))
  const args = [
    '-c',
    file,
    '--admin-address-path',
    admin,
    '--concurrency',
    '1',
    '-l',
    'warning',
    '--use-dynamic-base-id',
  ]
  const child = spawn(path, args, { stdio: 'ignore' })
  t.teardown(async () => {
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.kill()) await ended
  })
  return until(async () => {
    if (child.exitCode !== null) throw new Error(`envoy ended with ${child.exitCode}`)
    try {
      const { listener_statuses: statuses } = (await (
        await fetch(`http://${readFileSync(admin, 'utf8')}/listeners?format=json`)
      ).json()) as { listener_statuses: { local_address: { socket_address: { port_value: number } } }[] }
      const [status] = statuses
      return status === undefined ? null : `http://127.0.0.1:${status.local_address.socket_address.port_value}`
    } catch {
      return null
    }
  }, 'Envoy listens')
}
