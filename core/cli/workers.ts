/** `SVC_WORKERS`: several processes behind one set of ports, started and ended by this one. */
import cluster, { type Worker } from 'node:cluster'
import { answerMetrics } from '../metrics/worker-metrics.ts'
import type { Terminal } from './terminal.ts'

/** A worker that ends on its own is replaced after this time, in milliseconds. */
const RESTART_MS = 1_000
/** One that ends before it has served waits twice as long each time, because it would only use processor time. */
const LONGEST_RESTART_MS = 30_000

export interface WorkersOptions {
  count: number
  /** Workers get this id with `-<number>`. */
  instanceId: string
  /** Variables for the workers, in addition to those of this process. */
  environment: NodeJS.ProcessEnv
}

/** Runs until a signal ends all workers; then the process exits. */
export function runWorkers({ count, instanceId, environment }: WorkersOptions, { err }: Terminal): void {
  let isStopping = false
  let hasServed = false
  const numbers = new Map<number, number>()
  const serving = new Set<number>()
  /** By number of the worker. */
  const pauses = new Map<number, number>()
  const workers = (): Worker[] => Object.values(cluster.workers ?? {}).filter(worker => worker !== undefined)
  const fork = (number: number): void => {
    const worker = cluster.fork({ ...environment, SVC_INSTANCE_ID: `${instanceId}-${number}` })
    numbers.set(worker.id, number)
  }
  const signal = (name: NodeJS.Signals): void => {
    for (const worker of workers()) worker.process.kill(name)
  }
  const stop = (name: NodeJS.Signals): void => {
    isStopping = true
    signal(name)
    if (workers().length === 0) process.exit(0)
  }
  process.on('SIGTERM', () => stop('SIGTERM')).on('SIGINT', () => stop('SIGINT'))
  process.on('SIGHUP', () => signal('SIGHUP'))
  cluster.on('listening', ({ id }) => {
    hasServed = true
    serving.add(id)
  })
  cluster.on('exit', (worker, code, killedBy) => {
    const number = numbers.get(worker.id)!
    numbers.delete(worker.id)
    const pause = serving.delete(worker.id) ? RESTART_MS : (pauses.get(number) ?? RESTART_MS)
    pauses.set(number, Math.min(2 * pause, LONGEST_RESTART_MS))
    if (isStopping) {
      if (workers().length === 0) process.exit(0)
      return
    }
    // The first workers could not start, so others can't either; they have reported why.
    if (!hasServed && code !== 0) {
      isStopping = true
      process.exitCode = 1
      for (const one of workers()) one.process.kill('SIGKILL')
      process.exit(1)
    }
    err.write(`worker ${number} ended (${killedBy ?? `exit code ${code}`}) and is started again in ${pause / 1000} s\n`)
    setTimeout(() => {
      if (!isStopping) fork(number)
    }, pause)
  })
  answerMetrics(workers)
  for (let number = 1; number <= count; number++) fork(number)
}
