/** Checks the media types of a message against those of an agent. */
import { A2aError } from './errors.ts'
import type { AgentDefinition, Message, Part } from '../types.ts'

/** Throws ContentTypeNotSupported if a part matches no input mode, or the client accepts no output mode. */
export function checkMediaTypes(
  agent: AgentDefinition,
  message: Message,
  acceptedOutputModes: readonly string[],
): void {
  for (const part of message.parts) {
    const type = typeOf(part)
    if (!agent.inputModes.some(mode => isWithin(type, mode)))
      throw notSupported(
        `agent ${agent.id} does not accept ${type.slice(0, 100)} (accepted: ${agent.inputModes.join(', ')})`,
      )
  }
  if (acceptedOutputModes.length === 0) return
  const ranges = acceptedOutputModes.map(essence)
  const isAccepted = agent.outputModes.some(mode => mode === '*/*' || ranges.some(range => isWithin(mode, range)))
  if (!isAccepted)
    throw notSupported(
      `agent ${agent.id} supports none of the accepted output modes (supported: ${agent.outputModes.join(', ')})`,
    )
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
