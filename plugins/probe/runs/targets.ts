/** What the server may contact for a run, and how it reaches itself. */
import { isIPv4 } from 'node:net'
import { HttpError, refusal, type Svc } from 'svc/plugin'
import { readAddress, type Address } from '../client/address.ts'
import type { ProbeSection } from '../options.ts'
import type { RunRequest } from './run-request.ts'

/** The origins that svc.yaml allows; invalid ones are reported. */
export function readTargets(svc: Svc<ProbeSection>): ReadonlySet<string> {
  const origins = new Set<string>()
  for (const [index, text] of (svc.options.targets ?? []).entries()) {
    const address = readAddress(text)
    if (typeof address !== 'string' && address.prefix === '') origins.add(originOf(address))
    else
      svc.reportLoadError({
        at: `targets[${index}]`,
        message: typeof address === 'string' ? address : 'an origin has no path',
        remedy: 'write an origin such as http://gateway:8000',
      })
  }
  return origins
}

function originOf({ url }: Address): string {
  return new URL(url).origin
}

/** Everything that the run would contact besides this server. */
function addressesOf({ target, routes }: RunRequest): Address[] {
  return [target, ...Object.values(routes.paths).flatMap(({ address }) => address ?? [])]
}

/**
 * Whether callers may choose targets that svc.yaml does not list: on an instance whose operator restricts nobody, they could
 * as well change svc.yaml, or send the requests themselves.
 */
export function isUnrestricted({ config }: Pick<Svc<ProbeSection>, 'config'>): boolean {
  return !config.publicMode && config.adminToken === null && config.controlAuth === 'open'
}

/** Throws 403 for an address of the run that is neither listed nor allowed otherwise. */
export function checkTargets(
  run: RunRequest,
  { targets, isOpen }: { targets: ReadonlySet<string>; isOpen: boolean },
): void {
  for (const address of addressesOf(run)) {
    const origin = originOf(address)
    if (targets.has(origin) || (isOpen && (run.allowsTarget || isLoopback(address)))) continue
    throw new HttpError(403, {
      error: 'target_not_allowed',
      details: `${origin} is not in probe.targets of svc.yaml`,
      remedy: `${isOpen ? 'send "allow_target": true for this run, or add to svc.yaml:\n' : ''}probe:\n  targets:\n    - ${origin}`,
    })
  }
}

function isLoopback({ host }: Address): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

/** This server, as it reaches itself. */
export function ownAddress(svc: Svc<ProbeSection>): Address {
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
