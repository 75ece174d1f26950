/** Implements `svc.pki`: the demo certificates and the client certificate of a request. */
import type { TLSSocket } from 'node:tls'
import type { SvcPki } from '../../contract/plugin.ts'
import type { Pki } from '../../pki/pki.ts'

/** `header` is the value of SVC_MTLS_IN_HEADER, or null. */
export function createSvcPki(pki: Pki, header: string | null): SvcPki {
  const name = header?.toLowerCase() ?? null
  return {
    caCertificate: pki.caCertificate,
    client: () => pki.client(),
    issue: profile => pki.issue(profile),
    signingKey: () => pki.signingKey(),
    clientCertificate({ raw }) {
      // Over HTTP/2 this is a proxy that supports `in` for the TLS socket; the socket of `stream.session` does not.
      const socket = raw.socket as TLSSocket
      const value = name === null ? null : raw.headers[name]
      return pki.clientCertificate({
        tlsSocket: 'getPeerCertificate' in socket ? socket : null,
        headerValue: (Array.isArray(value) ? value[0] : value) ?? null,
      })
    },
  }
}
