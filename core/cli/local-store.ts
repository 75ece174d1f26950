/** `SVC_STATE_STORE=local`: a server of this machine that ends with svc and keeps nothing on disk. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const PROGRAMS = ['valkey-server', 'redis-server']
const START_MS = 5_000
const POLL_MS = 20

export interface LocalStore {
  url: string
  stop(): void
}

/** Null if no server is on the `PATH`. */
export async function startLocalStore(environment: NodeJS.ProcessEnv): Promise<LocalStore | null> {
  for (const program of PROGRAMS) {
    const started = await start(program, environment)
    if (started !== null) return started
  }
  return null
}

async function start(program: string, environment: NodeJS.ProcessEnv): Promise<LocalStore | null> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-state-'))
  const socket = join(folder, 'store.sock')
  const options = ['--port', '0', '--unixsocket', socket, '--unixsocketperm', '700', '--dir', folder, '--save', '']
  // A signal for the terminal's process group is for svc, which ends the store last.
  const child = spawn(program, [...options, '--appendonly', 'no'], {
    env: environment,
    stdio: 'ignore',
    detached: true,
  })
  const stop = (): void => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  process.on('exit', stop)
  if (await isListening(child, socket)) return { url: pathToFileURL(socket).href.replace(/^file:/, 'unix:'), stop }
  process.off('exit', stop)
  stop()
  return null
}

async function isListening(child: ChildProcess, socket: string): Promise<boolean> {
  let isGone = false
  child.on('error', () => {
    isGone = true
  })
  child.on('exit', () => {
    isGone = true
  })
  for (const endsAt = performance.now() + START_MS; performance.now() < endsAt && !isGone; ) {
    if (await canConnect(socket)) return true
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
  return false
}

function canConnect(path: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(path)
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
