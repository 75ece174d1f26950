/** Hosts of issuers: the origin of such a host is an identifier of its issuer. */
import type { Svc } from 'svc/plugin'
import { hostMatcher, unknownName } from 'svc/toolkit'
import { DEFAULT_ISSUER } from '../settings/issuer-settings.ts'
import type { IdentityOptions } from '../settings/options.ts'

/** After agents, before services that gateways call. */
const RANK = 60
const OPENID = '/.well-known/openid-configuration'
const SERVER = '/.well-known/oauth-authorization-server'

/** Finds the issuer of an identifier: by its path, or by the host if that is one of svc.yaml. */
export type IssuerNameOf = (url: unknown) => string

/** The issuer that an identifier names by its path; undefined if it has none. */
function nameInPath(url: string): string | undefined {
  return /\/oauth\/i\/([a-z][a-z0-9-]{0,31})$/.exec(url.slice(-48))?.[1]
}

/** For an instance whose issuers have no hosts. */
export const nameByPath: IssuerNameOf = url => (typeof url === 'string' ? nameInPath(url) : undefined) ?? DEFAULT_ISSUER

export function createIssuerNames(hosts: IdentityOptions['hosts']): IssuerNameOf {
  const matchers = hosts.map(({ host, issuer }) => ({ matches: hostMatcher(host.toLowerCase()), issuer }))
  return url => {
    if (typeof url !== 'string') return DEFAULT_ISSUER
    const named = nameInPath(url)
    if (named !== undefined || matchers.length === 0 || url.length > 300 || !URL.canParse(url))
      return named ?? DEFAULT_ISSUER
    const { hostname, pathname } = new URL(url)
    const found = pathname === '/' ? matchers.find(({ matches }) => matches(hostname)) : undefined
    return found?.issuer ?? DEFAULT_ISSUER
  }
}

/** The path below which the routes of an issuer are. */
export function hostMountOf(name: string): string {
  return name === DEFAULT_ISSUER ? '/oauth' : `/oauth/i/${name}`
}

/** Serves the hosts and listeners of svc.yaml, and reports issuers that do not exist. Call it when all plugins are registered. */
export async function serveIssuerHosts(svc: Svc<IdentityOptions>, names: () => Promise<string[]>): Promise<void> {
  const { hosts, listeners } = svc.options
  if (hosts.length + listeners.length === 0) return
  const known = [DEFAULT_ISSUER, ...(await names())]
  const isKnown = (issuer: string, at: string): boolean => {
    if (known.includes(issuer)) return true
    const { message, remedy } = unknownName('issuer', issuer, known)
    svc.reportLoadError({ at: `${at}.issuer`, message, remedy })
    return false
  }
  for (const [index, { host, issuer }] of hosts.entries()) {
    const at = `identity.hosts[${index}]`
    if (isKnown(issuer, at))
      svc.serveHost(host, hostMountOf(issuer), { shared: true, rank: RANK, at, paths: pathsOf(issuer) })
  }
  for (const [index, { issuer, ...entry }] of listeners.entries()) {
    const at = `identity.listeners[${index}]`
    if (isKnown(issuer, at))
      svc.listeners.http({ ...entry, at, mount: hostMountOf(issuer), paths: pathsOf(issuer), serves: issuer })
  }
}

/** The identifier of the default issuer has no path, so that its documents are at the root, and its endpoints at /oauth. */
function pathsOf(issuer: string): Record<string, string> {
  return issuer === DEFAULT_ISSUER ? { [OPENID]: OPENID, [SERVER]: SERVER, '/oauth/*': '/oauth' } : {}
}
