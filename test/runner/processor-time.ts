/** Processor time of other processes. */
import { readFileSync } from 'node:fs'

/** Clock ticks in a second, as the kernel reports times in `/proc`. */
const TICKS = 100

/** Seconds of processor time of a process and its children that have ended; undefined where the system does not tell. */
export function processorSeconds(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // After the name in parentheses: utime, stime, cutime and cstime are the fields 14 to 17 (proc(5)).
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0) / TICKS
  } catch {
    return undefined
  }
}
