/** Finds all problems in a configuration and its plugins, with their place and remedy. */
import { existsSync } from 'node:fs'
import { delimiter } from 'node:path'
import { hiddenFindings } from './hidden-findings.ts'
import { pluginsIn } from '../host/discovery.ts'
import type { Host } from '../host/host.ts'
import type { LoadError, PluginRecord } from '../contract/plugin.ts'
import type { Services } from '../server/services.ts'

export interface Finding extends LoadError {
  severity: 'error' | 'warning'
}

/** Returns all findings, including those that other mistakes hide. `warnings` are those about environment variables. */
export async function findProblems({ host }: Services, warnings: readonly string[]): Promise<Finding[]> {
  const advice = host.advice.map(item => ({ severity: 'warning' as const, ...item }))
  const findings = [...(await currentFindings(host, warnings)), ...advice]
  const hidden = await hiddenFindings(host, findings, () => currentFindings(host, warnings))
  return [...findings, ...hidden].sort(byPlace)
}

async function currentFindings(host: Host, warnings: readonly string[]): Promise<Finding[]> {
  const { loadErrors } = host
  return [
    ...loadErrors.map(error => ({ severity: 'error' as const, ...error })),
    ...(await emptyFolders(host)),
    ...host.directories
      .slice(host.settings.plugins.dirs.length)
      .filter(folder => !existsSync(folder))
      .map(folder =>
        ofEnvironment(
          `SVC_PLUGINS_DIR: the folder ${folder} does not exist`,
          `create it, or correct the variable (folders are separated by "${delimiter}")`,
        ),
      ),
    ...host
      .records()
      .filter(({ name, state, stale }) => (state === 'failed' || stale) && !host.hasInvalidOptions(name))
      .flatMap(record => ofPlugin(record, host)),
    ...warnings.map(message => ofEnvironment(message, 'correct the variable, or unset it')),
  ]
}

/** Sorts findings by file and position; those without a line come last. */
function byPlace(one: Finding, other: Finding): number {
  return (
    (one.line === null ? 1 : 0) - (other.line === null ? 1 : 0) ||
    (one.file ?? '').localeCompare(other.file ?? '') ||
    (one.line ?? 0) - (other.line ?? 0) ||
    (one.column ?? 0) - (other.column ?? 0)
  )
}

function ofEnvironment(message: string, remedy: string): Finding {
  return { severity: 'warning', file: null, at: null, message, line: null, remedy }
}

async function emptyFolders(host: Host): Promise<Finding[]> {
  const found: Finding[] = []
  for (const [index, folder] of host.settings.plugins.dirs.entries()) {
    const place = {
      severity: 'error' as const,
      ...host.settings.locate({ at: `plugins.dirs[${index}]`, message: '' }, 'plugins'),
    }
    if (!existsSync(folder))
      found.push({
        ...place,
        message: `the folder ${folder} does not exist`,
        remedy: 'create it, or correct the path, which is relative to svc.yaml',
      })
    else if ((await pluginsIn(folder, 'directory')).length === 0)
      found.push({
        ...place,
        message: `the folder ${folder} contains no plugin`,
        remedy: 'add a folder with an index.ts; "svc new-plugin <name>" creates one',
      })
  }
  return found
}

function ofPlugin({ name, source, path, error }: PluginRecord, host: Host): Finding[] {
  const message = `plugin ${name}: ${error!.message}`
  if (source === 'package' && error!.phase === 'discover') {
    const index = host.settings.plugins.packages.findIndex(packageName => packageName.endsWith(name))
    return [
      {
        severity: 'error',
        ...host.settings.locate(
          {
            at: `plugins.packages[${index}]`,
            message,
            remedy: 'install it with npm in the folder where svc is started, or correct the name',
          },
          'plugins',
        ),
      },
    ]
  }
  const remedy = {
    discover: 'rename its folder',
    load: 'correct its code',
    options: 'correct the options of its definition, which must be a JSON Schema',
    register: 'correct its code, or switch it off with plugins.disable',
  }[error!.phase]
  const causes = error!.phase === 'discover' ? [] : host.causesOf(name)
  if (causes.length === 0) return [{ severity: 'error', file: path, at: null, message, line: null, remedy }]
  return causes.map(cause => ({
    severity: 'error',
    at: null,
    ...cause,
    message: `plugin ${name}: ${cause.message}`,
    remedy,
  }))
}
