/** A server with two engines, whose ports are the endpoints of the picker. */
import { serve } from './server.ts'
import { freePorts } from './free-ports.ts'

type Test = Parameters<typeof serve>[0]

export async function startEngines(t: Test) {
  const ports = (await freePorts(2)) as [number, number]
  const engine = (name: string) => ({ name, format: 'openai', capacity: { slots: 4 }, metrics: 'vllm' })
  const server = await serve(t, {
    oneProcess: 'the load of an engine is that of its process',
    plugins: ['demos', 'llm-openai', 'ext-proc', 'grpc'],
    settings: {
      llm: {
        providers: [engine('engine-1'), engine('engine-2')],
        listeners: ports.map((port, index) => ({ port, provider: `engine-${index + 1}` })),
      },
      services: { endpoints: ports.map(port => `127.0.0.1:${port}`) },
    },
  })
  // gRPC is loaded with the first call.
  return { server, ports, grpcPort: Number(server.grpcAddress.split(':')[1]) }
}
