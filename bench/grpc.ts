/** Unary gRPC calls, compared with a bare server of the same library. */
import { loadPackageDefinition, Server, ServerCredentials } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { join } from 'node:path'
import type { Contender } from './contest.ts'
import { sendGrpcLoad } from './grpc-load.ts'
import { startServer, type Measured } from './process.ts'

const PROTO = join(import.meta.dirname, '..', 'proto', 'svc', 'echo', 'v1', 'echo.proto')
const SERVICE = 'svc.echo.v1.EchoService'

/** `grpcPort` is svc's gRPC port. */
export async function grpcContenders(product: Measured, grpcPort: number): Promise<Contender[]> {
  const bare = await startServer([import.meta.filename])
  const contender = (name: string, server: Measured, port: number): Contender => ({
    name,
    server,
    load: seconds =>
      sendGrpcLoad({
        port,
        proto: PROTO,
        service: SERVICE,
        method: 'echo',
        message: { message: 'hello' },
        calls: 50,
        seconds,
      }),
  })
  return [contender('svc', product, grpcPort), contender('bare', bare, bare.port)]
}

function serveBare(): void {
  const { svc } = loadPackageDefinition(loadSync(PROTO)) as unknown as {
    svc: { echo: { v1: { EchoService: { service: never } } } }
  }
  const server = new Server()
  server.addService(svc.echo.v1.EchoService.service, {
    echo: (call: { request: { message: string } }, done: (error: null, answer: object) => void) =>
      done(null, { message: call.request.message }),
  })
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (_error, port) =>
    process.stdout.write(`HTTP listening on 127.0.0.1:${port}\n`),
  )
}

if (process.argv[1] === import.meta.filename) serveBare()
