/** Hosts that a server has for itself. */
import { unknownName } from 'svc/toolkit'
import { endpointPath, METADATA_PATH } from '../access/protected-resource.ts'
import type { Mcp } from '../mcp.ts'
import type { Server } from './server.ts'

/** After model providers, before agents. */
const RANK = 40
const AUTHORIZATION_SERVER = '/.well-known/oauth-authorization-server'
const OPENID = '/.well-known/openid-configuration'

/** The path below which nothing is: what a host serves is listed. */
export function hostMountOf(server: Server): string {
  return `/mcp/.hosts/${server.name}`
}

/** Serves the hosts and listeners of svc.yaml, and reports servers that do not exist. Call it when all servers are built. */
export function serveHosts({ svc, servers }: Mcp): void {
  const find = (name: string, at: string): Server | undefined => {
    const server = servers.get(name)
    if (server !== undefined && !server.isControl) return server
    const known = [...servers.values()].filter(({ isControl }) => !isControl).map(other => other.name)
    const { message, remedy } = unknownName('MCP server', name, known)
    svc.reportLoadError({ at: `${at}.server`, message, remedy })
    return undefined
  }
  for (const [index, { host, server: name }] of svc.options.hosts.entries()) {
    const at = `mcp.hosts[${index}]`
    const server = find(name, at)
    if (server !== undefined) svc.serveHost(host, hostMountOf(server), { rank: RANK, at, paths: pathsOf(server) })
  }
  for (const [index, { server: name, ...entry }] of svc.options.listeners.entries()) {
    const at = `mcp.listeners[${index}]`
    const server = find(name, at)
    if (server !== undefined)
      svc.listeners.http({ ...entry, at, mount: hostMountOf(server), paths: pathsOf(server), serves: name })
  }
}

/** What is at a host, and where its routes are. */
function pathsOf(server: Server): Record<string, string> {
  const endpoint = endpointPath(server)
  const paths: Record<string, string> = { '/mcp': endpoint, '/': endpoint }
  if (server.name === 'default') Object.assign(paths, { '/sse': '/mcp/sse', '/messages': '/mcp/messages' })
  if (server.auth === 'oauth') {
    const metadata = METADATA_PATH + endpoint
    Object.assign(paths, {
      [`${METADATA_PATH}/mcp`]: metadata,
      [METADATA_PATH]: metadata,
      // The issuer that the metadata names, for a host without one of its own.
      [AUTHORIZATION_SERVER]: AUTHORIZATION_SERVER,
      [OPENID]: OPENID,
      [`${AUTHORIZATION_SERVER}/oauth/*`]: `${AUTHORIZATION_SERVER}/oauth`,
      [`${OPENID}/oauth/*`]: `${OPENID}/oauth`,
      '/oauth/*': '/oauth',
    })
  }
  return paths
}
