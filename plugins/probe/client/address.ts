/** Where a probe connects: the gateway and the upstreams. Names are resolved once a run. */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { trimEndCharacters } from 'svc/toolkit'

export interface Address {
  /** As given, without a slash at the end. */
  url: string
  isTls: boolean
  /** Name or address, without brackets. */
  host: string
  port: number
  /** Path in front of everything; empty or with a leading slash. */
  prefix: string
  /** Value of the Host field. */
  authority: string
  /** Resolved address; set by `resolveAddress`. */
  ip: string
}

/** Returns a sentence for an invalid URL. */
export function readAddress(text: string): Address | string {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return `not a URL: ${text.slice(0, 200)} (expected a form such as http://localhost:8000)`
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return `expected an http: or https: URL such as http://localhost:8000, not ${text.slice(0, 200)}`
  if (url.username !== '' || url.password !== '')
    return 'the URL must not contain user information; use --header or --bearer'
  if (url.search !== '' || text.includes('?')) return 'the URL must not contain a query'
  if (url.hash !== '' || text.includes('#')) return 'the URL must not contain a fragment'
  const isTls = url.protocol === 'https:'
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
  if (port === 0) return 'the port of the URL must be between 1 and 65535'
  const prefix = trimEndCharacters(url.pathname, '/')
  return {
    url: `${url.origin}${prefix}`,
    isTls,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    prefix,
    authority: url.host,
    ip: '',
  }
}

/** Resolves the name. Rejects with Node's error. */
export async function resolveAddress(address: Address): Promise<Address> {
  if (isIP(address.host) !== 0) return { ...address, ip: address.host }
  const [first] = await lookup(address.host, { all: true, order: 'ipv4first' })
  return { ...address, ip: first!.address }
}
