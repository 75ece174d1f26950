/** A store for quotas: a real `redis-server` if it is on the PATH, otherwise a small RESP2 server. */
import { spawn, spawnSync } from 'node:child_process'
import { createServer, type Server, type Socket } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from './until.ts'
import { freePort } from './free-ports.ts'

interface Test {
  teardown(callback: () => unknown): unknown
}

export interface TestStore {
  kind: 'redis-server' | 'resp'
  url: string
  /** Closes every connection and rejects new ones, but keeps the counts. */
  kill(): Promise<void>
  /** Restarts without the data. */
  lose(): Promise<void>
  start(): Promise<void>
}

export async function startStore(
  t: Test,
  kind: TestStore['kind'] = spawnSync('redis-server', ['--version']).status === 0 ? 'redis-server' : 'resp',
): Promise<TestStore> {
  const store = kind === 'redis-server' ? await startRedis(t) : await startResp(t)
  await store.start()
  return store
}

/** Every write is passed to the operating system before the response, so that killing the process loses nothing. */
async function startRedis(t: Test): Promise<TestStore> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'svc-redis-'))
  let child: ReturnType<typeof spawn> | null = null
  const kill = async (): Promise<void> => {
    if (child === null || child.exitCode !== null) return
    const exited = new Promise(resolve => child!.once('exit', resolve))
    child.kill('SIGKILL')
    await exited
  }
  t.teardown(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    kind: 'redis-server',
    url: `redis://127.0.0.1:${port}`,
    kill,
    async lose() {
      await kill()
      rmSync(join(folder, 'appendonlydir'), { recursive: true, force: true })
    },
    async start() {
      let output = ''
      child = spawn(
        'redis-server',
        [
          '--port',
          String(port),
          '--bind',
          '127.0.0.1',
          '--dir',
          folder,
          '--save',
          '',
          '--appendonly',
          'yes',
          '--appendfsync',
          'no',
        ],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      )
      child.stdout!.on('data', chunk => {
        output += String(chunk)
      })
      await until(() => output.includes('Ready to accept connections'), 'redis-server')
    },
  }
}

export interface RespStore extends TestStore {
  kind: 'resp'
  /** Names of received commands, in order. */
  commands: string[]
  values: Map<string, number>
  /** Seconds since 1970. */
  expiries: Map<string, number>
  /** Commands are accepted but get no response. */
  isStuck: boolean
}

/** Supports only the commands of the quota store and of the client's handshake. */
export async function startResp(t: Test): Promise<RespStore> {
  const port = await freePort()
  const sockets = new Set<Socket>()
  let server: Server | null = null
  const store: RespStore = {
    kind: 'resp',
    url: `redis://127.0.0.1:${port}`,
    commands: [],
    values: new Map(),
    expiries: new Map(),
    isStuck: false,
    async kill() {
      const stopped = new Promise(resolve => (server === null ? resolve(null) : server.close(resolve)))
      for (const socket of sockets) socket.destroy()
      await stopped
      server = null
    },
    async lose() {
      await store.kill()
      store.values.clear()
    },
    async start() {
      server = createServer(socket => serve(socket)).listen(port, '127.0.0.1')
      await until(() => server!.listening)
    },
  }
  function serve(socket: Socket): void {
    sockets.add(socket)
    let text = ''
    let queued: string[][] | null = null
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
      for (let command = takeCommand(); command !== null; command = takeCommand()) {
        const name = command[0]!.toUpperCase()
        store.commands.push(name)
        if (store.isStuck) continue
        if (name === 'MULTI') {
          queued = []
          socket.write('+OK\r\n')
        } else if (name === 'EXEC') {
          socket.write(`*${queued!.length}\r\n${queued!.map(run).join('')}`)
          queued = null
        } else if (queued !== null) {
          queued.push(command)
          socket.write('+QUEUED\r\n')
        } else socket.write(run(command))
      }
    })
    function takeCommand(): string[] | null {
      const count = /^\*(\d+)\r\n/.exec(text)
      if (count === null) return null
      let at = count[0].length
      const words: string[] = []
      for (let index = 0; index < Number(count[1]); index++) {
        const length = /^\$(\d+)\r\n/.exec(text.slice(at, at + 16))
        if (length === null) return null
        at += length[0].length
        if (text.length < at + Number(length[1]) + 2) return null
        words.push(text.slice(at, at + Number(length[1])))
        at += Number(length[1]) + 2
      }
      text = text.slice(at)
      return words
    }
  }
  function run([name, ...words]: string[]): string {
    const [key = '', value = ''] = words
    const add = (by: number): string => {
      store.values.set(key, (store.values.get(key) ?? 0) + by)
      return `:${store.values.get(key)}\r\n`
    }
    switch (name!.toUpperCase()) {
      case 'INCR':
        return add(1)
      case 'DECR':
        return add(-1)
      case 'INCRBY':
        return add(Number(value))
      case 'EXPIREAT':
        store.expiries.set(key, Number(value))
        return ':1\r\n'
      case 'MGET':
        return `*${words.length}\r\n${words.map(printValue).join('')}`
      case 'PING':
        return '+PONG\r\n'
      case 'CLIENT':
      case 'SELECT':
      case 'AUTH':
        return '+OK\r\n'
      default:
        return '-ERR unknown command\r\n'
    }
  }
  function printValue(key: string): string {
    const value = store.values.get(key)
    return value === undefined ? '$-1\r\n' : `$${String(value).length}\r\n${value}\r\n`
  }
  t.teardown(() => store.kill())
  return store
}
