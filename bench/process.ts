/** Starts servers in their own processes, pinned to one core if `taskset` is available. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { cpus } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'

const hasTaskset = spawnSync('taskset', ['-V']).status === 0
const tsx = import.meta.resolve('tsx')

export const CORES = cpus().length
const SERVERS_CORE = '0'
/** Said expressly, since this process is on one core (`leaveServersCore`) and its children would be, too. */
const ALL_CORES = `0-${CORES - 1}`

/** Program and arguments that run a command on some cores. */
function pinned([program, ...args]: string[], cores = SERVERS_CORE): [string, string[]] {
  return hasTaskset ? ['taskset', ['-c', cores, program!, ...args]] : [program!, args]
}

/** Moves this process, which sends the load and reads the servers' output, to the other core. */
export function leaveServersCore(): void {
  if (hasTaskset) spawnSync('taskset', ['-acp', '1', String(process.pid)])
}

export interface Measured {
  port: number
  child: ChildProcess
  stop(): Promise<void>
}

/** Starts a server script (Node flags may come first) on core 0 and waits for its `HTTP listening on` line. */
export function startServer(args: string[], env: Record<string, string> = {}): Promise<Measured> {
  return startCommand([process.execPath, '--import', tsx, ...args], env)
}

/** As `startServer`, for a command; with `isPinned` false, on all cores. */
export async function startCommand(
  command: string[],
  env: Record<string, string> = {},
  isPinned = true,
): Promise<Measured> {
  const [program, args] = pinned(command, isPinned ? SERVERS_CORE : ALL_CORES)
  const child = spawn(program, args, {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await new Promise<number>((resolve, reject) => {
    let text = ''
    let isFound = false
    child.on('exit', code => reject(new Error(`${command.join(' ')} ended with ${code}`)))
    child.stdout.on('data', chunk => {
      if (isFound) return
      text += chunk
      const match = /HTTP listening on .*:(\d+)/.exec(text)
      if (match) {
        isFound = true
        resolve(Number(match[1]))
      }
    })
  })
  return {
    port,
    child,
    stop: () => end(child),
  }
}

export interface Program {
  command: string[]
  port: number
  /** A path that responds when it is ready, with any status below 500. */
  path: string
  env?: Record<string, string>
  cwd?: string
  /** On core 0 alone. */
  isPinned: boolean
}

const START_MS = 60_000
const POLL_MS = 5

/** Starts a program and waits until it responds. */
export async function startProgram({ command, port, path, env, cwd, isPinned }: Program): Promise<Measured> {
  const [program, args] = pinned(command, isPinned ? SERVERS_CORE : ALL_CORES)
  const child = spawn(program, args, { env: { ...process.env, ...env }, cwd, stdio: 'ignore' })
  const server = { port, child, stop: () => end(child) }
  const deadline = performance.now() + START_MS
  while (!(await answers(port, path))) {
    if (performance.now() < deadline && child.exitCode === null) {
      await wait(POLL_MS)
      continue
    }
    const why = child.exitCode === null ? `no response within ${START_MS / 1000} s` : `exit code ${child.exitCode}`
    await server.stop()
    throw new Error(why)
  }
  return server
}

function answers(port: number, path: string): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}${path}`).then(
    ({ status }) => status < 500,
    () => false,
  )
}

function end(child: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    child.removeAllListeners('exit')
    if (child.exitCode !== null) return resolve()
    child.on('exit', () => resolve())
    child.kill('SIGTERM')
  })
}
