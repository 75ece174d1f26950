/** `svc doctor`: whether svc can run here, and what to do if not. */
import type { Command } from '../contract/plugin.ts'
import { readArguments } from './arguments.ts'
import type { Check } from './doctor-check.ts'
import { painter, plural, type Color, type Terminal } from './terminal.ts'

const COLORS: Record<Check['status'], Color> = { ok: 'green', warn: 'yellow', fail: 'red' }

export function doctorCommand(terminal: Terminal): Command {
  return {
    name: 'doctor',
    summary: 'check the machine, the ports and the configuration',
    group: 'configure',
    usage: `usage: svc doctor [--json]

Prints a line for each check, and a remedy where one is needed: version of Node, configuration, ports, certificates,
data folder, limit of open files, state store, optional programs, and a running instance. It starts no server and changes
nothing. "svc check" has the details of the configuration.

  --json   print the checks as JSON

Exit codes: 0 nothing failed (there may be warnings), 1 something failed, 2 invalid command line.
`,
    async run(args) {
      const { options } = readArguments(args, { json: {} })
      const { runChecks } = await import('./doctor-checks.ts')
      const checks = await runChecks(terminal)
      const isSound = checks.every(({ status }) => status !== 'fail')
      terminal.out.write(
        options.json ? `${JSON.stringify({ ok: isSound, checks }, null, 2)}\n` : asText(checks, terminal),
      )
      return { exitCode: isSound ? 0 : 1 }
    },
  }
}

function asText(checks: readonly Check[], { out }: Terminal): string {
  const paint = painter(out)
  const lines = checks.map(
    ({ status, message, remedy }) =>
      `${paint(COLORS[status], status.padEnd(4))}  ${message}\n${remedy === null ? '' : `      ${paint('cyan', remedy)}\n`}`,
  )
  const count = (status: Check['status']): number => checks.filter(check => check.status === status).length
  return `${lines.join('')}\n${plural(count('fail'), 'failure')}, ${plural(count('warn'), 'warning')}\n`
}
