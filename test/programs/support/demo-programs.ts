/** Gateways that can be started with the configuration of a demo. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface GatewayProgram {
  /** As in `gateways` of demos. */
  name: string
  title: string
  program: string
  version: string[]
  file: string
  arguments(file: string): string[]
}

/** Debian has it as a module; elsewhere it is part of nginx. */
const NGINX_STREAM = '/usr/lib/nginx/modules/ngx_stream_module.so'

export const GATEWAY_PROGRAMS: readonly GatewayProgram[] = [
  {
    name: 'nginx',
    title: 'nginx',
    program: 'nginx',
    version: ['-v'],
    file: 'nginx.conf',
    arguments: file => [
      '-c',
      file,
      '-g',
      `${existsSync(NGINX_STREAM) ? `load_module ${NGINX_STREAM}; ` : ''}daemon off; pid nginx.pid; error_log stderr;`,
      '-p',
      join(file, '..'),
    ],
  },
  {
    name: 'haproxy',
    title: 'HAProxy',
    program: 'haproxy',
    version: ['-v'],
    file: 'haproxy.cfg',
    arguments: file => ['-db', '-f', file],
  },
  {
    name: 'caddy',
    title: 'Caddy',
    program: 'caddy',
    version: ['version'],
    file: 'Caddyfile',
    arguments: file => ['run', '--adapter', 'caddyfile', '--config', file],
  },
  {
    name: 'envoy',
    title: 'Envoy',
    program: 'envoy',
    version: ['--version'],
    file: 'envoy.yaml',
    arguments: file => ['-c', file, '--log-level', 'error', '--disable-hot-restart', '--concurrency', '1'],
  },
  {
    name: 'oauth2-proxy',
    title: 'oauth2-proxy',
    program: 'oauth2-proxy',
    version: ['--version'],
    file: 'oauth2-proxy.yaml',
    arguments: file => [
      `--alpha-config=${file}`,
      '--cookie-secret=a-cookie-secret-of-this-gateway!',
      '--cookie-secure=false',
      '--email-domain=*',
      '--skip-provider-button',
    ],
  },
]

/** Null: it is not installed. */
export function versionOf({ program, version }: GatewayProgram): string | null {
  const { error, stdout, stderr } = spawnSync(program, version, { encoding: 'utf8' })
  return error === undefined ? (/(?<!go|[\d.])\d+\.\d+(?:\.\d+)?/.exec(`${stdout}${stderr}`)?.[0] ?? 'unknown') : null
}

export interface RunningGateway {
  stop(): Promise<void>
}

const PATIENCE_MS = 60_000

/**
 * Starts the program with a configuration that listens at the port. Rejects with what it printed if it does not. `files`: what the
 * configuration names, and where it is.
 */
export async function startGateway(
  gateway: GatewayProgram,
  configuration: string,
  port: number,
  files: Readonly<Record<string, string>> = {},
): Promise<RunningGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-demo-gateway-'))
  for (const [name, url] of Object.entries(files))
    writeFileSync(join(folder, name), await (await fetch(url)).text(), { mode: 0o644 })
  const file = join(folder, gateway.file)
  writeFileSync(file, configuration)
  const child = spawn(gateway.program, gateway.arguments(file), {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => {
      printed = `${printed}${bytes.toString()}`.slice(-2000)
    })
  const stop = async (): Promise<void> => {
    await ended(child)
    rmSync(folder, { recursive: true, force: true })
  }
  const until = performance.now() + PATIENCE_MS
  while (child.exitCode === null && performance.now() < until) {
    if (await listens(port)) return { stop }
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  await stop()
  throw new Error(`${gateway.title} does not listen: ${printed}`)
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
