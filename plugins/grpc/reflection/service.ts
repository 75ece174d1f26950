/**
 * Owns server reflection, v1 and v1alpha (grpc/reflection/v1/reflection.proto): the library's service over the files as the
 * compiler wrote them. What the loader would derive has made-up names that strict clients refuse.
 */
import { status } from '@grpc/grpc-js'
import type { ServerDuplexStream, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js'
import { ReflectionService } from '@grpc/reflection'
import type { ProtocolDefinitions } from '../definitions.ts'
import { filesOf } from './descriptor-files.ts'

/** One version of the protocol, to be added to servers. */
export interface Reflection {
  service: ServiceDefinition
  implementation: UntypedServiceImplementation
}

interface Request {
  /** Which question is asked; undefined when none is. */
  messageRequest?: string
  allExtensionNumbersOfType?: string
}
interface Response {
  validHost: string
  originalRequest: Request
  listServicesResponse?: { service: { name: string }[] }
  fileDescriptorResponse?: { fileDescriptorProto: Uint8Array[] }
  allExtensionNumbersResponse?: { baseTypeName: string; extensionNumber: number[] }
  errorResponse?: { errorCode: number; errorMessage: string }
}
type Call = ServerDuplexStream<Request, Response>

/** Both versions. Reading all files takes a tenth of a second: servers share the result. */
export function createReflection(definitions: ProtocolDefinitions): Reflection[] {
  // Of a definition the library reads the files alone.
  const library = new ReflectionService({
    any: {
      format: 'Protocol Buffer 3 EnumDescriptorProto',
      type: {},
      fileDescriptorProtos: filesOf(definitions.descriptorSet),
    },
  })
  const versions: Reflection[] = []
  library.addToServer({
    addService(service, { ServerReflectionInfo: answer }) {
      versions.push({
        service,
        implementation: {
          ServerReflectionInfo: (call: Call) => (answer as (call: Call) => void)(withCorrections(call, definitions)),
        },
      })
    },
  })
  return versions
}

/** The call, whose answers are corrected on their way out; nothing is read while the client takes no answers. */
function withCorrections(call: Call, definitions: ProtocolDefinitions): Call {
  const write = call.write.bind(call) as (response: Response) => boolean
  call.write = (response: Response) => {
    const isTaken = write(correct(response, definitions))
    if (!isTaken) {
      call.pause()
      call.once('drain', () => call.resume())
    }
    return isTaken
  }
  return call
}

/**
 * Where the library falls short of the protocol: no question is an invalid argument, a message that nothing extends has
 * no extensions, a name that every object inherits names nothing. Services are listed in the order of their names.
 */
function correct(response: Response, { isMessage }: ProtocolDefinitions): Response {
  const { validHost, originalRequest, listServicesResponse, fileDescriptorResponse } = response
  const refuse = (errorCode: status, errorMessage: string): Response => ({
    validHost,
    originalRequest,
    errorResponse: { errorCode, errorMessage },
  })
  if (originalRequest.messageRequest === undefined) return refuse(status.INVALID_ARGUMENT, 'message_request is not set')
  if (originalRequest.messageRequest === 'allExtensionNumbersOfType') {
    const baseTypeName = originalRequest.allExtensionNumbersOfType ?? ''
    if (!isMessage(baseTypeName)) return refuse(status.NOT_FOUND, 'unknown message type')
    return {
      validHost,
      originalRequest,
      allExtensionNumbersResponse: response.allExtensionNumbersResponse ?? { baseTypeName, extensionNumber: [] },
    }
  }
  if (fileDescriptorResponse?.fileDescriptorProto.some(({ length }) => length === 0))
    return refuse(status.NOT_FOUND, 'unknown symbol')
  if (listServicesResponse === undefined) return response
  return {
    ...response,
    listServicesResponse: { service: listServicesResponse.service.toSorted((a, b) => (a.name < b.name ? -1 : 1)) },
  }
}
