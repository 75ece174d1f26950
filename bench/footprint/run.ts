/**
 * Size, number of parts, time to the first response and memory of svc and of other tools, measured in one run:
 *
 *     npm run bench:footprint [-- --write]
 *
 * Installs each in an empty folder, from its registry. `--write` puts the table into `docs/comparison.md`. Tools that can't be
 * installed here are named and left out.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { tools, type Tool } from './tools.ts'
import { freePort } from '../../test/support/free-ports.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const PAGE = join(ROOT, 'docs', 'comparison.md')
const RUNS = 5
const MAX_START_MS = 60_000
const POLL_MS = 5
/** Memory is read a moment after the first response. */
const SETTLE_MS = 1000
const MIB = 1024 * 1024

const folder = mkdtempSync(join(tmpdir(), 'svc-footprint-'))
try {
  const page = readFileSync(PAGE, 'utf8')
  const rows: string[] = []
  for (const tool of tools(packed(folder), versionsIn(page))) {
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
  if (process.argv.includes('--write'))
    writeFileSync(
      PAGE,
      page.replace(/(<!-- footprint -->\n)[^]*?(\n<!-- \/footprint -->)/, (_, a: string, b: string) => a + table + b),
    )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Builds and packs svc. */
function packed(out: string): string {
  const home = join(out, 'package')
  execFileSync(process.execPath, ['--import', 'tsx', 'packing/build.ts', '--out', home], { cwd: ROOT, stdio: 'ignore' })
  const name = execFileSync('npm', ['pack', home, '--silent', '--pack-destination', out], { encoding: 'utf8' })
  return join(out, name.trim().split('\n').at(-1)!)
}

/** The versions in the last table of the page, by name. */
function versionsIn(page: string): Map<string, string> {
  const rows = page.slice(page.indexOf('## Versions')).matchAll(/^\| ([\w-]+) \|[^|]*\| (\d+\.\d+\.\d+)/gm)
  return new Map([...rows].map(([, name, version]) => [name!, version!]))
}

async function rowOf(tool: Tool): Promise<string> {
  const home = mkdtempSync(join(folder, 'tool-'))
  const { parts, bytes, command } = tool.install(home)
  const starts: { ms: number; kib: number }[] = []
  for (let run = 0; run < RUNS; run++) starts.push(await start(tool, command, home))
  const ms = median(starts.map(one => one.ms))
  const kib = median(starts.map(one => one.kib))
  return `| ${tool.name} | ${parts} | ${(bytes / MIB).toFixed(0)} MiB | ${(ms / 1000).toFixed(1)} s | ${(kib / 1024).toFixed(0)} MiB |`
}

/** Starts the tool; resolves with the time to its first response and the memory of its process. */
async function start(tool: Tool, [program, ...before]: string[], home: string): Promise<{ ms: number; kib: number }> {
  const port = await freePort()
  const startedAt = performance.now()
  const child = spawn(program!, [...before, ...tool.args(port, home)], { cwd: home, stdio: 'ignore' })
  const ended = once(child, 'exit')
  try {
    while (performance.now() - startedAt < MAX_START_MS) {
      if (child.exitCode !== null) throw new Error(`it ended with exit code ${child.exitCode}`)
      const status = await fetch(`http://127.0.0.1:${port}${tool.path}`).then(
        ({ status }) => status,
        () => 0,
      )
      if (status > 0 && status < 500) {
        const ms = performance.now() - startedAt
        await wait(SETTLE_MS)
        const kib = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1])
        return { ms, kib }
      }
      await wait(POLL_MS)
    }
    throw new Error(`no response within ${MAX_START_MS / 1000} s`)
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}
