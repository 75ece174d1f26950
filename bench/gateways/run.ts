/**
 * Probes the gateways that are installed and writes their reports and the table of all.
 *
 *     node --import tsx bench/gateways/run.ts [part of a product name ...] [-- <more options of svc probe>]
 *
 * Reports go to `bench/gateways/reports/`, the table to `docs/gateways/matrix.md`, which is made of all reports there, and what gateways
 * of models lose to `docs/gateways/translation.md`.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync, chmodSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CALLING } from './calling.ts'
import type { GatewayConfiguration, GatewayFacts } from './configuration.ts'
import { OF_GRAPHS } from './graphs.ts'
import { OF_MODELS } from './models.ts'
import { PROXIES } from './proxies.ts'
import { freePort } from '../../test/support/free-ports.ts'
import { translationPage, type TranslationReport } from './translation.ts'

const given = process.argv.slice(2)
const dashes = given.includes('--') ? given.indexOf('--') : given.length
const words = given.slice(0, dashes)
const moreOptions = given.slice(dashes + 1)
const GATEWAYS = [...PROXIES, ...OF_MODELS, ...OF_GRAPHS, ...CALLING]
const root = join(import.meta.dirname, '..', '..')
const reports = join(import.meta.dirname, 'reports')
const HEADER = `# Gateways in comparison

What \`svc probe --hostile\` found in gateways, each in its shortest configuration and some in a recommended one. Made by
the authors of svc with \`bench/gateways/run.ts\` on one machine over the loopback address; versions and dates are in the
table, configurations below it. A gateway that passes says nothing about its speed. Many rows are observations, not
faults: [the page about the probe](../probe.md) says what the words mean, \`svc probe show <ID>\` explains a row. If you
maintain one of these products and disagree with a cell, open an issue; your words are added with \`--note\`.

`
type Part = NonNullable<GatewayConfiguration['part']>
/** What the parts of the page begin with, in their order. */
const PARTS: Readonly<Record<Part, string>> = {
  models: `## Models

Gateways of models, with [the pairs of formats](../probe.md#gateways-that-translate) that they route; \`FAIL 3/20\` is a failure in 3 of 20
pairs. Proxies forward bytes of models as they forward others: their rows are above. The runs were made
on a busy machine: measured times mean nothing here. In that of LiteLLM, which is
from before the probe waited for models out of service, \`TRN-ERROR\` differs between attempts since an error takes a model out of service for some
seconds, and \`MCP-STREAM\` failed for events without ids, which is a note by now: LiteLLM is a server itself, and ids of events are optional in MCP.

`,
  services: `## Gateways that call services

Gateways that call svc as a [service](../gateway-services.md), or report to it, with the files of their pages and the [checks of these
groups](../probe.md#services-that-the-gateway-calls).

`,
  graphs: `## Gateways that join graphs

With the supergraph \`core\` of svc, and the [checks of the group \`gql\`](../probe.md#gateways-that-join-graphs).

`,
}

function versionOf({ program, versionProgram = program, version }: GatewayConfiguration): string | null {
  const { error, status, stdout, stderr } = spawnSync(versionProgram, version, { encoding: 'utf8' })
  if (error !== undefined || ((versionProgram !== program || program === 'node') && status !== 0)) return null
  return /\d+\.\d+(?:\.\d+)?/.exec(`${stdout}${stderr}`)?.[0] ?? 'unknown'
}

