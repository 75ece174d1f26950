/** The plugin `tls`: TLS endpoints by server name, most of them wrong in exactly one way. */
import { definePlugin } from 'svc/plugin'
import { openAuthorities } from './authorities.ts'
import { chainsOf, createChainCache } from './certificates.ts'
import { acceptByName, acceptOnPort, type EndpointParts } from './endpoint.ts'
import { isZoneName } from './kinds.ts'
import { createHandshakes } from './handshakes.ts'
import { OPTIONS, type TlsOptions } from './options.ts'
import { registerRevocationRoutes } from './revocation-routes.ts'
import { openRevocation } from './revocation.ts'
import { registerRoutes } from './routes.ts'

export default definePlugin<TlsOptions>({
  title: 'TLS endpoints',
  description:
    'TLS endpoints by server name (`expired.tls.localhost`): wrong and revoked certificates, chains, versions, ciphers, client certificates and handshakes.',
  paths: ['/tls', '/_svc/tls'],
  options: OPTIONS,
  exempt: ['/tls/crl', '/tls/ocsp', '/tls/ca.crt', '/tls/intermediate.crt'].map(path => ({
    path,
    below: true as const,
    from: ['keys' as const],
    reason: 'The addresses in certificates: TLS clients fetch them without credentials.',
  })),
  categories: [{ name: 'TLS', rank: 115 }],
  register(app, svc) {
    const findAuthority = openAuthorities(svc)
    const cache = svc.shared('chains', () => createChainCache(svc.config.publicMode))
    const revocation = openRevocation(
      svc,
      () => svc.options.base_url ?? `http://localhost:${svc.instance.ports().http}`,
    )
    const chainOf = chainsOf({ svc, findAuthority, revocation, cache })
    const open = svc.shared('open', () => ({ handshakes: 0, stalled: 0 }))
    const ports = new Map<string, () => number | null>()
    const parts: EndpointParts = {
      svc,
      chainOf,
      findAuthority,
      revocation,
      slowMs: svc.options.slow_ms,
      handshakes: createHandshakes(),
      ports,
      open,
    }
    const tls = svc.use('core.tls')
    tls.names(isZoneName, connection => acceptByName(connection, parts))
    const wanted = Object.entries(svc.options.ports)
    if (svc.config.publicMode && wanted.length > 0) svc.log.warn('tls.ports is ignored in public mode')
    else
      for (const [kind, number] of wanted)
        ports.set(
          kind,
          tls.port(number, connection => acceptOnPort(connection, kind, parts)),
        )
    registerRoutes(app, parts)
    registerRevocationRoutes(app, parts)
  },
})
