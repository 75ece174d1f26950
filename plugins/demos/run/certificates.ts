/** Certificates of svc's demo CA: clients present them, and gateways have one. */
import { rootCertificates } from 'node:tls'
import { isRecord } from 'svc/toolkit'
import type { CertificateKind } from '../file/demo.ts'
import type { ClientPair, RunContext, Target } from './context.ts'
import { UpstreamError } from './control.ts'

/** The target, whose certificate may be of the demo CA too. */
export async function trusting({ target, control }: Pick<RunContext, 'target' | 'control'>): Promise<Target> {
  const { trust, address } = target
  if (!address.isTls || trust.insecure) return target
  const { status, body } = await control.ask('GET', '/auth/mtls/get-ca-cert')
  if (status !== 200 || !isRecord(body) || typeof body.ca_cert_pem !== 'string') return target
  return { ...target, trust: { ...trust, ca: [...(trust.ca ?? rootCertificates), body.ca_cert_pem] } }
}

/** Rejects with `UpstreamError` if svc has none. */
export function clientPair({ certificates, control }: RunContext, kind: CertificateKind): Promise<ClientPair> {
  let pair = certificates.get(kind)
  if (pair === undefined) {
    pair = fetchPair(control, kind)
    certificates.set(kind, pair)
  }
  return pair
}

async function fetchPair(control: RunContext['control'], kind: CertificateKind): Promise<ClientPair> {
  const { cert_pem: certificate, key_pem: key } = await control.get('GET', `/auth/mtls/get-client-cert?kind=${kind}`)
  if (typeof certificate === 'string' && typeof key === 'string') return { certificate, key }
  throw new UpstreamError('the upstream has no client certificates: is the plugin auth off?')
}
