/** Opens a service: its definition, its methods and its descriptor set. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceDefinition } from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader'
import type { GrpcImplementation } from '../grpc/types.ts'
import type { CallContext, Methods, ServiceSvc } from './call.ts'
import { SERVICES } from './catalog.ts'
import { addMethods } from './services/add.ts'
import { greeterMethods } from './services/greeter.ts'
import { grpcEchoMethods } from './services/grpc-echo.ts'
import { grpcbinMethods } from './services/grpcbin.ts'
import { helloMethods } from './services/hello.ts'
import { istioEchoMethods } from './services/istio-echo.ts'
import { pingMethods } from './services/ping.ts'
import { testServiceMethods } from './services/test-service.ts'
import { whoamiMethods } from './services/whoami.ts'

const METHODS: Readonly<Record<string, (context: CallContext, definition: ServiceDefinition) => Methods>> = {
  'grpc.testing.TestService': testServiceMethods,
  'gateway_api_conformance.echo_basic.grpcecho.GrpcEcho': grpcEchoMethods,
  'helloworld.Greeter': greeterMethods,
  'grpcbin.GRPCBin': grpcbinMethods,
  'hello.HelloService': helloMethods,
  'addsvc.Add': addMethods,
  'proto.EchoTestService': istioEchoMethods,
  'fgrpc.PingServer': pingMethods,
  'whoami.Whoami': whoamiMethods,
}

interface Definitions {
  /** By file. */
  sets: ReadonlyMap<string, Buffer>
  /** By full name. */
  services: ReadonlyMap<string, ServiceDefinition>
}

export function openService(svc: ServiceSvc, name: string): GrpcImplementation {
  const { sets, services } = svc.shared('definitions', () => readDefinitions(svc.folder))
  const { file } = SERVICES.find(service => service.name === name)!
  return {
    definition: services.get(name)!,
    handlers: METHODS[name]!({ svc, grpc: svc.use('grpc.services')! }, services.get(name)!),
    reflection: sets.get(file)!,
  }
}

/** Reads all sets as one, because each reading takes a while. A field that is absent from a message is undefined. */
function readDefinitions(folder: string): Definitions {
  const sets = new Map(
    SERVICES.map(({ file }) => [file, readFileSync(join(folder, '..', '..', 'proto', 'services', `${file}.binpb`))]),
  )
  // A FileDescriptorSet has one repeated field: sets in a row are one set.
  const loaded = loadFileDescriptorSetFromBuffer(Buffer.concat([...sets.values()]), {
    keepCase: true,
    longs: String,
    enums: String,
  })
  return { sets, services: new Map(SERVICES.map(({ name }) => [name, loaded[name] as ServiceDefinition])) }
}
