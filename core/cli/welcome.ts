/** What is printed on a terminal after the start: where the server is, its pages, and first requests. */
import type { FirstStep } from '../contract/declarations.ts'
import type { Config } from '../config/variables.ts'
import type { Ports } from '../server/instance.ts'
import { curlLine } from '../toolkit/curl-line.ts'
import { painter, type Terminal } from './terminal.ts'

const MAX_PAGES = 4
const MAX_REQUESTS = 3
const MAX_COLUMNS = 120

export interface WelcomeFacts {
  version: string
  config: Pick<Config, 'host' | 'basePath'>
  ports: Ports
  /** Of enabled plugins. */
  steps: readonly FirstStep[]
}

/** Whether the text is of use: a person reads it, on a terminal. */
export function isWelcome(
  { out, environment }: Pick<Terminal, 'out' | 'environment'>,
  { isQuiet, logFormat }: { isQuiet: boolean; logFormat: Config['logFormat'] },
): boolean {
  const isAutomatic = environment.CI !== undefined && environment.CI !== '' && environment.CI !== 'false'
  return out.isTTY === true && !isQuiet && !isAutomatic && logFormat !== 'json'
}

/** At most 20 lines of 120 columns. Commands that would be longer are left out. */
export function welcomeText({ version, config, ports, steps }: WelcomeFacts, { out }: Pick<Terminal, 'out'>): string {
  const paint = painter(out)
  const host = printedHost(config.host)
  const base = baseUrl({ config, ports })
  const sorted = steps.toSorted((a, b) => a.rank - b.rank)
  const rows = [
    ['HTTP', base],
    ...(ports.https === null ? [] : [['HTTPS', `https://${host}:${ports.https}${config.basePath ?? ''}`]]),
    ...(ports.grpc === null ? [] : [['gRPC', `${host}:${ports.grpc}`]]),
    ...sorted.flatMap(step => ('href' in step ? [[step.text, `${base}/${step.href}`]] : [])).slice(0, MAX_PAGES),
  ].filter(row => row.join('').length < MAX_COLUMNS - 14)
  const commands = sorted
    .flatMap(step => ('path' in step ? [commandOf(step, base)] : []))
    .filter(command => command.length <= MAX_COLUMNS)
    .slice(0, MAX_REQUESTS)
  return [
    '',
    paint('bold', `svc ${version}`),
    ...rows.map(([name, url]) => `  ${paint('dim', name!.padEnd(10))}${paint('cyan', url!)}`),
    ...(commands.length === 0 ? [] : ['', paint('bold', 'Try'), ...commands]),
    '',
    paint('dim', 'Stop with Ctrl+C'),
    '',
    '',
  ].join('\n')
}

/** The URL of the page that plugins want to be seen first; of the root without one. */
export function firstPage({ config, ports, steps }: Omit<WelcomeFacts, 'version'>): string {
  const [page] = steps.toSorted((a, b) => a.rank - b.rank).flatMap(step => ('href' in step ? [step.href] : []))
  return `${baseUrl({ config, ports })}/${page ?? ''}`
}

function baseUrl({ config: { host, basePath }, ports }: Pick<WelcomeFacts, 'config' | 'ports'>): string {
  return `http://${printedHost(host)}:${ports.http}${basePath ?? ''}`
}

function commandOf({ path, headers = [], body }: Extract<FirstStep, { path: string }>, base: string): string {
  const method = body === undefined ? 'GET' : 'POST'
  const example = { name: '', method, path, headers: [...headers], body: body ?? null, body_type: null, auth: null }
  return curlLine({ ...example, expect_status: null }, base, 'http')
}

/** An address that a browser on this machine can open. */
function printedHost(host: string): string {
  if (['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host)) return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
