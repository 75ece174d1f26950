/** Owns server reflection, v1 and v1alpha alike (grpc/reflection/v1/reflection.proto). */
import { status } from '@grpc/grpc-js'
import type { ServerDuplexStream, UntypedServiceImplementation } from '@grpc/grpc-js'
import { createDescriptorIndex } from './descriptor-index.ts'
import type { DescriptorIndex } from './descriptor-index.ts'

interface ReflectionRequest {
  host: string
  /** Which of the questions below is asked; undefined when none is. */
  message_request?: 'file_by_filename' | 'file_containing_symbol' | 'file_containing_extension' | 'all_extension_numbers_of_type' | 'list_services'
  file_by_filename?: string
  file_containing_symbol?: string
  all_extension_numbers_of_type?: string
}

export function createReflection(descriptorSet: Buffer): UntypedServiceImplementation {
  const index = createDescriptorIndex(descriptorSet)
  return {
    ServerReflectionInfo(call: ServerDuplexStream<ReflectionRequest, object>) {
      call.on('data', (request: ReflectionRequest) => {
        const isTaken = call.write({ valid_host: request.host, original_request: request, ...answer(index, request) })
        if (isTaken) return
        call.pause()
        call.once('drain', () => call.resume())
      })
      call.on('end', () => call.end())
    },
  } as UntypedServiceImplementation
}

function answer(index: DescriptorIndex, request: ReflectionRequest): object {
  switch (request.message_request) {
    case 'list_services':
      return { list_services_response: { service: index.services.map(name => ({ name })) } }
    case 'file_by_filename':
      return files(index.byFilename(request.file_by_filename!), request.file_by_filename!)
    case 'file_containing_symbol':
      return files(index.bySymbol(request.file_containing_symbol!), request.file_containing_symbol!)
    case 'all_extension_numbers_of_type': {
      const name = request.all_extension_numbers_of_type!
      // None of our messages can be extended.
      return index.isMessage(name) ? { all_extension_numbers_response: { base_type_name: name, extension_number: [] } } : notFound(name)
    }
    case 'file_containing_extension':
      return notFound('the extension')
    default:
      return { error_response: { error_code: status.INVALID_ARGUMENT, error_message: 'no question is set' } }
  }
}

function files(found: Buffer[] | null, name: string): object {
  return found === null ? notFound(name) : { file_descriptor_response: { file_descriptor_proto: found } }
}

function notFound(name: string): object {
  return { error_response: { error_code: status.NOT_FOUND, error_message: `${name.slice(0, 200)} is not known` } }
}
