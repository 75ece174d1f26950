/** The differences between SOAP 1.1 and 1.2 on the wire. */
import type { FaultCode } from './faults.ts'

export interface SoapVersion {
  /** Namespace of the envelope. */
  namespace: string
  /** Namespace prefix in responses. */
  prefix: string
  contentType: string
  /** Local name of a fault code. */
  codeName: Record<FaultCode, string>
  /** HTTP status of a fault (SOAP 1.1, 6.2; SOAP 1.2 part 2, 7.5.2.2). */
  statusOf(code: FaultCode): number
}

export const SOAP_11: SoapVersion = {
  namespace: 'http://schemas.xmlsoap.org/soap/envelope/',
  prefix: 'soap',
  contentType: 'text/xml; charset=utf-8',
  codeName: {
    Sender: 'Client',
    Receiver: 'Server',
    VersionMismatch: 'VersionMismatch',
    MustUnderstand: 'MustUnderstand',
  },
  statusOf: () => 500,
}

export const SOAP_12: SoapVersion = {
  namespace: 'http://www.w3.org/2003/05/soap-envelope',
  prefix: 'env',
  contentType: 'application/soap+xml; charset=utf-8',
  codeName: {
    Sender: 'Sender',
    Receiver: 'Receiver',
    VersionMismatch: 'VersionMismatch',
    MustUnderstand: 'MustUnderstand',
  },
  statusOf: code => (code === 'Sender' ? 400 : 500),
}

const VERSIONS = [SOAP_11, SOAP_12]

/** The version whose envelope has this namespace. */
export function versionOfEnvelope(namespace: string): SoapVersion | null {
  return VERSIONS.find(version => version.namespace === namespace) ?? null
}

/** The version that a content type implies, for when no envelope could be read. */
export function versionOfContentType(contentType: string | undefined): SoapVersion {
  return /^\s*application\/soap\+xml\s*(?:;|$)/i.test(contentType ?? '') ? SOAP_12 : SOAP_11
}
