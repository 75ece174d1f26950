/** `svc.pki`: the demo certificates and the client certificate of a request. */
import type { TLSSocket } from 'node:tls'
import type { SvcPki } from '../../contract/plugin.ts'
import type { Pki } from '../../pki/pki.ts'

/** What plugins get of the PKI; `header` is the name of SVC_MTLS_IN_HEADER, or null. */
export function createSvcPki(pki: Pki, header: string | null): SvcPki {
  const name = header?.toLowerCase() ?? null
  return {
    caCertificate: pki.caCertificate,
    client: () => pki.client(),
    clientCertificate({ raw }) {
      // Over HTTP/2 a stand-in, which answers `in` for the connection's socket; that of `stream.session` does not.
      const socket = raw.socket as TLSSocket
      const value = name === null ? null : raw.headers[name]
      return pki.clientCertificate({
        tlsSocket: 'getPeerCertificate' in socket ? socket : null,
        headerValue: (Array.isArray(value) ? value[0] : value) ?? null,
      })
    },
  }
}