async function listens(port: number): Promise<boolean> {
  for (let attempt = 0; attempt < 900; attempt++) {
    const isOpen = await new Promise<boolean>(resolve => {
      const socket = connect(port, '127.0.0.1')
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
    if (isOpen) return true
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  return false
}

/** Services are loaded a second after the start; a call before may take longer than a gateway waits for it. */
async function untilServed(port: number): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const { ok } = await fetch(`http://127.0.0.1:${port}/echo`, { headers: { apikey: 'my-key' } })
    if (ok) return
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

function run(program: string, args: readonly string[]): Promise<number | null> {
  return new Promise(resolve =>
    spawn(program, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }).on('exit', resolve),
  )
}

function folderOf({ product, kind }: GatewayConfiguration): string {
  return `${product}-${kind}`.toLowerCase().replaceAll(' ', '-')
}

function startSvc({ part }: GatewayConfiguration, { up, upGrpc, folder }: GatewayFacts): ChildProcess {
  // As on the pages of gateways, except for the port.
  const config = join(folder, 'svc.yaml')
  writeFileSync(config, part === 'services' ? `telemetry: { syslog: { udp: ${upGrpc} } }\n` : '')
  const ports = ['--port', String(up), '--https-port', '0', '--grpc-port', part === 'services' ? String(upGrpc) : '0']
  const args = ['bin/svc.mjs', '--host', '127.0.0.1', '--config', config, ...ports]
  const env = { ...process.env, SVC_WATCH: 'false' }
  return spawn('node', [...args, '--quiet'], { cwd: root, stdio: 'ignore', env })
}

async function probe(gateway: GatewayConfiguration): Promise<void> {
  const version = versionOf(gateway)
  const label = `${gateway.product} ${gateway.kind}`
  if (version === null) {
    process.stdout.write(`${label}: not installed\n`)
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  chmodSync(folder, 0o755)
  const [up, upGrpc, port, grpc] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const facts = { up, upGrpc, port, grpc, folder }
  const file = join(folder, gateway.file)
  writeFileSync(file, gateway.text(facts))
  const routes = gateway.routes === undefined ? null : join(folder, 'routes.yaml')
  if (routes !== null) writeFileSync(routes, gateway.routes!(facts))
  const svc = gateway.part !== undefined ? startSvc(gateway, facts) : null
  if (svc !== null) await listens(facts.up)
  const child: ChildProcess = spawn(gateway.program, gateway.arguments(file, facts), {
    cwd: folder,
    stdio: 'ignore',
    env: { ...process.env, ...gateway.environment },
  })
  const exited = new Promise(resolve => child.on('exit', resolve))
  try {
    if (!(await listens(facts.port))) {
      process.stdout.write(`${label}: did not start\n`)
      return
    }
    if (gateway.part === 'services') await untilServed(facts.port)
    const out = join(reports, folderOf(gateway))
    const code = await run('node', [
      'bin/svc.mjs',
      'probe',
      `http://127.0.0.1:${facts.port}`,
      ...(svc === null
        ? ['--listen', String(facts.up), '--listen-grpc', String(facts.upGrpc)]
        : ['--upstream', `http://127.0.0.1:${facts.up}`]),
      '--hostile',
      '--out',
      out,
      '--format',
      'json,html',
      '--quiet',
      '--name',
      `${gateway.product} ${version} ${gateway.kind}`,
      '--config-file',
      file,
      ...(gateway.probe?.(facts) ?? []),
      ...(routes === null ? [] : ['--routes', routes]),
      ...moreOptions,
    ])
    process.stdout.write(`${label} ${version}: exit code ${code}\n`)
  } finally {
    child.kill('SIGTERM')
    await exited
    svc?.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
}

mkdirSync(reports, { recursive: true })
const parts = words.map(part => part.toLowerCase())
for (const gateway of GATEWAYS)
  if (parts.length === 0 || parts.some(part => `${gateway.product} ${gateway.kind}`.toLowerCase().includes(part)))
    await probe(gateway)

/** The table of some reports; null without any. */
function tableOf(isWanted: (name: string) => boolean): string | null {
  const files = readdirSync(reports)
    .filter(isWanted)
    .map(name => join(reports, name, 'report.json'))
    .sort()
  if (files.length === 0) return null
  const { stdout } = spawnSync('node', ['bin/svc.mjs', 'probe', 'matrix', ...files], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  // Folders of the machine are not part of the table.
  return stdout.replaceAll(/\S*svc-bench-\w+/g, '/tmp/gateway')
}

interface PairsOfReport {
  gateway: { name: string | null }
  summary: {
    pairs?: { client: string; upstream: string | null; model: string; state: string; reason: string | null }[]
  }
}

const MAX_REASON = 120

/** The pairs that were tested, and those that were not. */
function pairsOf(isWanted: (name: string) => boolean): string {
  const lines = readdirSync(reports)
    .filter(isWanted)
    .sort()
    .flatMap(name => {
      const { gateway, summary } = JSON.parse(readFileSync(join(reports, name, 'report.json'), 'utf8')) as PairsOfReport
      const { pairs = [] } = summary
      const tested = pairs.filter(({ state }) => state === 'tested')
      return [
        `- ${gateway.name}: ${tested.map(({ client, upstream }) => `${client} → ${upstream}`).join(', ')}`,
        ...pairs
          .filter(({ state }) => state === 'not routed')
          .map(
            ({ client, model, reason }) =>
              `  - not routed: ${client} with \`${model}\`, \`${shortened(reason ?? '')}\``,
          ),
      ]
    })
  return `### Pairs that were tested\n\n${lines.join('\n')}\n\n`
}

function shortened(reason: string): string {
  const text = reason.replaceAll(/\s+/g, ' ').replaceAll('`', '')
  return text.length > MAX_REASON ? `${text.slice(0, MAX_REASON)}…` : text
}

function isOfPart(part: Part | undefined): (name: string) => boolean {
  const names = new Set(GATEWAYS.filter(one => one.part === part).map(folderOf))
  return name => names.has(name)
}

const page = join(root, 'docs', 'gateways', 'matrix.md')
const names = Object.keys(PARTS) as Part[]
let rest = readFileSync(page, 'utf8')
/** Parts without reports stay as they are. */
const known = new Map<Part, string>()
for (const part of names.toReversed()) {
  const [before = '', own] = rest.split(PARTS[part])
  rest = before
  if (own !== undefined) known.set(part, own)
}
const table = tableOf(isOfPart(undefined))
const texts = names.map(part => {
  const own = tableOf(isOfPart(part))
  const text = own === null ? known.get(part) : `${own}\n${part === 'models' ? pairsOf(isOfPart(part)) : ''}`
  return text === undefined ? '' : `${PARTS[part]}${text}`
})
writeFileSync(page, `${table === null ? rest : `${HEADER}${table}\n`}${texts.join('')}`)

const ofModels = isOfPart('models')
const translation = translationPage(
  readdirSync(reports)
    .filter(ofModels)
    .sort()
    .map(name => JSON.parse(readFileSync(join(reports, name, 'report.json'), 'utf8')) as TranslationReport),
)
if (translation !== null) writeFileSync(join(root, 'docs', 'gateways', 'translation.md'), translation)
