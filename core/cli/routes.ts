/** `svc routes`: lists the routes that the server would serve. */
import type { Catalog, Command } from '../contract/plugin.ts'
import { readArguments } from './arguments.ts'
import type { RouteRecord } from '../http/routes/route-record.ts'
import { inspect } from './inspection.ts'
import { findDefinitions } from './plugin-definitions.ts'
import { painter, plural, table, type Terminal } from './terminal.ts'

export function routesCommand(terminal: Terminal): Command {
  return {
    name: 'routes',
    summary: 'list the routes of all enabled plugins',
    group: 'configure',
    usage: `usage: svc routes [<text>] [--config <file>] [--json]

Lists the routes of all enabled plugins by category. With <text>, only routes whose path, plugin, category or summary
contains it.

  --config <file>   use this svc.yaml
  --json            print the endpoints in the format of GET /_svc/catalog
`,
    complete: async () => ({ '': ['core', ...(await findDefinitions(terminal)).map(({ name }) => name)] }),
    async run(args) {
      const { options, words } = readArguments(args, { config: { value: 'file' }, json: {} }, { min: 0, max: 1 })
      const all = await inspect(terminal, options.config as string | undefined, ({ instance, host }) => [
        ...instance.catalog().endpoints,
        ...undescribed(host.current().routes.list),
      ])
      const endpoints = all.filter(endpoint => contains(endpoint, words[0] ?? ''))
      terminal.out.write(options.json ? `${JSON.stringify(endpoints, null, 2)}\n` : print(endpoints, terminal))
      return { exitCode: 0 }
    },
  }
}

/** Routes without a description are served, but neither in the catalog nor in the OpenAPI document. */
function undescribed(routes: readonly RouteRecord[]): Endpoint[] {
  return routes
    .filter(({ plugin, descriptions }) => plugin !== null && descriptions.every(({ ofHost }) => ofHost))
    .map(({ plugin, methods, path }) => ({
      path,
      methods: methods.length > 1 ? methods.filter(method => method !== 'HEAD') : methods,
      expanded_methods: methods,
      category: 'Not described',
      summary: 'not in the catalog: its route has no description',
      description: '',
      protocol: 'http' as const,
      endless: false,
      plugin,
      examples: [],
    }))
    .filter(
      ({ methods }, index, list) =>
        methods.join() !== 'HEAD' || !list.some(one => one.path === list[index]!.path && one.methods.includes('GET')),
    )
}

type Endpoint = Catalog['endpoints'][number]

function contains({ path, plugin, category, summary }: Endpoint, text: string): boolean {
  return [path, plugin ?? 'core', category, summary].some(part => part.toLowerCase().includes(text.toLowerCase()))
}

function print(endpoints: readonly Endpoint[], { out }: Terminal): string {
  const paint = painter(out)
  const categories = [...new Set(endpoints.map(({ category }) => category))]
  const parts = categories.map(category => {
    const rows = endpoints
      .filter(endpoint => endpoint.category === category)
      .map(endpoint => [methodOf(endpoint), endpoint.path, endpoint.plugin ?? 'core', endpoint.summary])
    return `${paint('bold', category)}\n${table(rows, (cell, column) => (column === 0 ? paint('cyan', `  ${cell}`) : column === 2 ? paint('dim', cell) : cell))}\n`
  })
  return `${parts.join('')}${plural(endpoints.length, 'route')}\n`
}

function methodOf({ protocol, methods }: Endpoint): string {
  if (protocol === 'websocket') return 'WS'
  return `${methods.join(',')}${protocol === 'sse' ? ' (SSE)' : ''}`
}
