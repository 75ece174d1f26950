/** Keys for a short time that start a session: sealed by the server, which therefore keeps nothing. */
import type { JsonObject } from 'svc/plugin'
import type { Engine, HandlerRoute, Signed } from '../llm/types.ts'
import { integer, object, oneOf } from './checks.ts'
import { newSession, showSession, updateSession, type Session } from './session.ts'

export const PREFIX = 'ek_'
/** The key has to fit into a request header. */
const MAX_KEY = 8192
const MAX_JSON = 64 * 1024
const USUAL_SECONDS = 600
const SESSION_SECONDS = { from: 10, to: 7200 }

/** What a key contains. */
interface Sealed {
  /** Makes each key another one. */
  id: string
  provider: string
  session: Session
}

export class ClientSecrets {
  readonly #signed: Signed

  constructor(signed: Signed) {
    this.#signed = signed
  }

  /** Null: the session is too large for a key. */
  async seal(content: Sealed, ttlMs: number): Promise<string | null> {
    const json = JSON.stringify(content)
    if (json.length > MAX_JSON) return null
    const key = PREFIX + (await this.#signed.seal(JSON.parse(json) as JsonObject, ttlMs))
    return key.length > MAX_KEY ? null : key
  }

  /** The session of a key; null: it is not valid for this provider, or has expired. */
  async open(key: string, provider: string): Promise<Session | null> {
    if (key.length > MAX_KEY || !key.startsWith(PREFIX)) return null
    const content = (await this.#signed.open(key.slice(PREFIX.length))) as Sealed | undefined
    return content?.provider === provider ? content.session : null
  }
}

const form = object({
  expires_after: object({
    anchor: oneOf('created_at'),
    seconds: integer(SESSION_SECONDS.from, SESSION_SECONDS.to),
  }),
  session: (_engine, value) => value,
})

interface ClientSecretBody {
  expires_after?: { seconds?: number }
  session?: unknown
}

export function createClientSecret(
  engine: Engine,
  { path, base, secrets }: { path: string; base: string; secrets: ClientSecrets },
): HandlerRoute {
  return {
    method: 'POST',
    path,
    op: 'other',
    describe: {
      summary: 'create a client secret for a realtime session',
      requestBody: { required: true, content: { 'application/json': { type: 'object' } } },
      examples: [
        {
          name: 'Key for a browser',
          method: 'POST',
          path: `${base}${path}`,
          json: { session: { type: 'realtime', model: 'svc-gpt' } },
        },
      ],
    },
    async handle(input) {
      const { expires_after: after, session: given = {} } = form(engine, input.json(), '') as ClientSecretBody
      const named = engine.json.own(given, 'type') === 'transcription' ? 'transcription' : 'realtime'
      const model = input.defaultModel ?? 'svc-gpt'
      const session = updateSession(engine, newSession(named, model), given)
      const expiresAt = Math.floor(Date.now() / 1000) + (after?.seconds ?? USUAL_SECONDS)
      const content = { id: engine.randomId(16), provider: input.provider, session }
      const value = await secrets.seal(content, expiresAt * 1000 - Date.now())
      if (value === null)
        throw engine.badInput('The session is too large for a client secret. Send the rest with session.update.', {
          param: 'session',
          code: 'invalid_value',
        })
      const shown = showSession(session, { id: `sess_${engine.randomId(24)}`, expiresAt })
      return { body: { value, expires_at: expiresAt, session: shown } }
    },
  }
}
