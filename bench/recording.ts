/** Records responses of svc, and starts bare servers that repeat them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadOf, type Case } from './cases.ts'
import { startServer, type Measured } from './process.ts'
import type { Recorded } from './replay.ts'

const HOP = new Set(['content-length', 'transfer-encoding', 'connection', 'date', 'keep-alive'])

/** Records a response; `only` are the header fields to keep, by default all that are not about the connection. */
export async function record(one: Case, port: number, only?: readonly string[]): Promise<Recorded> {
  const { path, method, headers, body } = await loadOf(one, port)
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body })
  if (!response.ok) throw new Error(`${one.name}: ${response.status} ${await response.text()}`)
  return {
    path,
    headers: Object.fromEntries([...response.headers].filter(([name]) => only?.includes(name) ?? !HOP.has(name))),
    body: await response.text(),
    isStream: response.headers.get('content-type')?.startsWith('text/event-stream') === true,
  }
}

/** Starts a bare server that repeats recorded responses. */
export function startReplay(
  kind: 'node' | 'fastify',
  recorded: readonly Recorded[],
  folder: string,
): Promise<Measured> {
  const file = join(folder, `recorded-${kind}.json`)
  writeFileSync(file, JSON.stringify(recorded))
  return startServer([join(import.meta.dirname, 'replay.ts'), kind, file])
}
