/** Runs real gateways in tests, if they are installed. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { until } from './until.ts'

interface Test {
  teardown(callback: () => unknown): unknown
}

/** False if the program is installed, otherwise the reason to skip the test. */
export function absence(program: string): string | false {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined
    ? false
    : `${program} is not installed`
}

/** The same for a program of an npm package. It is found by path and not started, since other programs may have its name. */
export function absenceOfPackage(program: string, packageName: string): string | false {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map(folder => join(folder, program))
    .find(path => existsSync(path))
  return found !== undefined && realpathSync(found).includes(join('node_modules', packageName))
    ? false
    : `${packageName} is not installed`
}

/** A folder for a gateway's files, readable for its workers, which run as another user if the tests run as root. */
export function gatewayFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-gateway-'))
  chmodSync(folder, 0o755)
  return folder
}

/**
 * Starts a gateway, waits until it serves `ready` on the port, and resolves with a function that sends requests through it.
 * At the end of the test it is stopped and its folder is removed.
 */
export async function startGateway(
  t: Test,
  program: string,
  args: string[],
  {
    port,
    folder,
    ready = '/uuid',
    env = {},
    headers = {},
  }: {
    port: number
    folder: string
    ready?: string
    env?: Record<string, string>
    /** Of the request for `ready`. */
    headers?: Record<string, string>
  },
): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...env } })
  const exited = new Promise(resolve => child.on('exit', resolve))
  t.teardown(async () => {
    child.kill('SIGTERM')
    await exited
    rmSync(folder, { recursive: true, force: true })
  })
  const through = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, init)
  await until(
    () =>
      through(ready, { headers }).then(
        ({ ok }) => ok,
        () => false,
      ),
    `${program} answers`,
  )
  return through
}
