/** The configuration of a gateway that comes with a demo. */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ArgumentError, unknownName } from 'svc/toolkit'
import type { Demo } from '../file/demo.ts'

export interface Addresses {
  /** Where the gateway listens; undefined: port 8000. */
  through: string | undefined
  /** Where svc is; undefined: `svc:8080`. */
  upstream: string | undefined
}

/**
 * The text of the file, with the addresses in place of port 8000 and `svc:8080`. Throws `ArgumentError` for a gateway without a
 * configuration, and for an address that is not an HTTP origin.
 */
export async function snippetOf(
  { demo, gateways }: Demo,
  file: string,
  gateway: string,
  { through, upstream }: Addresses,
): Promise<string> {
  const names = Object.keys(gateways).filter(name => gateways[name]!.snippet !== null)
  if (!names.includes(gateway)) {
    const { message, remedy } = unknownName('gateway', gateway, names)
    throw new ArgumentError(names.length === 0 ? `${demo} has no configuration of a gateway` : `${message}; ${remedy}`)
  }
  const text = await readFile(join(dirname(file), gateways[gateway]!.snippet!), 'utf8')
  const listen = through === undefined ? null : originOf(through, '--through')
  const svc = upstream === undefined ? null : originOf(upstream, '--upstream')
  return text
    .replaceAll('port_value: 8000', `port_value: ${listen?.port ?? '8000'}`)
    .replaceAll('address: svc, port_value: 8080', `address: ${svc?.host ?? 'svc'}, port_value: ${svc?.port ?? '8080'}`)
}

function originOf(text: string, option: string): { host: string; port: string } {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.protocol !== 'http:' || url.pathname !== '/' || url.search !== '' || url.username !== '')
    throw new ArgumentError(`${option} must be an origin such as http://localhost:8000`)
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port || '80' }
}
