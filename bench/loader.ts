/** The sender of loads: one process on the other core that lives as long as the run, so that its code is warm too. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { sendGrpcLoad } from './grpc-load.ts'
import type { GrpcLoad } from './grpc-load.ts'
import { sendLoad } from './load.ts'
import type { Load, LoadResult } from './load.ts'
import { command } from './process.ts'
import { sendStreams } from './stream-load.ts'
import type { StreamLoad, StreamResult } from './stream-load.ts'

type Order = { http: Load } | { grpc: GrpcLoad } | { streams: StreamLoad }
type Outcome = { result: unknown } | { error: string }

export class Loader {
  readonly #child: ChildProcess
  readonly #waiting: ((outcome: Outcome) => void)[] = []

  constructor() {
    const [program, args] = command(1, [join(import.meta.dirname, 'loader.ts')])
    this.#child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    createInterface({ input: this.#child.stdout! }).on('line', line => this.#waiting.shift()?.(JSON.parse(line) as Outcome))
    this.#child.on('exit', () => { for (const settle of this.#waiting.splice(0)) settle({ error: 'the sender of loads ended' }) })
  }

  http(load: Load): Promise<LoadResult> {
    return this.#send({ http: load }) as Promise<LoadResult>
  }

  grpc(load: GrpcLoad): Promise<LoadResult> {
    return this.#send({ grpc: load }) as Promise<LoadResult>
  }

  streams(load: StreamLoad): Promise<StreamResult> {
    return this.#send({ streams: load }) as Promise<StreamResult>
  }

  close(): void {
    this.#child.stdin!.end()
  }

  #send(order: Order): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(outcome => ('error' in outcome ? reject(new Error(outcome.error)) : resolve(outcome.result)))
      this.#child.stdin!.write(`${JSON.stringify(order)}\n`)
    })
  }
}

async function obey(order: Order): Promise<Outcome> {
  try {
    return { result: await ('http' in order ? sendLoad(order.http) : 'grpc' in order ? sendGrpcLoad(order.grpc) : sendStreams(order.streams)) }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

if (process.argv[1] === import.meta.filename) {
  for await (const line of createInterface({ input: process.stdin })) process.stdout.write(`${JSON.stringify(await obey(JSON.parse(line) as Order))}\n`)
}
