/** `proto.EchoTestService`, the echo service of Istio's integration tests. */
import {
  type CallContext,
  hostnameOf,
  type Methods,
  receivedMetadata,
  replies,
  requestOf,
  type UnaryCall,
} from '../call.ts'

interface EchoRequest {
  message?: string
}

export function istioEchoMethods(context: CallContext): Methods {
  const { svc } = context
  return {
    Echo: replies<UnaryCall<EchoRequest>>(call => {
      const request = requestOf(context, call)
      const [[, authority], ...metadata] = receivedMetadata(context, call) as [[string, string], ...[string, string][]]
      const lines = [
        ...metadata.filter(([name]) => !name.endsWith('-bin')).map(([name, value]) => `RequestHeader=${name}:${value}`),
        `Host=${authority}`,
        'StatusCode=200',
        `ServiceVersion=${svc.instance.version}`,
        `ServicePort=${request.socket.localPort ?? 0}`,
        `IP=${svc.http.clientIp(request)}`,
        'Proto=GRPC',
        `Echo=${call.request.message ?? ''}`,
        `Hostname=${hostnameOf(svc)}`,
      ]
      return { message: lines.map(line => `${line}\n`).join('') }
    }),
  }
}
