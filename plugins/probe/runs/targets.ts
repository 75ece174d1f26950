/** What the server may contact for a run, and how it reaches itself. */
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
export function addressesOf({ target, routes }: RunRequest): Address[] {
  return [target, ...Object.values(routes.paths).flatMap(({ address }) => address ?? [])]
}

/** Throws 403 for an origin that is not listed. */
export function allow(address: Address, targets: ReadonlySet<string>): void {
  const origin = originOf(address)
  if (targets.has(origin)) return
  throw new HttpError(403, {
    error: 'target_not_allowed',
    details: `${origin} is not in probe.targets of svc.yaml`,
    remedy: `probe:\n  targets:\n    - ${origin}`,
  })
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
