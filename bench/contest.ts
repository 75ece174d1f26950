/**
 * Measures several servers side by side: all run at once on the same core and get the load in turns, slice by slice, so
 * that a slow moment of the machine affects all of them. Rates are those of the best slice. Ratios compare the processor
 * time of all slices, since other work on the machine hardly changes it.
 */
import { readFileSync } from 'node:fs'
import type { LoadResult } from './load.ts'
import type { Measured } from './process.ts'

export interface Contender {
  name: string
  server: Measured
  /** Sends the load for the given number of seconds. */
  load(seconds: number): Promise<LoadResult>
}

export interface Figures {
  /** Requests per second in the best slice, and its 99th percentile of latency in milliseconds. */
  rate: number
  p99: number
  /** Microseconds of processor time per request. */
  cpu: number
}

export interface ContestOptions {
  slices: number
  /** Duration of one slice; the warm-up takes six times as long. */
  seconds: number
}

export async function contest(
  contenders: readonly Contender[],
  { slices, seconds }: ContestOptions,
): Promise<Map<string, Figures>> {
  const sums = new Map(contenders.map(({ name }) => [name, { rate: 0, p99: Infinity, cpuMs: 0, requests: 0 }]))
  for (const { load } of contenders) await load(6 * seconds)
  for (let slice = 0; slice < slices; slice++) {
    for (const { name, server, load } of contenders) {
      const sum = sums.get(name)!
      const before = cpuMs(server)
      const { requestsPerSecond: rate, p99 } = await load(seconds)
      sum.cpuMs += cpuMs(server) - before
      sum.requests += rate * seconds
      if (rate > sum.rate) Object.assign(sum, { rate, p99 })
    }
  }
  return new Map(
    [...sums].map(([name, { rate, p99, cpuMs: ms, requests }]) => [name, { rate, p99, cpu: (ms * 1000) / requests }]),
  )
}

/** Milliseconds of processor time that a server has used so far; NaN if the system doesn't report it. */
export function cpuMs({ child }: Measured): number {
  try {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    // Linux counts in hundredths of a second on every platform that Node runs on.
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return Number.NaN
  }
}

/** Resident memory of a server in bytes; NaN if the system doesn't report it. */
export function residentBytes({ child }: Measured): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024
  } catch {
    return Number.NaN
  }
}
