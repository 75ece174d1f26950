/** `svc health`: whether an instance is ready, for health checks of containers and for scripts. */
import type { Command } from '../contract/plugin.ts'
import { UsageError, readArguments } from './arguments.ts'
import { findInstance, instanceUrl, readiness } from './running-instance.ts'
import type { Terminal } from './terminal.ts'

const DEFAULT_SECS = 3
const MAX_SECS = 600

export function healthCommand({ out, err, environment }: Terminal): Command {
  return {
    name: 'health',
    summary: 'check that an instance is ready',
    group: 'run',
    usage: `usage: svc health [--url <url>] [--timeout <seconds>]

Requests /_svc/ready, without credentials, and prints "ready".

  --url <url>           the instance; default: port SVC_HTTP_PORT of this machine, else the first of 80 and 8080 to 8089
                        where an svc is running
  --timeout <seconds>   time for the response (default: ${DEFAULT_SECS})

Exit codes: 0 ready, 1 not ready (the reason is on standard error), 2 invalid command line.
`,
    async run(args) {
      const { options } = readArguments(args, { url: { value: 'URL' }, timeout: { value: 'number of seconds' } })
      const timeoutMs = 1000 * secondsOf(String(options.timeout ?? DEFAULT_SECS))
      const url = options.url === undefined ? await findInstance(environment) : instanceUrl(String(options.url))
      const state = typeof url === 'string' ? await readiness(url, timeoutMs) : url
      if (state === 'ready') {
        out.write('ready\n')
        return { exitCode: 0 }
      }
      err.write(`${state.reason}\n`)
      return { exitCode: 1 }
    },
  }
}

function secondsOf(text: string): number {
  const seconds = /^\d{1,6}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0
  if (seconds > 0 && seconds <= MAX_SECS) return seconds
  throw new UsageError(`--timeout needs a number of seconds above 0, at most ${MAX_SECS}, not ${text.slice(0, 100)}`)
}
