/**
 * `npm run bench`: runs all benchmarks and prints a table for each part. `--only contest,growth,validation,streams,replicas` selects
 * parts, `--case TEXT` selects cases by name, and `--quick` takes a tenth of the time. README.md explains the figures;
 * `compared/run.ts` compares svc with other tools.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cases, ECHO_GET, ECHO_POST, loadOf, type Case } from './cases.ts'
import { contest, type Contender, type ContestOptions, type Figures } from './contest.ts'
import { grpcContenders } from './grpc.ts'
import { measureGrowth } from './growth.ts'
import { sendLoad } from './load.ts'
import { CORES, leaveServersCore, type Measured } from './process.ts'
import { startProduct } from './product.ts'
import { canRunStore, measureStoreCost, measureWorkers } from './replicas.ts'
import { record, startReplay } from './recording.ts'
import { CHAT, idleStreams, tokenStreams, type TokenStreams } from './streams.ts'
import { printTable } from './table.ts'
import { measureChecks } from './validation.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    case: { type: 'string' },
    quick: { type: 'boolean' },
  },
})
const parts = values.only?.split(',') ?? ['contest', 'growth', 'validation', 'streams', 'replicas']
const options: ContestOptions = values.quick ? { slices: 3, seconds: 0.3 } : { slices: 10, seconds: 1 }
const CONNECTIONS = 50
const TOKEN_STREAMS = values.quick ? [100] : [100, 1000, 2000]
const IDLE_STREAMS = values.quick ? 500 : 10_000

leaveServersCore()
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const product = await startProduct()
async function runContest(): Promise<void> {
  const chosen = cases.filter(({ name }) => name.includes(values.case ?? ''))
  const recorded = await Promise.all(chosen.map(one => record(one, product.port)))
  const bare = {
    node: await startReplay('node', recorded, folder),
    fastify: await startReplay('fastify', recorded, folder),
  }
  const rows: (string | number)[][] = []
  for (const [number, one] of chosen.entries()) {
    const contenders = [
      await contender('svc', one, product),
      await contender('node', { ...one, path: `/${number}` }, bare.node),
    ]
    const isEcho = one.name === ECHO_GET || one.name === ECHO_POST
    if (!one.name.includes('streamed'))
      contenders.push(await contender('fastify', isEcho ? one : { ...one, path: `/${number}` }, bare.fastify))
    rows.push(rowOf(one.name, await contest(contenders, options)))
  }
  if ('gRPC unary'.includes(values.case ?? '')) rows.push(await grpcRow())
  printTable(['', 'req/s', 'p99 ms', 'CPU µs', '% of node:http', '% of Fastify'], rows)
  for (const server of Object.values(bare)) await server.stop()
}

async function contender(name: string, one: Case, server: Measured): Promise<Contender> {
  const load = await loadOf(name === 'svc' ? one : { ...one, prepare: undefined }, server.port)
  return { name, server, load: seconds => sendLoad({ ...load, connections: CONNECTIONS, seconds }) }
}

/** Formats one row of the table; ratios compare processor time. */
function rowOf(name: string, figures: Map<string, Figures>): (string | number)[] {
  const { node, fastify, svc } = Object.fromEntries(figures)
  const share = (other: Figures | undefined): string => (other === undefined ? '' : percent(other.cpu / svc!.cpu))
  return [name, svc!.rate.toFixed(0), svc!.p99.toFixed(1), svc!.cpu.toFixed(0), share(node), share(fastify)]
}

async function grpcRow(): Promise<(string | number)[]> {
  const identity = (await (await fetch(`http://127.0.0.1:${product.port}/identity`)).json()) as {
    port: { grpc: number }
  }
  const contenders = await grpcContenders(product, identity.port.grpc)
  const figures = await contest(contenders, options)
  await contenders.at(-1)!.server.stop()
  const [svc, bare] = [figures.get('svc')!, figures.get('bare')!]
  return [
    'gRPC unary',
    svc.rate.toFixed(0),
    svc.p99.toFixed(1),
    svc.cpu.toFixed(0),
    '',
    `${(bare.cpu / svc.cpu).toFixed(2)} × bare grpc-js`,
  ]
}

