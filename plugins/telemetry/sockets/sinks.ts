/** Syslog and StatsD, on ports of their own. Never on a public instance. */
import type { Svc } from 'svc/plugin'
import type { TelemetryOptions } from '../options.ts'
import { Rejected } from '../records/intake.ts'
import { type Sinks } from '../sinks.ts'
import { reportsOf, STATSD, type StatsdReport } from '../statsd/line.ts'
import { logOfMessage, SYSLOG } from '../syslog/message.ts'
import { Batch } from './batch.ts'
import { MAX_MESSAGE_BYTES } from './framing.ts'
import { openPorts } from './ports.ts'

const TOO_LONG = `a message has more than ${MAX_MESSAGE_BYTES} bytes`

export function openSocketSinks(svc: Svc<TelemetryOptions>, { reports, renamed }: Sinks): void {
  const { syslog, statsd } = svc.options
  if (svc.config.publicMode) return
  const reject = (message: string) => (): never => {
    throw new Rejected(message)
  }
  if (syslog !== undefined) {
    const logs = new Batch(svc, reports, 'logs', SYSLOG)
    openPorts(svc, syslog, {
      name: 'syslog',
      countsOctets: true,
      message: bytes => logs.add(() => logOfMessage(bytes, renamed)),
      tooLong: () => logs.add(reject(TOO_LONG)),
    })
  }
  if (statsd !== undefined) {
    const metrics = new Batch(svc, reports, 'metrics', STATSD)
    const logs = new Batch(svc, reports, 'logs', STATSD)
    const keep = (line: string): void => {
      let read: StatsdReport[]
      try {
        read = reportsOf(line)
      } catch (error) {
        if (!(error instanceof Rejected)) throw error
        return metrics.add(reject(error.message))
      }
      for (const one of read) {
        if (one.kind === 'metrics') metrics.add(() => one.report)
        else logs.add(() => one.report)
      }
    }
    openPorts(svc, statsd, {
      name: 'statsd',
      countsOctets: false,
      message: bytes => {
        for (const line of bytes.toString().split('\n')) if (line.trim() !== '') keep(line.trim())
      },
      tooLong: () => metrics.add(reject(TOO_LONG)),
    })
  }
}
