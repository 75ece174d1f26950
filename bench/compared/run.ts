/**
 * svc next to other tools and to bare servers, as users meet them, measured by an independent sender:
 *
 *     npm run bench:compare [-- --case TEXT] [--quick] [--write]
 *
 * svc runs from its package, with its defaults and in load mode. The bare servers send the same bodies with their own header
 * fields. All servers of a case run on one core and get the load in turns, from 50 connections of wrk, or of our own sender where
 * wrk is not installed. `--write` puts the tables into `docs/comparison.md`. Tools that can't be installed here are named and
 * left out.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { cases, CHAT, ECHO_GET, ECHO_POST, loadOf, MOCKED, RULE, STATUS, STREAM, type Case } from '../cases.ts'
import { contest, residentBytes, type Contender, type Figures } from '../contest.ts'
import { sendLoad, type Load } from '../load.ts'
import { leaveServersCore, type Measured } from '../process.ts'
import { record, startReplay } from '../recording.ts'
import { packProduct, versionsIn } from '../tools/install.ts'
import { PAGE, put } from '../tools/page.ts'
import { startTool, type Tool, type Work } from '../tools/tool.ts'
import { svc, tools } from '../tools/tools.ts'
import { HAS_WRK, sendByWrk } from './wrk.ts'

const { values } = parseArgs({
  options: { case: { type: 'string' }, quick: { type: 'boolean' }, write: { type: 'boolean' } },
})
const WORK = new Set([ECHO_GET, ECHO_POST, STATUS, RULE, MOCKED, CHAT, STREAM])
const ROUNDS = values.quick ? { slices: 2, seconds: 1 } : { slices: 6, seconds: 1 }
const CONNECTIONS = 50
/** Memory at rest is read a moment after the start, when nothing is loaded any more. */
const SETTLE_MS = 3000
const MIB = 1024 * 1024
const PRODUCT = 'svc'
const LOAD_MODE = 'svc, load mode'
const NODE = 'node:http'
const FASTIFY = 'Fastify'

interface Running {
  name: string
  server: Measured
  /** Bytes before and after the load. */
  atRest: number
  underLoad: number
  /** What it sends for a case; null if it does not do this work. */
  workOf(one: Case, number: number): Work | null
}

interface Row {
  name: string
  figures: Map<string, Figures>
  /** Milliseconds at half the rate of its best slice. */
  atHalf: Map<string, { p50: number; p99: number }>
}

leaveServersCore()
const folder = mkdtempSync(join(tmpdir(), 'svc-compared-'))
const running: Running[] = []
try {
  const chosen = cases.filter(({ name }) => WORK.has(name) && name.includes(values.case ?? ''))
  await startAll(chosen)
  const rows: Row[] = []
  for (const [number, one] of chosen.entries()) rows.push(await measure(one, number))
  for (const one of running) one.underLoad = residentBytes(one.server)
  const table = tablesOf(rows)
  process.stdout.write(`${table}\n`)
  if (values.write) put('compared', table)
} finally {
  for (const { server } of running) await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function startAll(chosen: readonly Case[]): Promise<void> {
  const tarball = packProduct(folder)
  const all = tools(tarball, versionsIn(readFileSync(PAGE, 'utf8')))
  for (const tool of [...all.slice(0, 1), svc(tarball, LOAD_MODE, { SVC_LOAD_MODE: 'true' }), ...all.slice(1)]) {
    try {
      add(tool.name, await started(tool), (one, _number) =>
        tool.works === undefined ? one : (tool.works[one.name] ?? null),
      )
    } catch (error) {
      process.stderr.write(`${tool.name} is left out: ${(error as Error).message.split('\n', 1)[0]}\n`)
    }
  }
  const [product] = running
  if (product === undefined) throw new Error('svc does not start')
  const recorded = await Promise.all(chosen.map(one => record(one, product.server.port, ['content-type'])))
  for (const [name, kind] of [
    [NODE, 'node'],
    [FASTIFY, 'fastify'],
  ] as const) {
    const server = await startReplay(kind, recorded, folder)
    add(name, server, (one, number) =>
      name === FASTIFY && one.name === STREAM
        ? null
        : { ...one, path: name === FASTIFY && isEcho(one) ? one.path : `/${number}` },
    )
  }
  await wait(SETTLE_MS)
  for (const one of running) one.atRest = residentBytes(one.server)
}

async function started(tool: Tool): Promise<Measured> {
  const home = mkdtempSync(join(folder, 'tool-'))
  const { command } = tool.install(home)
  const server = await startTool(tool, command, home, true)
  await tool.prepare?.(`http://127.0.0.1:${server.port}`)
  return server
}

function add(name: string, server: Measured, workOf: Running['workOf']): void {
  running.push({ name, server, atRest: 0, underLoad: 0, workOf })
}

function isEcho({ name }: Case): boolean {
  return name === ECHO_GET || name === ECHO_POST
}

async function measure(one: Case, number: number): Promise<Row> {
  const contenders: (Contender & { sent: Omit<Load, 'seconds'> })[] = []
  for (const { name, server, workOf } of running) {
    const work = workOf(one, number)
    if (work === null) continue
    const isProduct = name === PRODUCT || name === LOAD_MODE
    const load = await loadOf({ ...one, ...work, prepare: isProduct ? one.prepare : undefined }, server.port)
    const sent = { ...load, connections: CONNECTIONS }
    contenders.push({
      name,
      server,
      sent,
      load: seconds => (HAS_WRK ? sendByWrk({ ...sent, seconds }, folder) : sendLoad({ ...sent, seconds })),
    })
  }
  const figures = await contest(contenders, ROUNDS)
  const atHalf = new Map<string, { p50: number; p99: number }>()
  for (const { name, sent } of contenders)
    atHalf.set(
      name,
      await sendLoad({ ...sent, seconds: ROUNDS.seconds, requestsPerSecond: figures.get(name)!.rate / 2 }),
    )
  return { name: one.name, figures, atHalf }
}

function tablesOf(rows: readonly Row[]): string {
  const names = running.map(({ name }) => name)
  const cells = (read: (row: Row, name: string) => string): string[] => [
    `| | ${names.join(' | ')} |`,
    `|---|${names.map(() => '--:|').join('')}`,
    ...rows.map(
      row => `| ${row.name} | ${names.map(name => (row.figures.has(name) ? read(row, name) : '')).join(' | ')} |`,
    ),
  ]
  const memory = (title: string, bytes: (one: Running) => number): string =>
    `| ${title} | ${running.map(one => (bytes(one) / MIB).toFixed(0)).join(' | ')} |`
  const sender = HAS_WRK ? 'wrk' : "the bench's own sender"
  return [
    `Microseconds of processor time for one request, with all threads of the process, under the full load of ${CONNECTIONS} connections:`,
    '',
    ...cells((row, name) => row.figures.get(name)!.cpu.toFixed(0)),
    '',
    'Latency in milliseconds at half the highest rate, median and 99th percentile:',
    '',
    ...cells((row, name) => {
      const { p50, p99 } = row.atHalf.get(name)!
      return `${p50.toFixed(1)}, ${p99.toFixed(1)}`
    }),
    '',
    'Memory in MiB:',
    '',
    `| | ${names.join(' | ')} |`,
    `|---|${names.map(() => '--:|').join('')}`,
    memory('at rest', one => one.atRest),
    memory('after the load', one => one.underLoad),
    '',
    `One core for the servers, one for ${sender}, Node.js ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}.`,
  ].join('\n')
}
