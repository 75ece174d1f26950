/** The hosts that plugins serve whole, as lists of servers show them. */
import type { ServedHost } from '../../contract/hosts.ts'
import { quoteWord } from '../../toolkit/shell.ts'
import type { HostEntry } from './host-mounts.ts'

export interface HostListFacts {
  /** Address of this machine at which the client reached it. */
  localAddress: string
  ports: { http: number | null; https: number | null }
}

/** Names a host of a pattern: `svc` stands for what any characters may be. */
function exampleOf(pattern: string): string {
  return pattern === '*' ? 'svc.test' : pattern.replace('*', 'svc')
}

/** `path`: a path of the host that answers GET, with its query. */
export function listHosts(entries: readonly HostEntry[], path: string, facts: HostListFacts): ServedHost[] {
  const { http, https } = facts.ports
  return entries.map(({ pattern, tls }) => {
    const name = exampleOf(pattern)
    const isSecure = https !== null && tls && pattern !== '*'
    const url = originOf('http', name, http ?? 80) + path
    const resolve = `${name}:${http ?? 80}:${addressOf(facts.localAddress)}`
    return {
      host: pattern,
      base_url: isSecure ? originOf('https', name, https) : originOf('http', name, http ?? 80),
      curl: `curl --resolve ${quoteWord(resolve)} ${quoteWord(url)}`,
    }
  })
}

function originOf(scheme: 'http' | 'https', host: string, port: number): string {
  const isDefault = port === (scheme === 'https' ? 443 : 80)
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}${isDefault ? '' : `:${port}`}`
}

function addressOf(address: string): string {
  const plain = address.replace(/^::ffff:/, '')
  return plain.includes(':') ? `[${plain}]` : plain || '127.0.0.1'
}
