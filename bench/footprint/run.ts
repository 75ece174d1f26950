/**
 * Size, number of parts, time to the first response and memory of svc and of other tools, measured in one run:
 *
 *     npm run bench:footprint [-- --write]
 *
 * Installs each in an empty folder, from its registry. `--write` puts the table into `docs/comparison.md`. Tools that can't be
 * installed here are named and left out.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { residentBytes } from '../contest.ts'
import { packProduct, versionsIn } from '../tools/install.ts'
import { startTool, type Tool } from '../tools/tool.ts'
import { tools } from '../tools/tools.ts'
import { PAGE, put } from '../tools/page.ts'

const RUNS = 5
/** Memory is read a moment after the first response. */
const SETTLE_MS = 1000
const MIB = 1024 * 1024

const folder = mkdtempSync(join(tmpdir(), 'svc-footprint-'))
try {
  const page = readFileSync(PAGE, 'utf8')
  const rows: string[] = []
  for (const tool of tools(packProduct(folder), versionsIn(page))) {
    try {
      rows.push(await rowOf(tool))
    } catch (error) {
      process.stderr.write(`${tool.name} is left out: ${(error as Error).message.split('\n', 1)[0]}\n`)
    }
  }
  const table = [
    '| | Installed | Size | First response | Memory then |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    `Medians of ${RUNS} starts with default settings, on ${cpus().length} shared cores, Node.js ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}; sizes without the runtime (Node.js, Java).`,
  ].join('\n')
  process.stdout.write(`${table}\n`)
  if (process.argv.includes('--write')) put('footprint', table)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function rowOf(tool: Tool): Promise<string> {
  const home = mkdtempSync(join(folder, 'tool-'))
  const { parts, bytes: size, command } = tool.install(home)
  const starts: { ms: number; bytes: number }[] = []
  for (let run = 0; run < RUNS; run++) starts.push(await start(tool, command, home))
  const ms = median(starts.map(one => one.ms))
  const bytes = median(starts.map(one => one.bytes))
  return `| ${tool.name} | ${parts} | ${(size / MIB).toFixed(0)} MiB | ${(ms / 1000).toFixed(1)} s | ${(bytes / MIB).toFixed(0)} MiB |`
}

/** Starts the tool; resolves with the time to its first response and the memory of its process. */
async function start(tool: Tool, command: string[], home: string): Promise<{ ms: number; bytes: number }> {
  const startedAt = performance.now()
  const server = await startTool(tool, command, home, false)
  try {
    const ms = performance.now() - startedAt
    await wait(SETTLE_MS)
    return { ms, bytes: residentBytes(server) }
  } finally {
    await server.stop()
  }
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}
