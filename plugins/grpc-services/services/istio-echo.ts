/** `proto.EchoTestService`, the echo service of Istio's integration tests. */
import type { ServiceDefinition } from '@grpc/grpc-js'
import {
  type CallContext,
  hostnameOf,
  type Methods,
  receivedMetadata,
  replies,
  requestOf,
  type UnaryCall,
} from '../call.ts'
import { createForwardEcho } from '../forward/forward-echo.ts'
import type { ForwardEchoRequest } from '../forward/plan.ts'

interface EchoRequest {
  message?: string
}

export function istioEchoMethods(context: CallContext, service: ServiceDefinition): Methods {
  const { svc } = context
  return {
    Echo: replies<UnaryCall<EchoRequest>>(call => {
      const request = requestOf(context, call)
      const [[, authority], ...metadata] = receivedMetadata(context, call) as [[string, string], ...[string, string][]]
      const lines = [
        ...metadata.filter(([name]) => !name.endsWith('-bin')).map(([name, value]) => `RequestHeader=${name}:${value}`),
        `Host=${authority}`,
        'StatusCode=200',
        `ServiceVersion=${svc.options.version ?? svc.instance.version}`,
        `ServicePort=${request.socket.localPort ?? 0}`,
        `IP=${svc.http.clientIp(request)}`,
        'Proto=GRPC',
        `Echo=${call.request.message ?? ''}`,
        `Hostname=${hostnameOf(svc)}`,
      ]
      return { message: lines.map(line => `${line}\n`).join('') }
    }),
    ForwardEcho: replies<UnaryCall<ForwardEchoRequest>>(createForwardEcho(context, service)),
  }
}
