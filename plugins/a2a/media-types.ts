/** Owns whether an agent takes and gives the media types of a message. */
import { A2aError } from './errors.ts'
import type { AgentDefinition, Message, Part } from './types.ts'

/** Throws ContentTypeNotSupported when a part's type is none of the input modes, or no output mode is accepted. */
export function checkMediaTypes(
  agent: AgentDefinition,
  message: Message,
  acceptedOutputModes: readonly string[],
): void {
  for (const part of message.parts) {
    const type = typeOf(part)
    if (!agent.inputModes.some(mode => isWithin(type, mode)))
      throw notSupported(`agent ${agent.id} takes ${agent.inputModes.join(', ')}, not ${type.slice(0, 100)}`)
  }
  if (acceptedOutputModes.length === 0) return
  const ranges = acceptedOutputModes.map(essence)
  const isAccepted = agent.outputModes.some(mode => mode === '*/*' || ranges.some(range => isWithin(mode, range)))
  if (!isAccepted) throw notSupported(`agent ${agent.id} answers with ${agent.outputModes.join(', ')} alone`)
}

function typeOf(part: Part): string {
  if (part.mediaType) return essence(part.mediaType)
  if ('text' in part) return 'text/plain'
  return 'data' in part ? 'application/json' : 'application/octet-stream'
}

/** Lower case, without parameters (RFC 9110, 8.3.1). */
function essence(mediaType: string): string {
  return (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase()
}

function isWithin(type: string, range: string): boolean {
  return range === '*/*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))
}

function notSupported(message: string): A2aError {
  return new A2aError('CONTENT_TYPE_NOT_SUPPORTED', message)
}
