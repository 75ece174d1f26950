/** A bounded load of unary gRPC calls: a number of concurrent calls for some seconds. */
import { credentials, loadPackageDefinition, type Client } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { quantile, type LoadResult } from './load.ts'

export interface GrpcLoad {
  port: number
  /** Path of the `.proto` file, full name of the service, name of the method in lower camel case. */
  proto: string
  service: string
  method: string
  message: object
  /** Concurrent calls. */
  calls: number
  seconds: number
}

type Unary = (message: object, done: (error: Error | null) => void) => void

export async function sendGrpcLoad({
  port,
  proto,
  service,
  method,
  message,
  calls,
  seconds,
}: GrpcLoad): Promise<LoadResult> {
  const found = service
    .split('.')
    .reduce<unknown>((scope, name) => (scope as Record<string, unknown>)[name], loadPackageDefinition(loadSync(proto)))
  const client = new (found as new (address: string, credentials: unknown) => Client)(
    `127.0.0.1:${port}`,
    credentials.createInsecure(),
  )
  const unary = ((client as unknown as Record<string, Unary>)[method] as Unary).bind(client)
  const until = performance.now() + seconds * 1000
  const latencies: number[] = []
  await Promise.all(
    Array.from({ length: calls }, async () => {
      while (performance.now() < until) {
        const sentAt = performance.now()
        await new Promise<void>((resolve, reject) =>
          unary(message, error => (error === null ? resolve() : reject(error))),
        )
        latencies.push(performance.now() - sentAt)
      }
    }),
  )
  client.close()
  latencies.sort((a, b) => a - b)
  return {
    requestsPerSecond: latencies.length / seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  }
}
