/** gRPC and gRPC-Web calls as a protocol of conditions: `match.grpc`. */
import type { MatchProtocol } from 'svc/toolkit'

/** Calls of health checks and reflection are never affected by rules. */
const EXEMPT = /^grpc\.(?:health|reflection)\./

export const grpcProtocol: MatchProtocol = {
  name: 'grpc',
  headOnly: true,
  fields: {
    service: { description: 'The full name of the service, such as `svc.echo.v1.EchoService`' },
    method: { description: 'The name of the method' },
  },
  read(request) {
    const type = request.header('content-type')?.toLowerCase() ?? ''
    if (request.method !== 'POST' || !type.startsWith('application/grpc')) return null
    const [, service, method, ...rest] = request.path.split('/')
    if (service === undefined || method === undefined || rest.length > 0 || EXEMPT.test(service)) return null
    return [{ service, method }]
  },
}
