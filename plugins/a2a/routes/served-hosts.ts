/** Hosts that an agent has for itself. */
import { unknownName } from 'svc/toolkit'
import type { A2a } from '../a2a.ts'

/** After MCP servers, before issuers. */
const RANK = 50

/** What cards name besides the agent, where its routes are. */
const ELSEWHERE = {
  '/jwks.json': '/a2a/jwks.json',
  '/oauth/*': '/oauth',
  '/.well-known/oauth-authorization-server': '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration': '/.well-known/openid-configuration',
  '/docs': '/docs',
  '/docs/*': '/docs',
  '/image/*': '/image',
}

/** Serves the hosts and listeners of svc.yaml, and reports agents that do not exist. Call it when all plugins are registered. */
export function serveHosts({ svc, agents }: A2a): void {
  const { hosts = [], listeners = [] } = svc.options
  const isKnown = (agent: string, at: string): boolean => {
    if (agents.get(agent) !== undefined) return true
    const { message, remedy } = unknownName('agent', agent, agents.ids())
    svc.reportLoadError({ at: `${at}.agent`, message, remedy })
    return false
  }
  for (const [index, { host, agent }] of hosts.entries()) {
    const at = `a2a.hosts[${index}]`
    if (isKnown(agent, at)) svc.serveHost(host, mountOf(agent), { shared: true, rank: RANK, at, paths: pathsOf(agent) })
  }
  for (const [index, { agent, ...entry }] of listeners.entries()) {
    const at = `a2a.listeners[${index}]`
    if (isKnown(agent, at))
      svc.listeners.http({ ...entry, at, mount: mountOf(agent), paths: pathsOf(agent), serves: agent })
  }
}

function mountOf(agent: string): string {
  return `/a2a/${agent}`
}

function pathsOf(agent: string): Record<string, string> {
  const mount = mountOf(agent)
  return { '/': mount, '/agent-card': `${mount}/.well-known/agent-card.json`, ...ELSEWHERE }
}