async function runGrowth(): Promise<void> {
  const grown = await measureGrowth(product, options)
  printTable(
    ['CPU µs per request', 'by size'],
    grown.map(({ name, figures }) => [
      name,
      [...figures].map(([size, { cpu }]) => `${size}: ${cpu.toFixed(0)}`).join('   '),
    ]),
  )
}

async function runValidation(): Promise<void> {
  const costs = await measureChecks(product, options)
  printTable(
    ['CPU µs per request', 'off', 'warn', 'ratio'],
    costs.map(({ name, off, warn }) => [name, off.toFixed(1), warn.toFixed(1), (warn / off).toFixed(3)]),
  )
}

async function runStreams(): Promise<void> {
  const headers = { ...CHAT.headers, 'X-Svc-Tokens-Per-Second': '0' }
  const recorded = await record({ name: 'token streams', method: 'POST', ...CHAT, headers }, product.port)
  const bare = await startReplay('node', [recorded], folder)
  const rows: (string | number)[][] = []
  for (const count of TOKEN_STREAMS) {
    rows.push(
      streamRow(
        `${count} token streams, 20 ms per token`,
        await tokenStreams(product, count, { 'X-Svc-Tokens-Per-Second': '50' }),
      ),
    )
    rows.push(streamRow('same, node:http', await tokenStreams(bare, count, { 'X-Pace-Ms': '20' }, '/0')))
  }
  await bare.stop()
  printTable(['', 'first token p50 ms', 'p99', 'gap p50 ms', 'p99', 'KiB each'], rows)
  const idle = await idleStreams(product, IDLE_STREAMS)
  printTable(
    ['', 'MiB', 'KiB each'],
    [[`${IDLE_STREAMS} idle event streams`, (idle / 2 ** 20).toFixed(0), (idle / IDLE_STREAMS / 1024).toFixed(1)]],
  )
}

async function runReplicas(): Promise<void> {
  if (!canRunStore()) return console.log('replicas: neither valkey-server nor redis-server is on the PATH\n')
  const costs = await measureStoreCost(options)
  printTable(
    ['CPU µs per request', 'without a store', 'with', 'ratio', 'of the store'],
    costs.map(cost => [
      cost.name,
      cost.without.toFixed(0),
      cost.with.toFixed(0),
      cost.ratio.toFixed(2),
      cost.store.toFixed(0),
    ]),
  )
  const grown = await measureWorkers(options, [1, 2, 3, 4])
  const [{ rates }] = grown as [(typeof grown)[0]]
  printTable(
    [`requests/s on ${CORES} cores`, ...rates.keys()],
    grown.map(({ workers, hasStore, rates: own }) => [
      `${workers} ${workers === 1 ? 'process' : 'processes'}${hasStore ? ', store' : ''}`,
      ...[...own.values()].map(rate => (Number.isNaN(rate) ? '' : rate.toFixed(0))),
    ]),
  )
}

function streamRow(name: string, { ttftP50, ttftP99, gapP50, gapP99, bytesEach }: TokenStreams): (string | number)[] {
  return [
    name,
    ttftP50.toFixed(1),
    ttftP99.toFixed(1),
    gapP50.toFixed(1),
    gapP99.toFixed(1),
    (bytesEach / 1024).toFixed(1),
  ]
}

function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(0)} %`
}

try {
  if (parts.includes('contest')) await runContest()
  if (parts.includes('growth')) await runGrowth()
  if (parts.includes('validation')) await runValidation()
  if (parts.includes('streams')) await runStreams()
  if (parts.includes('replicas')) await runReplicas()
} finally {
  await product.stop()
  rmSync(folder, { recursive: true })
}
