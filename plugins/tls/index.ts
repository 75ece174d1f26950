/** The plugin `tls`: TLS endpoints by server name, most of them wrong in exactly one way. */
import { definePlugin } from 'svc/plugin'
import { openAuthorities } from './authorities.ts'
import { chainsOf, createChainCache } from './certificates.ts'
import { acceptConnection } from './endpoint.ts'
import { isZoneName } from './kinds.ts'
import { registerRoutes } from './routes.ts'

export default definePlugin<{ slow_ms: number }>({
  title: 'TLS endpoints',
  description:
    'TLS endpoints by server name (`expired.tls.localhost`): wrong certificates, chains, versions, ciphers, client certificates and handshakes.',
  paths: ['/tls', '/_svc/tls'],
  options: {
    type: 'object',
    additionalProperties: false,
    properties: { slow_ms: { type: 'integer', minimum: 0, maximum: 30_000, default: 3000 } },
  },
  categories: [{ name: 'TLS', rank: 115 }],
  register(app, svc) {
    const findAuthority = openAuthorities(svc)
    const cache = svc.shared('chains', () => createChainCache(svc.config.publicMode))
    const chainOf = chainsOf(svc, findAuthority, cache)
    const open = svc.shared('open', () => ({ handshakes: 0, stalled: 0 }))
    const parts = { svc, chainOf, findAuthority, slowMs: svc.options.slow_ms, open }
    svc.tls.names(isZoneName, connection => acceptConnection(connection, parts))
    registerRoutes(app, parts)
  },
})
