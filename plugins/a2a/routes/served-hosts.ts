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

/** Serves the hosts of svc.yaml, and reports agents that do not exist. Call it when all plugins are registered. */
export function serveHosts({ svc, agents }: A2a): void {
  for (const [index, { host, agent }] of (svc.options.hosts ?? []).entries()) {
    const at = `a2a.hosts[${index}]`
    if (agents.get(agent) === undefined) {
      const { message, remedy } = unknownName('agent', agent, agents.ids())
      svc.reportLoadError({ at: `${at}.agent`, message, remedy })
      continue
    }
    const mount = `/a2a/${agent}`
    const paths = { '/': mount, '/agent-card': `${mount}/.well-known/agent-card.json`, ...ELSEWHERE }
    svc.serveHost(host, mount, { shared: true, rank: RANK, at, paths })
  }
}
