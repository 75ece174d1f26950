/**
 * wrk as the sender: an independent load generator that sleeps while it waits, as gateways do. It is used where it is installed.
 */
import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Load, LoadResult } from '../load.ts'

export const HAS_WRK = spawnSync('wrk', ['-v']).error === undefined
const run = promisify(execFile)
const UNITS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 }

/** Sends the load with wrk, which has no warm-up; rejects if a response is not 2xx. `folder` is for its script. */
export async function sendByWrk(load: Load, folder: string): Promise<LoadResult> {
  const script = join(folder, `${load.port}.lua`)
  writeFileSync(script, scriptOf(load))
  const { stdout } = await run('wrk', [
    '-t1',
    `-c${load.connections}`,
    `-d${load.seconds}s`,
    '--latency',
    '--timeout',
    '10s',
    '-s',
    script,
    `http://127.0.0.1:${load.port}${load.path}`,
  ])
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout)
  return { requestsPerSecond: rateIn(stdout), p50: latencyIn(stdout, '50%'), p99: latencyIn(stdout, '99%') }
}

/** wrk reads the method, the fields and the body from a script in Lua. */
function scriptOf({ method = 'GET', headers = {}, body }: Load): string {
  return [
    `wrk.method = ${JSON.stringify(method)}`,
    ...Object.entries(headers).map(
      ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
    ),
    ...(body === undefined ? [] : [`wrk.body = [==[${body}]==]`]),
  ].join('\n')
}

function rateIn(output: string): number {
  const found = /^Requests\/sec:\s+([\d.]+)/m.exec(output)
  if (found === null) throw new Error(`wrk said: ${output}`)
  return Number(found[1])
}

/** Milliseconds. */
function latencyIn(output: string, share: string): number {
  const [, value, unit] = new RegExp(`^\\s+${share}\\s+([\\d.]+)(us|ms|s|m)`, 'm').exec(output) ?? []
  return Number(value) * UNITS[unit ?? 'ms']!
}
