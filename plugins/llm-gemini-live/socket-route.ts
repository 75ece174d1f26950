/** The WebSocket of Gemini's Live API. */
import type { CredentialRule, Engine, LlmRoute, OwnParsed, RouteInput } from '../llm/types.ts'
import type { ReadGeminiRequest } from '../llm-gemini/types.ts'
import { LiveConnection } from './connection.ts'
import type { SessionHandles } from './session-handles.ts'
import { turnRoute } from './turn-route.ts'

export interface LiveServices {
  engine: Engine
  readRequest: ReadGeminiRequest
  handles: SessionHandles
}

interface Handshake {
  spokenText: string | null
  sound: 'silence' | 'tone'
}

const CREDENTIALS: readonly CredentialRule[] = [
  { source: 'query-access-token', query: 'access_token', description: 'For browsers' },
]

export function liveSocket(services: LiveServices, version: string): LlmRoute<OwnParsed<Handshake>> {
  const { engine } = services
  const path = `/ws/google.ai.generativelanguage.${version}.GenerativeService.BidiGenerateContent`
  const route = { ...turnRoute(engine, services.readRequest), credentials: CREDENTIALS }
  return {
    method: 'GET',
    path,
    op: 'other',
    describe: {
      summary: 'open a live session over a WebSocket',
      protocol: 'websocket',
      takesLargeMessages: true,
      parameters: [
        {
          name: 'X-Svc-Audio',
          in: 'header',
          description: 'The sound of replies',
          schema: { enum: ['silence', 'tone'] },
        },
      ],
      responses: {
        101: { description: 'Connected' },
        426: { description: 'Not a WebSocket handshake' },
        default: { description: "An error in the provider's format" },
      },
      examples: [{ name: 'Handshake', path: `/ai/gemini${path}`, expectStatus: 101 }],
    },
    credentials: CREDENTIALS,
    parse(input) {
      if (!input.isUpgrade) throw engine.badInput('Upgrade to a WebSocket required.', { status: 426 })
      const wire: Handshake = { spokenText: spokenTextOf(engine, input), sound: soundOf(input) }
      return { op: 'own', promptTokens: 0, completionTokens: 0, wire }
    },
    socket(socket, { wire }, { provider, session }) {
      new LiveConnection({ ...services, socket, route, owner: { provider, session }, ...wire }).begin()
    },
    render: () => ({ body: {} }),
  }
}

/** What spoken input says, if the header names it. */
function spokenTextOf(engine: Engine, input: RouteInput): string | null {
  const text = engine.json.own(input.replyMembers(), 'heard')
  if (text === undefined) return null
  if (typeof text === 'string') return text
  throw engine.badInput('X-Svc-Reply-Json: heard: expected a text', { param: 'X-Svc-Reply-Json' })
}

function soundOf({ headers, ignoreHeader }: RouteInput): Handshake['sound'] {
  const given = headers['x-svc-audio']
  if (given === undefined || given === 'silence') return 'silence'
  if (given === 'tone') return 'tone'
  ignoreHeader('X-Svc-Audio', 'expected silence or tone')
  return 'silence'
}
