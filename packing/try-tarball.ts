/** Installs a tarball in an empty folder, starts the server, and requests the most important pages. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const START_MS = 60_000

interface Check {
  path: string
  init?: RequestInit
  expected: RegExp
}

const CHECKS: readonly Check[] = [
  { path: '/echo?hello=world', expected: /"hello"/ },
  { path: '/ui/', expected: /<title>/ },
  { path: '/docs', expected: /swagger/i },
  { path: '/openapi.json', expected: /"openapi"/ },
  {
    path: '/ai/openai/v1/chat/completions',
    init: {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"model":"svc-echo","messages":[{"role":"user","content":"Hi"}]}',
    },
    expected: /"chat\.completion"/,
  },
]

/**
 * Returns a line for each successful check; throws at the first failure. Runs `npm install`, which contacts the registry, and
 * a server on free ports of the loopback interface.
 */
export async function tryTarball(tarball: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-release-'))
  try {
    const npm = (...args: string[]): string =>
      execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
    npm('init', '--yes')
    npm('install', '--no-audit', '--no-fund', tarball)
    const svc = join(folder, 'node_modules', '.bin', 'svc')
    execFileSync(svc, ['check'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
    return ['npm install', 'svc check', ...(await tryServer(svc, folder))]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function tryServer(svc: string, folder: string): Promise<string[]> {
  const env = { ...process.env, SVC_HOST: '127.0.0.1', SVC_HTTP_PORT: '0', SVC_HTTPS_PORT: '0', SVC_GRPC_PORT: '0' }
  const server = spawn(svc, [], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(server, 'exit')
  try {
    const url = `http://127.0.0.1:${await portOf(server.stdout)}`
    const passed: string[] = []
    for (const { path, init, expected } of CHECKS) {
      const response = await fetch(url + path, init)
      const text = await response.text()
      if (!response.ok || !expected.test(text))
        throw new Error(`${path} responded with ${response.status}: ${text.slice(0, 200)}`)
      passed.push(path)
    }
    server.kill('SIGTERM')
    const [code] = (await exited) as [number | null]
    if (code !== 0) throw new Error(`expected exit code 0 after SIGTERM, got ${code}`)
    return [...passed, 'SIGTERM']
  } finally {
    server.kill('SIGKILL')
  }
}

async function portOf(output: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  const timeout = AbortSignal.timeout(START_MS)
  while (!timeout.aborted) {
    const port = /HTTP listening on \S+:(\d+)/.exec(text)?.[1]
    if (port !== undefined) return port
    const [chunk] = (await once(output, 'data', { signal: timeout })) as [Buffer]
    text += chunk.toString()
  }
  throw new Error(`no listening port in the output: ${text}`)
}
