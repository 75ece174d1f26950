/** `svc plugins`: lists all plugins with their states. */
import type { Command, PluginRecord } from '../contract/plugin.ts'
import { readArguments } from './arguments.ts'
import { inspect } from './inspection.ts'
import { painter, table, type Color, type Terminal } from './terminal.ts'

const STATE_COLORS: Record<PluginRecord['state'], Color> = { enabled: 'green', disabled: 'dim', failed: 'red' }

export function pluginsCommand(terminal: Terminal): Command {
  return {
    name: 'plugins',
    summary: 'list the plugins and their states',
    group: 'configure',
    usage: `usage: svc plugins [--config <file>] [--json]

Lists all plugins that the server would find at start: name, state, version, source, and the paths a plugin serves or
the reason why it is disabled.

  --config <file>   use this svc.yaml
  --json            print the list as JSON
`,
    async run(args) {
      const { options } = readArguments(args, { config: { value: 'file' }, json: {} })
      const records = await inspect(terminal, options.config as string | undefined, ({ host }) => host.records())
      terminal.out.write(options.json ? `${JSON.stringify(records.map(facts), null, 2)}\n` : list(records, terminal))
      return { exitCode: 0 }
    },
  }
}

/** A record without options. */
function facts({
  name,
  title,
  version,
  description,
  source,
  path,
  state,
  disabled_by: by,
  routes,
  paths,
  error,
}: PluginRecord): object {
  return { name, title, version, description, source, path, state, disabled_by: by, routes, paths, error }
}

function list(records: readonly PluginRecord[], { out }: Terminal): string {
  const paint = painter(out)
  const rows = records.map(record => [record.name, record.state, record.version, record.source, remark(record)])
  const counts = (['enabled', 'disabled', 'failed'] as const).map(
    state => `${records.filter(record => record.state === state).length} ${state}`,
  )
  const text = table([['PLUGIN', 'STATE', 'VERSION', 'SOURCE', 'SERVES'], ...rows], (cell, column, row) => {
    if (row === 0) return paint('bold', cell)
    return column === 1 ? paint(STATE_COLORS[records[row - 1]!.state], cell) : cell
  })
  return `${text}\n${counts.join(', ')}\n`
}

function remark({ state, disabled_by: by, error, paths }: PluginRecord): string {
  if (state === 'disabled') return `disabled by ${by}`
  if (state === 'failed') return `${error?.phase}: ${error?.message}`
  return paths.join(' ')
}
