/** Creates what a command gets besides its arguments. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommandContext } from '../contract/command.ts'
import { forPlugin, type ExtensionPoints, type PersonalPoint, type Plugin } from '../contract/plugin.ts'
import { findConfigFile, readSvcYaml } from '../config/svc-yaml.ts'
import { prebuilt } from '../host/packed.ts'
import { BUILTIN_FOLDER, PRODUCT_FOLDER, VERSION } from '../product.ts'
import { readGitSha } from '../server/instance.ts'
import type { FoundCommand } from './commands.ts'
import { inspect } from './inspection.ts'
import { findDefinitions, type FoundDefinition } from './plugin-definitions.ts'
import type { Terminal } from './terminal.ts'

const SOURCE = /\.(?:[cm]?[jt]s)$/

export async function commandContext({ plugin, section }: FoundCommand, terminal: Terminal): Promise<CommandContext> {
  const { out, err, environment, workingDirectory, bundler } = terminal
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
        // Another owner would not keep the first one from stopping esbuild in the middle of a build, which then never ends.
        bundler,
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
  const isOwn = plugin === owner
  const definitions = await findDefinitions(terminal, undefined, text => text.includes(owner))
  const known = definitions.find(({ name }) => name === plugin)?.definition
  if (!isOwn && !namesOf(known).includes(owner))
    throw new Error(
      `"${String(point)}" belongs to ${owner}, which the plugin of the command must list in buildsOn or uses`,
    )
  // Only what mentions a point can extend it: most plugins that build on the owner use something else of it.
  const users = definitions.filter(({ definition }) => namesOf(definition).includes(owner))
  const extending = isOwn ? await mentioning(users, String(point)) : []
  if (isOwn && extending.length === 0) return undefined
  return inspect(terminal, undefined, ({ host: { result } }) => {
    for (const { name } of extending) {
      const reason = result.failures.get(name)
      if (reason !== undefined) terminal.err.write(`the plugin ${name} failed: ${reason}\n`)
    }
    const value = result.context.extensions.get(point) as PersonalPoint<ExtensionPoints[K]> | undefined
    return value?.[forPlugin]?.(plugin!) ?? (value as ExtensionPoints[K] | undefined)
  })
}

function namesOf(definition: Plugin | undefined): readonly string[] {
  return [...(definition?.buildsOn ?? []), ...(definition?.uses ?? [])]
}

/** Those whose code contains the name of the point. */
async function mentioning(found: readonly FoundDefinition[], point: string): Promise<FoundDefinition[]> {
  const all = await Promise.all(found.map(async one => ((await mentions(one, point)) ? one : null)))
  return all.filter(one => one !== null)
}

/** The npm package has a script instead of the sources of a built-in plugin. */
async function mentions({ name, folder }: FoundDefinition, point: string): Promise<boolean> {
  const packed = folder === join(BUILTIN_FOLDER, name) ? prebuilt?.plugin(name) : undefined
  return packed?.code.includes(point) ?? isMentioned(folder, point)
}

async function isMentioned(folder: string, text: string): Promise<boolean> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules' && (await isMentioned(path, text))) return true
    } else if (SOURCE.test(entry.name) && (await readFile(path, 'utf8')).includes(text)) return true
  }
  return false
}
