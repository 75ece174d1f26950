/** `GET /realtime`: the WebSocket of a realtime session. */
import type { CredentialRule, Engine, LlmRoute, OwnParsed, RouteInput, SpeechHeaders } from '../llm/types.ts'
import type { OpenAiWire } from '../llm-openai/types.ts'
import { PREFIX, type ClientSecrets } from './client-secrets.ts'
import { RealtimeConnection } from './connection.ts'
import { credentials } from './credentials.ts'
import { responseRoute } from './response-route.ts'
import { newSession, type Session } from './session.ts'

interface Handshake extends SpeechHeaders {
  session: Session
}

export interface SocketRouteOptions {
  path: string
  base: string
  secrets: ClientSecrets
  /** Names the model in the query. */
  modelParameter: 'model' | 'deployment'
  /** Further places of a credential. */
  moreCredentials?: readonly CredentialRule[]
}

const MAX_MODEL = 200

export function realtimeSocket(
  engine: Engine,
  wire: OpenAiWire,
  { path, base, secrets, modelParameter, moreCredentials = [] }: SocketRouteOptions,
): LlmRoute<OwnParsed<Handshake>> {
  const rules = [...credentials, ...moreCredentials]
  const route = { ...responseRoute(engine, wire), credentials: rules }
  return {
    method: 'GET',
    path,
    op: 'other',
    describe: {
      summary: 'open a realtime session over a WebSocket',
      protocol: 'websocket',
      takesLargeMessages: true,
      parameters: [
        {
          name: modelParameter,
          in: 'query',
          description: 'The model. Optional with a client secret, and with `intent=transcription`',
          schema: { type: 'string' },
        },
        {
          name: 'intent',
          in: 'query',
          description: '`transcription` opens a session that only transcribes',
          schema: { enum: ['transcription'] },
        },
        {
          name: 'call_id',
          in: 'query',
          description: 'There are no calls: each one gets 404',
          schema: { type: 'string' },
        },
        engine.speech.soundParameter,
      ],
      responses: {
        101: { description: 'Connected' },
        400: { description: 'No model' },
        404: { description: 'Unknown call' },
        426: { description: 'Not a WebSocket handshake' },
        default: { description: "An error in the provider's format" },
      },
      examples: [{ name: 'Handshake', path: `${base}${path}?${modelParameter}=svc-gpt`, expectStatus: 101 }],
      subprotocol: offered => (offered.includes('realtime') ? 'realtime' : false),
    },
    credentials: rules,
    replyMembers: ['heard'],
    async acceptsCredential(value, provider) {
      if (!value.startsWith(PREFIX)) return undefined
      return (await secrets.open(value, provider)) !== null
    },
    async parse(input) {
      if (!input.isUpgrade) throw engine.badInput('Upgrade to a WebSocket required.', { status: 426 })
      const call = input.query.get('call_id')
      if (call !== null)
        throw engine.badInput(`No call found with id '${call.slice(0, 100)}'.`, { status: 404, param: 'call_id' })
      const session = await sessionOf(engine, input, { secrets, modelParameter })
      const wireOf: Handshake = { session, ...engine.speech.readSpeechHeaders(input) }
      return { op: 'own', model: session.model, promptTokens: 0, completionTokens: 0, wire: wireOf }
    },
    socket(socket, { wire: handshake }) {
      new RealtimeConnection({ engine, socket, route, ...handshake }).begin()
    },
    render: () => ({ body: {} }),
  }
}

async function sessionOf(
  engine: Engine,
  { query, credential, provider, defaultModel }: RouteInput,
  { secrets, modelParameter }: Pick<SocketRouteOptions, 'secrets' | 'modelParameter'>,
): Promise<Session> {
  const intent = query.get('intent')
  const isTranscription = intent === 'transcription'
  const model = (query.get(modelParameter) ?? query.get('model'))?.slice(0, MAX_MODEL)
  if (intent !== null && !isTranscription)
    throw engine.badInput("Invalid value for 'intent': expected transcription.", {
      param: 'intent',
      code: 'invalid_value',
    })
  const sealed = credential === null ? null : await secrets.open(credential.value, provider)
  if (sealed !== null) return model ? { ...sealed, model } : sealed
  if (!model && !isTranscription)
    throw engine.badInput("You must provide a model parameter: '?model='.", {
      param: modelParameter,
      code: 'missing_model',
    })
  return newSession(isTranscription ? 'transcription' : 'realtime', model || defaultModel || 'svc-gpt')
}
