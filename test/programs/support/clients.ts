/** What the tests of the clients in `clients/` share: the package that they start, and what they ask of it. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { clientContract } from '../../support/client-contract.ts'
import { install } from '../../support/installed.ts'
import { startProcess } from '../../support/process.ts'
import { until } from '../../support/until.ts'
import type { Program, Run } from './program.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const PAGE = readFileSync(join(ROOT, 'docs', 'clients.md'), 'utf8')

/** An empty folder, removed at the end of the test. */
export function emptyFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-client-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A copy of the sources of a client, so that what is built from them stays out of the checkout. */
export function copyOfClient(t: Test, language: 'python' | 'java' | 'go'): string {
  const folder = emptyFolder(t)
  const from = join(ROOT, 'clients', language)
  const isBuilt = /(?:^|\/)(?:target|build|__pycache__|[^/]+\.egg-info)$/
  cpSync(from, join(folder, language), { recursive: true, filter: file => !isBuilt.test(file) })
  return join(folder, language)
}

/** The blocks of `docs/clients.md` in this language, in order. */
export function examplesIn(language: string): string[] {
  const found = [...PAGE.matchAll(new RegExp(`\\n\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))]
  if (found.length === 0) throw new Error(`docs/clients.md has no example in ${language}`)
  return found.map(([, code]) => code!)
}

export interface PackedSvc {
  /** For `SVC_COMMAND`. */
  command: string
  /** Starts it, with a forwarder in front that notes what clients ask of the control plane. */
  recorded(t: Test): Promise<{ url: string; operations(): Call[] }>
}

/** The package that is published, unpacked outside the checkout. */
export async function packedSvc(t: Test): Promise<PackedSvc> {
  const { folder } = await install(t)
  const main = join(folder, 'node_modules', 'svc', 'bin', 'svc.mjs')
  return {
    command: `${process.execPath} --max-semi-space-size=64 ${main}`,
    recorded: async t => {
      const upstream = await startProcess(t, { main, env: { SVC_LOG_LEVEL: 'warn' } }).port('HTTP')
      await until(
        async () => (await fetch(`http://127.0.0.1:${upstream}/_svc/ready`).catch(() => null))?.status === 200,
        'the server to be ready',
      )
      return forwarder(t, upstream)
    },
  }
}

/** A request to the control plane, as the contract has it. */
export interface Call {
  method: string
  /** The path with `{name}` for the name of a rule, without the prefix of a session. */
  path: string
  inSession: boolean
  scope: string | null
  query: string[]
}

async function forwarder(t: Test, upstream: number): Promise<{ url: string; operations(): Call[] }> {
  const calls: Call[] = []
  const server = createServer((incoming, outgoing) => {
    const call = callOf(incoming)
    if (call !== null) calls.push(call)
    forward(incoming, outgoing, upstream)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, operations: () => calls }
}

function callOf({ method, url }: IncomingMessage): Call | null {
  const { pathname, searchParams } = new URL(url!, 'http://svc')
  const path = pathname.replace(/^(?:\/s\/[^/]+)+/, '')
  if (!path.startsWith('/_svc/')) return null
  return {
    method: method!,
    path: path.replace(/^\/_svc\/rules\/.+$/, '/_svc/rules/{name}'),
    inSession: path !== pathname,
    scope: searchParams.get('scope'),
    query: [...searchParams.keys()].filter(name => name !== 'scope'),
  }
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, port: number): void {
  const { method, url, headers } = incoming
  const onward = request({ host: '127.0.0.1', port, method, path: url, headers }, answer => {
    outgoing.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(outgoing)
  })
  onward.on('error', () => outgoing.destroy())
  incoming.pipe(onward)
}

/** Tests that a client used all routes of the contract, and no others. */
export function matchContract(t: Test, calls: readonly Call[]): void {
  const { operations, ready } = clientContract()
  const named = (call: { method: string; path: string }): string => `${call.method} ${call.path}`
  const wanted = new Set(operations.map(named))
  const used = new Set(calls.map(named))
  used.delete(named(ready))
  t.strictSame([...used].sort(), [...wanted].sort(), 'all routes of the contract, and no others')
  for (const call of calls) {
    const same = operations.filter(operation => named(operation) === named(call))
    if (same.length === 0) continue
    const hasScope = same[0]!.scope && !call.inSession
    t.equal(call.scope, hasScope ? 'instance' : null, `scope of ${named(call)}`)
    const known = new Set(same.flatMap(({ query }) => query))
    t.strictSame(
      call.query.filter(name => !known.has(name)),
      [],
      `parameters of ${named(call)}`,
    )
  }
}

/** Runs a program that has to succeed. */
export async function succeeds(
  t: Test,
  program: Program,
  args: string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<Run> {
  const run = await program.run(args, options)
  t.equal(run.code, 0, `${program.title} ${args.join(' ')}: ${run.output.slice(-6000)}`)
  return run
}
