/** Creates what a command gets besides its arguments. */
import type { CommandContext } from '../contract/command.ts'
import { forPlugin, type ExtensionPoints, type PersonalPoint, type Plugin } from '../contract/plugin.ts'
import { findConfigFile, readSvcYaml } from '../config/svc-yaml.ts'
import { PRODUCT_FOLDER, VERSION } from '../product.ts'
import { readGitSha } from '../server/instance.ts'
import type { FoundCommand } from './commands.ts'
import { inspect } from './inspection.ts'
import { findDefinitions } from './plugin-definitions.ts'
import type { Terminal } from './terminal.ts'

export async function commandContext({ plugin, section }: FoundCommand, terminal: Terminal): Promise<CommandContext> {
  const { out, err, environment, workingDirectory } = terminal
  return {
    out,
    err,
    environment,
    workingDirectory,
    version: VERSION,
    gitSha: environment.SVC_GIT_SHA ?? (await readGitSha(PRODUCT_FOLDER)),
    section: sectionOf(section, terminal),
    use: point => usedPoint(point, { plugin, terminal }),
    async startServer({ environment: overrides, options } = {}) {
      const { startServer } = await import('../server/server.ts')
      const server = await startServer({
        workingDirectory,
        environment: { ...environment, ...overrides },
        extraOptions: plugin !== null && options !== undefined ? { plugin, options } : undefined,
        logStream: { write: () => {} },
      })
      return { ports: { ...server.ports }, stop: () => server.stop() }
    },
  }
}

/** Key of the section that belongs to a plugin. */
export function sectionNameOf(name: string, { section }: Plugin): string {
  return section ?? name
}

/** A file that can't be read is reported by the server and by `svc check`, not here. */
function sectionOf(name: string | null, { environment, workingDirectory }: Terminal): unknown {
  if (name === null) return undefined
  const file = findConfigFile({ variable: environment.SVC_CONFIG_FILE, cwd: workingDirectory })
  const read = readSvcYaml(file, { publicMode: false })
  return read.ok ? read.document.sections[name] : undefined
}

async function usedPoint<K extends keyof ExtensionPoints>(
  point: K,
  { plugin, terminal }: { plugin: string | null; terminal: Terminal },
): Promise<ExtensionPoints[K] | undefined> {
  const owner = String(point).split('.', 1)[0]!
  if (plugin !== owner) throw new Error(`"${String(point)}" belongs to ${owner}, so only its command can use it`)
  const users = (await findDefinitions(terminal, undefined, text => text.includes(owner))).filter(({ definition }) =>
    [...(definition.buildsOn ?? []), ...(definition.uses ?? [])].includes(owner),
  )
  if (users.length === 0) return undefined
  return inspect(terminal, undefined, ({ host: { result } }) => {
    for (const { name } of users) {
      const reason = result.failures.get(name)
      if (reason !== undefined) terminal.err.write(`the plugin ${name} failed: ${reason}\n`)
    }
    const value = result.context.extensions.get(point) as PersonalPoint<ExtensionPoints[K]> | undefined
    return value?.[forPlugin]?.(owner) ?? (value as ExtensionPoints[K] | undefined)
  })
}
