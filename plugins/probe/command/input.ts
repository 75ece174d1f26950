/** What a run gets from its command line, and from the files that are named there. */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { rootCertificates } from 'node:tls'
import { parse } from 'yaml'
import type { CommandContext } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { newGroupsOf } from '../catalog/selection.ts'
import { catalogWith } from '../checks/custom/registry.ts'
import { NO_ROUTES, readRoutes, type Routes, type RoutesOptions } from '../client/routes.ts'
import { readBaseline, type Baseline } from '../report/baseline.ts'
import { wiresWith } from '../wires/registry.ts'
import { maskedConfiguration } from '../report/masking.ts'
import type { Report } from '../report/report.ts'
import { ArgumentError, readProbeOptions, type ProbeOptions } from './options.ts'
import { prepareFolder } from './report-files.ts'

const MAX_CONFIGURATION = 256 * 1024
const MAX_BASELINE = 32 * 1024 * 1024

export interface RunInput {
  options: ProbeOptions
  baseline: Baseline | null
  configuration: Report['gateway']['configuration']
  out: string | null
  routes: Routes
}

/** Reads and checks everything before anything is sent. Throws `ArgumentError`. */
export async function readInput(args: readonly string[], context: CommandContext): Promise<RunInput> {
  const section = isRecord(context.section) ? context.section : {}
  const catalog = catalogWith(await context.use('probe.checks'))
  const wires = wiresWith(await context.use('probe.wires'))
  const options = readProbeOptions(args, context.environment, section, catalog, wires)
  const pathOf = (name: string): string => resolve(context.workingDirectory, name)
  const ids = new Set(catalog.map(({ id }) => id))
  let baseline: Baseline | null = null
  if (options.baseline !== null) {
    const read = readBaseline(await readBounded(pathOf(options.baseline), MAX_BASELINE, '--baseline'), ids)
    if (typeof read === 'string') throw new ArgumentError(read)
    baseline = read
  }
  const configuration = []
  for (const file of options.configFiles) {
    const text = await readBounded(pathOf(file), MAX_CONFIGURATION, '--config-file')
    if (text.includes('\0')) throw new ArgumentError(`--config-file is not text: ${file}`)
    configuration.push({
      file: basename(file),
      sha256: createHash('sha256').update(text).digest('hex'),
      text: maskedConfiguration(text),
      truncated: false,
    })
  }
  const out = options.out === null ? null : pathOf(options.out)
  if (out !== null) await prepareFolder(out)
  const { environment } = context
  const routes = await routesOf(options, { newGroups: newGroupsOf(catalog), environment, wires }, pathOf)
  return { options, baseline, configuration, out, routes }
}

async function routesOf(
  { routes }: ProbeOptions,
  how: RoutesOptions & Required<Pick<RoutesOptions, 'wires'>>,
  pathOf: (name: string) => string,
): Promise<Routes> {
  if (routes === null) return { ...NO_ROUTES, wires: how.wires }
  const text = await readBounded(pathOf(routes), MAX_CONFIGURATION, '--routes')
  let value: unknown
  try {
    value = parse(text, { maxAliasCount: 10 })
  } catch {
    throw new ArgumentError(`--routes: not YAML: ${routes}`)
  }
  const read = readRoutes(value, how)
  if (typeof read === 'string') throw new ArgumentError(`--${read}`)
  return read
}

/** The system's authorities, and the file that was named. */
export async function trustOf(
  options: ProbeOptions,
  context: CommandContext,
): Promise<{ ca: string[] | null; insecure: boolean; name: string | null }> {
  const name = options.host?.replace(/:\d+$/, '') ?? null
  if (options.ca === null) return { ca: null, insecure: options.isInsecure, name }
  const file = await readBounded(resolve(context.workingDirectory, options.ca), MAX_CONFIGURATION, '--ca')
  return { ca: [...rootCertificates, file], insecure: options.isInsecure, name }
}

async function readBounded(path: string, max: number, option: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > max) throw new ArgumentError(`${option}: the file is larger than ${max} bytes`)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof ArgumentError) throw error
    throw new ArgumentError(
      `${option}: cannot read ${path} (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
    )
  }
}
