/** Starting what is measured in a process of its own, pinned to one core where `taskset` exists. */
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { Load, LoadResult } from './load.ts'

const hasTaskset = spawnSync('taskset', ['-V']).status === 0
const tsx = import.meta.resolve('tsx')

function command(core: number, args: string[]): [string, string[]] {
  const node = [process.execPath, '--import', tsx, ...args]
  return hasTaskset ? ['taskset', ['-c', String(core), ...node]] : [node[0]!, node.slice(1)]
}

export interface Measured {
  port: number
  child: ChildProcess
  stop(): Promise<void>
}

/** Starts a server script on core 0 and waits for its `HTTP listening on` line. */
export async function startServer(script: string, args: string[] = [], env: Record<string, string> = {}): Promise<Measured> {
  const [program, programArgs] = command(0, [script, ...args])
  const child = spawn(program, programArgs, { env: { ...process.env, NODE_ENV: 'production', ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise<number>((resolve, reject) => {
    let text = ''
    let isFound = false
    child.on('exit', code => reject(new Error(`${script} ended with ${code}`)))
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
    port, child,
    stop: () => new Promise(resolve => {
      child.removeAllListeners('exit')
      child.on('exit', () => resolve())
      child.kill('SIGTERM')
    }),
  }
}

/** Sends a load from core 1. */
export function loadFrom(load: Load): Promise<LoadResult> {
  const [program, args] = command(1, [join(import.meta.dirname, 'load.ts'), JSON.stringify(load)])
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', chunk => { text += chunk })
    child.on('exit', code => (code === 0 ? resolve(JSON.parse(text) as LoadResult) : reject(new Error(`the load ended with ${code}`))))
  })
}
