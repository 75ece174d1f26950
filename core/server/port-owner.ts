/** Who uses a port of this machine, for messages about ports that can't be bound. */
import { reachableHost } from '../fields/authority.ts'
import { execFile } from 'node:child_process'
import { readFile, readdir, readlink } from 'node:fs/promises'
import { isRecord } from '../contract/record.ts'
import { boundedFetch } from '../toolkit/bounded-fetch.ts'

const ASK_MS = 1_000
const MAX_REPLY_BYTES = 64 * 1024
/** State of a listening socket in `/proc/net/tcp`. */
const LISTENING = '0A'

/** `svc 1.0.0 (instance …)`, `process 4711 (node)`, or null if the owner is not known. Never rejects. */
export async function portOwner(host: string, port: number): Promise<string | null> {
  return (await askInstance(host, port)) ?? (await findProcess(port))
}

async function askInstance(host: string, port: number): Promise<string | null> {
  try {
    const { body } = await boundedFetch(`http://${reachableHost(host)}:${port}/health`, {
      headers: { accept: 'application/json' },
      timeoutMs: ASK_MS,
      maxBytes: MAX_REPLY_BYTES,
    })
    const reply: unknown = JSON.parse(body.toString())
    if (!isRecord(reply) || reply.service !== 'svc') return null
    return `svc ${short(reply.version)} (instance ${short(reply.instance_id)})`
  } catch {
    return null
  }
}

/** Another program wrote it, so it is cut, and only printable characters are kept. */
function short(value: unknown): string {
  return String(value)
    .replace(/[^\x20-\x7e]/g, '')
    .slice(0, 100)
}

async function findProcess(port: number): Promise<string | null> {
  const found = process.platform === 'linux' ? await findInProc(port) : await findByLsof(port)
  return found === null ? null : `process ${found.pid}${found.name === '' ? '' : ` (${short(found.name)})`}`
}

interface FoundProcess {
  pid: string
  name: string
}

async function findInProc(port: number): Promise<FoundProcess | null> {
  const inodes = new Set<string>()
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const lines = (await readFile(table, 'utf8').catch(() => '')).split('\n').slice(1)
    for (const fields of lines.map(line => line.trim().split(/\s+/)))
      if (fields[3] === LISTENING && Number.parseInt(fields[1]!.split(':')[1]!, 16) === port) inodes.add(fields[9]!)
  }
  if (inodes.size === 0) return null
  const pids = (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name))
  for (const pid of pids) {
    for (const descriptor of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const inode = /^socket:\[(\d+)\]$/.exec(await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => ''))?.[1]
      if (inode === undefined || !inodes.has(inode)) continue
      return { pid, name: (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim() }
    }
  }
  return null
}

/** macOS and BSD. Null where the program is absent, as on Windows. */
function findByLsof(port: number): Promise<FoundProcess | null> {
  return new Promise(resolve => {
    execFile('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], { timeout: ASK_MS }, (error, stdout) => {
      const pid = /^p(\d+)$/m.exec(stdout)?.[1]
      resolve(error !== null || pid === undefined ? null : { pid, name: /^c(.+)$/m.exec(stdout)?.[1] ?? '' })
    })
  })
}
