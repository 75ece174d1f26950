/** The WebSocket of Gemini's Live API. */
import type { CredentialRule, Engine, LlmRoute, OwnParsed, RouteValidation, SpeechHeaders } from '../llm/types.ts'
import type { ReadGeminiRequest } from '../llm-gemini/types.ts'
import { LiveConnection } from './connection.ts'
import type { SessionHandles } from './session-handles.ts'
import { turnRoute } from './turn-route.ts'

export interface LiveServices {
  engine: Engine
  readRequest: ReadGeminiRequest
  handles: SessionHandles
  /** What the vendor refuses in a setup. */
  validation: RouteValidation
}

const CREDENTIALS: readonly CredentialRule[] = [
  { source: 'query-access-token', query: 'access_token', description: 'For browsers' },
]

export function liveSocket(services: LiveServices, version: string): LlmRoute<OwnParsed<SpeechHeaders>> {
  const { engine, validation } = services
  const path = `/ws/google.ai.generativelanguage.${version}.GenerativeService.BidiGenerateContent`
  const route = { ...turnRoute(engine, services.readRequest), credentials: CREDENTIALS, validation }
  return {
    method: 'GET',
    path,
    op: 'other',
    describe: {
      summary: 'open a live session over a WebSocket',
      protocol: 'websocket',
      takesLargeMessages: true,
      parameters: [engine.speech.soundParameter],
      responses: {
        101: { description: 'Connected' },
        426: { description: 'Not a WebSocket handshake' },
        default: { description: "An error in the provider's format" },
      },
      examples: [{ name: 'Handshake', path: `/ai/gemini${path}`, expectStatus: 101 }],
    },
    credentials: CREDENTIALS,
    validation,
    parse(input) {
      if (!input.isUpgrade) throw engine.badInput('Upgrade to a WebSocket required.', { status: 426 })
      return { op: 'own', promptTokens: 0, completionTokens: 0, wire: engine.speech.readSpeechHeaders(input) }
    },
    socket(socket, { wire }, { provider, session }) {
      new LiveConnection({ ...services, socket, route, owner: { provider, session }, ...wire }).begin()
    },
    render: () => ({ body: {} }),
  }
}
