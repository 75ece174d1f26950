/** `GrpcEcho`, the gRPC service of the conformance tests of Gateway API. */
import { connectionTls } from 'svc/toolkit'
import {
  authorityOf,
  type CallContext,
  type Methods,
  receivedMetadata,
  replies,
  requestOf,
  type UnaryCall,
} from '../call.ts'

const SERVICE = 'gateway_api_conformance.echo_basic.grpcecho.GrpcEcho'

export function grpcEchoMethods(context: CallContext): Methods {
  const deployment = context.svc.use('httpbin.deployment')

  const echo = (method: string) =>
    replies<UnaryCall<object>>(call => {
      const request = requestOf(context, call)
      const { namespace = '', ingress = '', service = '', pod = '' } = deployment?.() ?? {}
      const tls = connectionTls(request.socket)
      return {
        assertions: {
          fully_qualified_method: `/${SERVICE}/${method}`,
          headers: receivedMetadata(context, call).map(([key, value]) => ({ key, value })),
          authority: authorityOf(request),
          context: { namespace, ingress, service_name: service, pod },
          ...(tls === null
            ? {}
            : {
                tls_assertions: {
                  version: tls.version,
                  negotiated_protocol: tls.protocol,
                  server_name: tls.serverName,
                  cipher_suite: tls.cipherSuite,
                  peer_certificates: tls.certificates,
                },
              }),
        },
      }
    })

  return { Echo: echo('Echo'), EchoTwo: echo('EchoTwo') }
}
