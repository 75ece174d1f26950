/**
 * Runs the demos through the gateways that are installed, with the configurations that come with them, and writes the table
 * `docs/demos-matrix.md`.
 *
 *     node --import tsx bench/demos/run.ts [gateway or demo ...]
 *
 * Results are kept in `bench/demos/results.json`: a run of some demos replaces theirs alone. Everything is done as a user would:
 * over HTTP, against a server in another process.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GATEWAY_PROGRAMS, startGateway, versionOf } from '../../test/programs/support/demo-programs.ts'
import { freePort } from '../../test/support/free-ports.ts'

const root = join(import.meta.dirname, '..', '..')
const FILE = join(import.meta.dirname, 'results.json')

interface Result {
  demo: string
  gateway: string
  version: string
  verdict: string
  reason: string | null
  control: string
}

interface ListedDemo {
  demo: string
  title: string
  area: string
  gateways: string[]
}

const port = await freePort()
const url = `http://127.0.0.1:${port}`
const [https, grpc] = [await freePort(), await freePort()]
const args = ['bin/svc.mjs', '--host', '127.0.0.1', '--port', String(port), '--https-port', String(https)]
// A reload would end the runs. Demos of gRPC have one address for all.
const env = { ...process.env, SVC_WATCH: 'false', SVC_GRPC_ON_HTTP: 'true' }
const svc = spawn('node', [...args, '--grpc-port', String(grpc), '--quiet'], { cwd: root, stdio: 'ignore', env })

async function get<T>(path: string): Promise<T> {
  const response = await fetch(`${url}${path}`)
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json() as Promise<T>
}

async function ready(): Promise<void> {
  for (let attempt = 0; attempt < 1200; attempt++) {
    try {
      if ((await fetch(`${url}/_svc/ready`)).ok) return
    } catch {
      // Not yet.
    }
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  throw new Error('svc does not start')
}

interface Report {
  state: string
  demos: { verdict: string; reason: string | null; control: { verdict: string } | null }[]
}

/** The whole way of a user: configuration, gateway, run. */
async function runDemo(demo: string, gateway: (typeof GATEWAY_PROGRAMS)[number], version: string): Promise<Result> {
  const own = await freePort()
  const { files, route } = await get<{ files: Record<string, string>; route: { certificate?: string } }>(
    `/_svc/demos/${demo}`,
  )
  const target = `${route.certificate === undefined ? 'http' : 'https'}://127.0.0.1:${own}`
  const query = new URLSearchParams({ through: target, upstream: url }).toString()
  const shown = await fetch(`${url}/_svc/demos/${demo}/gateways/${gateway.name}?${query}`)
  const base = { demo, gateway: gateway.title, version }
  const configuration = (await shown.text())
    .replaceAll(/(:|port_value: )8443\b/g, `$1${https}`)
    .replaceAll('port_value: 50051', `port_value: ${grpc}`)
  const urls = Object.fromEntries(Object.entries(files).map(([name, path]) => [name, `${url}${path}`]))
  const running = await startGateway(gateway, configuration, own, urls)
  try {
    const started = await fetch(`${url}/_svc/demos/runs`, {
      method: 'POST',
      body: JSON.stringify({ demo, target, control: true, yes: true }),
    })
    const { id, details } = (await started.json()) as { id?: string; details?: string }
    if (id === undefined) throw new Error(details)
    for (;;) {
      const report = await get<Report>(`/_svc/demos/runs/${id}`)
      const [result] = report.demos
      if (!['running', 'waiting'].includes(report.state))
        return { ...base, verdict: result!.verdict, reason: result!.reason, control: result!.control?.verdict ?? '' }
      await new Promise(resolve => setTimeout(resolve, 200))
    }
  } finally {
    await running.stop()
  }
}

const parts = process.argv.slice(2)
const kept: Result[] = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Result[]) : []
try {
  await ready()
  const { demos } = await get<{ demos: ListedDemo[] }>('/_svc/demos')
  for (const gateway of GATEWAY_PROGRAMS) {
    const version = versionOf(gateway)
    if (version === null) process.stdout.write(`${gateway.title}: not installed\n`)
    for (const { demo, gateways } of demos) {
      if (version === null || !gateways.includes(gateway.name)) continue
      if (parts.length > 0 && !parts.includes(demo) && !parts.includes(gateway.name)) continue
      let result: Result
      try {
        result = await runDemo(demo, gateway, version)
      } catch (error) {
        const reason = (error as Error).message
        result = { demo, gateway: gateway.title, version, verdict: 'not-judged', reason, control: '' }
      }
      process.stdout.write(`${gateway.title} ${version}, ${demo}: ${result.verdict} ${result.reason ?? ''}\n`)
      const at = kept.findIndex(one => one.demo === demo && one.gateway === gateway.title)
      kept.splice(at === -1 ? kept.length : at, at === -1 ? 0 : 1, result)
    }
  }
  const order = (result: Result): string => `${result.demo} ${result.gateway}`
  kept.sort((a, b) => (order(a) < order(b) ? -1 : 1))
  writeFileSync(FILE, `${JSON.stringify(kept, null, 2)}\n`)
  writeFileSync(join(root, 'docs', 'demos-matrix.md'), page(demos))
} finally {
  svc.kill('SIGTERM')
}

function page(demos: readonly ListedDemo[]): string {
  const titles = [...new Set(kept.map(({ gateway }) => gateway))]
  const found = (demo: string, gateway: string): Result | undefined =>
    kept.find(one => one.demo === demo && one.gateway === gateway)
  const cell = (result: Result | undefined): string =>
    result === undefined ? '' : result.verdict === 'seen' ? 'seen' : result.verdict.replace('-', ' ')
  const rows = demos
    .filter(({ demo }) => titles.some(title => found(demo, title) !== undefined))
    .map(({ demo }) => {
      const control = kept.find(one => one.demo === demo)?.control.replace('-', ' ') ?? ''
      return `| \`${demo}\` | ${titles.map(title => cell(found(demo, title))).join(' | ')} | ${control} |`
    })
  const failed = kept.filter(({ verdict }) => verdict !== 'seen')
  const versions = titles.map(title => `${title} ${kept.find(({ gateway }) => gateway === title)!.version}`)
  return [
    '# Demos in gateways',
    '',
    'Which [demos](demos.md) were seen in which gateways, with the configurations that `svc demo show <demo> --gateway <name>` prints.',
    `Written by \`bench/demos/run.ts\` from runs with ${versions.join(', ')}. "Without" is the run`,
    'straight to svc. An empty cell: svc has no configuration of this gateway for the demo. For the other demos and gateways,',
    '`svc demo show <demo>` says what to configure.',
    '',
    `| Demo | ${titles.join(' | ')} | Without |`,
    `|---|${titles.map(() => '---|').join('')}---|`,
    ...rows,
    '',
    ...(failed.length === 0
      ? []
      : ['## Not seen', '', ...failed.map(one => `- \`${one.demo}\`, ${one.gateway}: ${one.reason ?? ''}`), '']),
  ].join('\n')
}
