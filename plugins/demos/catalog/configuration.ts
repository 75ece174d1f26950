/** The configurations of gateways that come with a demo: the file itself, or one Compose file with everything in it. */
import { readFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { parseYaml, isRecord, quoteWord, unknownName, YamlProblem } from 'svc/toolkit'
import { stringify } from 'yaml'
import type { Demo } from '../file/demo.ts'

const MAX_BYTES = 256 * 1024

export interface Addresses {
  /** Where the gateway listens; null: port 8000. */
  through: string | null
  /** Where svc is; null: `svc:8080`. Its ports of HTTPS and gRPC are the usual ones. */
  upstream: string | null
}

export type ConfigurationPart = 'gateway' | 'compose' | 'through' | 'upstream'

/** What is wrong with the request for a configuration, and with which part. */
export class ConfigurationProblem extends Error {
  readonly part: ConfigurationPart
  readonly remedy: string | null

  constructor(part: ConfigurationPart, message: string, remedy: string | null = null) {
    super(message)
    this.part = part
    this.remedy = remedy
  }
}

/**
 * The file, with the addresses in place of port 8000 and `svc:8080`. Throws `ConfigurationProblem` for a gateway without a
 * configuration, and for an address that is not an HTTP origin. `file`: that of the demo.
 */
export async function configurationOf(
  demo: Demo,
  file: string,
  { gateway, isCompose, ...addresses }: Addresses & { gateway: string; isCompose: boolean },
): Promise<string> {
  const key = isCompose ? 'compose' : 'snippet'
  const names = Object.keys(demo.gateways).filter(name => demo.gateways[name]![key] !== null)
  const what = isCompose ? 'a Compose file' : 'a configuration'
  if (!names.includes(gateway)) {
    const { message, remedy } = unknownName('gateway', gateway.slice(0, 100), names)
    if (names.length === 0) throw new ConfigurationProblem('gateway', `${demo.demo} has ${what} of no gateway`)
    if (Object.hasOwn(demo.gateways, gateway))
      throw new ConfigurationProblem(
        'compose',
        `${demo.demo} has no Compose file for ${gateway}`,
        `take ${names.join(', ')}`,
      )
    throw new ConfigurationProblem('gateway', message, remedy)
  }
  const replaced = replacer(addresses)
  const path = join(dirname(file), demo.gateways[gateway]![key]!)
  if (!isCompose) return replaced(`${fileLines(demo)}${await readText(path)}`)
  const { snippet } = demo.gateways[gateway]!
  return composeText(path, replaced, snippet === null ? null : join(dirname(file), snippet))
}

/** What gets the files that the configuration names, as comments. */
function fileLines({ files }: Demo): string {
  return Object.entries(files)
    .map(([name, path]) => `# ${fileLine(name, `http://svc:8080${path}`)}\n`)
    .join('')
}

/** The command that gets a file. */
export function fileLine(name: string, url: string): string {
  return ['curl', '-s', url, '-o', name].map(quoteWord).join(' ')
}

async function readText(path: string): Promise<string> {
  try {
    const text = await readFile(path, 'utf8')
    if (text.length <= MAX_BYTES) return text
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigurationProblem('gateway', `${path} cannot be read (${code ?? String(error)})`)
  }
  throw new ConfigurationProblem('gateway', `${path} has more than ${MAX_BYTES} bytes`)
}

function replacer({ through, upstream }: Addresses): (text: string) => string {
  const listen = through === null ? null : originOf(through, 'through')
  const svc = upstream === null ? null : originOf(upstream, 'upstream')
  return text => {
    // The gateway listens at 8000 in every configuration, and svc is svc:8080.
    const own = listen === null ? text : text.replaceAll(/\b8000\b/g, listen.port)
    if (svc === null) return own
    return own
      .replaceAll('address: svc, port_value: 8080', `address: ${svc.host}, port_value: ${svc.port}`)
      .replaceAll('address: svc, port_value: 50051', `address: ${svc.host}, port_value: 50051`)
      .replaceAll('address: svc, port_value: 8443', `address: ${svc.host}, port_value: 8443`)
      .replaceAll(/\bsvc:8443\b/g, `${inUrl(svc.host)}:8443`)
      .replaceAll(/\bsvc:8080\b/g, `${inUrl(svc.host)}:${svc.port}`)
  }
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

function originOf(text: string, part: 'through' | 'upstream'): { host: string; port: string } {
  const url = URL.canParse(text) ? new URL(text) : null
  const schemes = part === 'through' ? ['http:', 'https:'] : ['http:']
  if (url === null || !schemes.includes(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '')
    throw new ConfigurationProblem(part, 'expected an origin such as http://localhost:8000')
  // A gateway listens at a port, not at a path.
  if (part === 'upstream' && url.pathname !== '/')
    throw new ConfigurationProblem(
      part,
      'configurations have no place for a path: expected an origin such as http://svc:8080',
    )
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port || (url.protocol === 'https:' ? '443' : '80') }
}

/** What a Compose file mounts in place of the configuration of the demo, so that all demos share one for each gateway. */
const SNIPPET = './snippet'

/** The Compose file with the contents of all files that it mounts, as `configs`. */
async function composeText(path: string, replaced: (text: string) => string, snippet: string | null): Promise<string> {
  let document: unknown
  try {
    document = parseYaml(replaced(await readText(path))).value
  } catch (error) {
    if (error instanceof YamlProblem) throw new ConfigurationProblem('compose', `${path}: ${error.message}`)
    throw error
  }
  if (!isRecord(document) || !isRecord(document.services))
    throw new ConfigurationProblem('compose', `${path}: expected services`)
  const configs: Record<string, { content: string }> = {}
  for (const [name, service] of Object.entries(document.services)) {
    if (!isRecord(service) || !Array.isArray(service.volumes)) continue
    const kept: unknown[] = []
    const mounted: { source: string; target: string }[] = []
    for (const volume of service.volumes) {
      const [source = '', target = ''] = typeof volume === 'string' ? volume.split(':') : []
      if (!source.startsWith('./')) {
        kept.push(volume)
        continue
      }
      if (source.split('/').includes('..'))
        throw new ConfigurationProblem('compose', `${path}: ${source} is not below it`)
      const id = `${name}-${posix.basename(target).replaceAll(/[^\w.-]/g, '-')}`
      // Compose replaces variables in contents too.
      const mountedFile = source === SNIPPET && snippet !== null ? snippet : join(dirname(path), source)
      const content = replaced(await readText(mountedFile)).replaceAll('$', '$$$$')
      configs[id] = { content }
      mounted.push({ source: id, target })
    }
    if (kept.length > 0) service.volumes = kept
    else delete service.volumes
    if (mounted.length > 0) service.configs = [...(Array.isArray(service.configs) ? service.configs : []), ...mounted]
  }
  if (Object.keys(configs).length > 0)
    document.configs = { ...(isRecord(document.configs) ? document.configs : {}), ...configs }
  return stringify(document, { lineWidth: 0 })
}
