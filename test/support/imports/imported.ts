/** Imports files of other tools, serves what was written, and sends requests of a table to it or to the original. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { serve, type TestServer } from '../server.ts'
import { svc, type CommandLineRun } from '../terminal.ts'

/** Files of each kind, written for these tests. */
export const IMPORT_FIXTURES = resolve(import.meta.dirname, '..', '..', 'fixtures', 'import')

/** A request, and what the original answers. */
export interface ImportCase {
  /** Default: GET. */
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string
  /** A pattern where the answer has something random. `fails`: the connection breaks. `any`: the original describes itself. */
  gives:
    | 'fails'
    | { status: number; body: string | RegExp; headers?: Record<string, string | RegExp> }
    | { status: number; body: 'any' }
}

export interface ImportReport {
  counts: Record<string, Record<string, number>>
  findings: {
    file: string
    line: number
    column: number
    at: string
    severity: string
    feature: string
    rule?: string
    message: string
  }[]
}

export interface Answer {
  status: number
  body: string
  headers: IncomingHttpHeaders
}

interface Test {
  teardown(callback: () => unknown): unknown
  comment?(text: string): unknown
}

/** Runs `svc import` into a temporary folder. */
export async function importInto(
  t: Test,
  args: string[],
): Promise<CommandLineRun & { folder: string; read(name: string): string; report(): ImportReport }> {
  const parent = mkdtempSync(join(tmpdir(), 'svc-import-'))
  t.teardown(() => rmSync(parent, { recursive: true, force: true }))
  const folder = join(parent, 'out')
  const run = await svc(['import', ...args, '--out', folder], { folder: parent })
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  return { ...run, folder, read, report: () => JSON.parse(read('import-report.json')) as ImportReport }
}

/** Starts a server with the folder that an import wrote. */
export async function serveImported(t: Test, folder: string): Promise<TestServer> {
  const yaml = readFileSync(join(folder, 'svc.yaml'), 'utf8')
  return serve(t, { folder, yaml, oneProcess: 'what was imported is in files' })
}

/** The answer; null if the connection breaks. */
export function send(
  base: string,
  { method = 'GET', path, headers = {}, body }: Omit<ImportCase, 'gives'>,
): Promise<Answer | null> {
  return new Promise(done => {
    const { hostname, port } = new URL(base)
    // Not `Connection: close`: some faults then look like answers.
    const agent = new Agent({ keepAlive: true })
    const finish = (answer: Answer | null): void => {
      agent.destroy()
      done(answer)
    }
    const asked = request({ hostname, port, method, path, headers, agent }, response => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () =>
        finish({
          status: response.statusCode!,
          body: Buffer.concat(parts).toString('latin1'),
          headers: response.headers,
        }),
      )
      response.on('error', () => finish(null))
    })
    asked.on('error', () => finish(null))
    asked.end(body)
  })
}

/** What differs between an answer and the expectation; empty if nothing does. */
export function differences({ gives }: ImportCase, answer: Answer | null): string[] {
  if (gives === 'fails')
    return answer === null ? [] : [`expected a broken connection, got ${answer.status} ${answer.body.slice(0, 200)}`]
  if (answer === null) return ['the connection broke']
  const wrong: string[] = []
  const compare = (what: string, expected: string | RegExp, got: string): void => {
    const isEqual = typeof expected === 'string' ? expected === got : expected.test(got)
    if (!isEqual) wrong.push(`${what}: expected ${String(expected)}, got ${got.slice(0, 300)}`)
  }
  compare('status', String(gives.status), String(answer.status))
  if (gives.body !== 'any') compare('body', gives.body, answer.body)
  for (const [name, expected] of Object.entries('headers' in gives ? (gives.headers ?? {}) : {}))
    compare(name, expected, String(answer.headers[name.toLowerCase()]))
  return wrong
}

export function titleOf({ method = 'GET', path, body }: ImportCase): string {
  return `${method} ${path}${body === undefined ? '' : ` ${body.slice(0, 80)}`}`
}
