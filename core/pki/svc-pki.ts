/** `svc.pki`: the demo certificates and the client certificate of a request. */
import type { ServerHttp2Stream } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { SvcPki } from '../host/plugin.ts'
import type { Pki } from './pki.ts'

/** `header` is the name of SVC_MTLS_IN_HEADER, or null. */
export function createSvcPki(pki: Pki, header: string | null): SvcPki {
  const name = header?.toLowerCase() ?? null
  return {
    caCertificate: pki.caCertificate,
    client: { certificate: pki.client.certificate, key: pki.client.key },
    clientCertificate(request) {
      const { raw } = request
      const session = 'stream' in raw ? (raw.stream as ServerHttp2Stream).session : undefined
      const socket = (session === undefined ? raw.socket : session.socket) as TLSSocket
      const value = name === null ? null : raw.headers[name]
      return pki.clientCertificate({
        tlsSocket: 'getPeerCertificate' in socket ? socket : null,
        headerValue: (Array.isArray(value) ? value[0] : value) ?? null,
      })
    },
  }
}
