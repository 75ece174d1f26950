/** What the server may contact for a run, and how it reaches itself. */
import { isIPv4 } from 'node:net'
import { HttpError, refusal, type Svc } from 'svc/plugin'
import { readAddress, type Address } from '../client/address.ts'
import type { ProbeSection } from '../options.ts'
import type { ProbeTargets } from '../types.ts'
import type { RunRequest } from './run-request.ts'

/** `probe.targets`. */
export function createTargets(svc: Svc<ProbeSection>): ProbeTargets {
  const origins = readOrigins(svc.options.targets ?? [], (index, message, remedy) =>
    svc.reportLoadError({ at: `targets[${index}]`, message, remedy }),
  )
  return {
    origins,
    read: readOrigins,
    own: () => ownAddress(svc),
    check(addresses, { allowsTarget, more = [], section }) {
      const isOpen = isUnrestricted(svc)
      for (const address of addresses) {
        const origin = originOf(address)
        if (svc.config.publicMode)
          throw refusal(403, 'target_not_allowed', 'in public mode no other server is contacted')
        if (origins.includes(origin) || more.includes(origin)) continue
        if (isOpen && (allowsTarget || isLoopback(address))) continue
        throw new HttpError(403, {
          error: 'target_not_allowed',
          details: `${origin} is not in ${section}.targets of svc.yaml`,
          remedy: `${isOpen ? 'send "allow_target": true for this run, or add to svc.yaml:\n' : ''}${section}:\n  targets:\n    - ${origin}`,
        })
      }
    },
  }
}

/** Origins of a list in svc.yaml; others are reported and left out. */
function readOrigins(texts: readonly string[], onProblem: Parameters<ProbeTargets['read']>[1]): string[] {
  const origins = new Set<string>()
  for (const [index, text] of texts.entries()) {
    const address = readAddress(text)
    if (typeof address !== 'string' && address.prefix === '') origins.add(originOf(address))
    else
      onProblem(
        index,
        typeof address === 'string' ? address : 'an origin has no path',
        'write an origin such as http://gateway:8000',
      )
  }
  return [...origins]
}

function originOf({ url }: Pick<Address, 'url'>): string {
  return new URL(url).origin
}

/** Everything that the run would contact besides this server. */
export function addressesOf({ target, routes }: RunRequest): Address[] {
  return [target, ...Object.values(routes.paths).flatMap(({ address }) => address ?? [])]
}

/**
 * Whether callers may choose targets that svc.yaml does not list: on an instance whose operator restricts nobody, they could
 * as well change svc.yaml, or send the requests themselves.
 */
function isUnrestricted({ config }: Pick<Svc<ProbeSection>, 'config'>): boolean {
  return !config.publicMode && config.adminToken === null && config.controlAuth === 'open'
}

function isLoopback({ host }: Pick<Address, 'host'>): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

/** This server, as it reaches itself. */
function ownAddress(svc: Svc<ProbeSection>): Address {
  const { http, https } = svc.instance.ports()
  const port = http ?? https
  if (port === null) throw refusal(503, 'no_listener', 'this server has no listener for HTTP')
  const { host } = svc.config
  const ip = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const authority = `${ip.includes(':') ? `[${ip}]` : ip}:${port}`
  const isTls = http === null
  return {
    url: `${isTls ? 'https' : 'http'}://${authority}`,
    isTls,
    host: ip,
    port,
    prefix: svc.config.basePath ?? '',
    authority,
    ip,
  }
}
