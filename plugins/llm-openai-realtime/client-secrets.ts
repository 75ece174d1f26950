/** Keys for a short time that start a session: sealed by the server, which therefore keeps nothing. */
import { createHmac } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { isSameSecret } from 'svc/toolkit'
import type { Engine, LlmRoute, OwnParsed } from '../llm/types.ts'
import { integer, object, oneOf } from './checks.ts'
import { newSession, showSession, updateSession, type Session } from './session.ts'

export const PREFIX = 'ek_'
/** The key has to fit into a request header. */
const MAX_KEY = 8192
const MAX_JSON = 64 * 1024
const USUAL_SECONDS = 600
const SESSION_SECONDS = { from: 10, to: 7200 }
const MIN_CHARACTERS = 32

interface Sealed {
  /** Makes each key another one. */
  id: string
  provider: string
  expiresAt: number
  session: Session
}

export class ClientSecrets {
  readonly #secret: () => Promise<Buffer>

  constructor(secret: () => Promise<Buffer>) {
    this.#secret = secret
  }

  async seal(content: Sealed): Promise<string> {
    const body = deflateRawSync(JSON.stringify(content)).toString('base64url')
    return `${PREFIX}${signature(await this.#secret(), body)}${body}`
  }

  /** The session of a key; null: it is not valid for this provider, or has expired. */
  async open(key: string, provider: string, now: number): Promise<Session | null> {
    if (key.length > MAX_KEY || !key.startsWith(PREFIX)) return null
    const given = key.slice(PREFIX.length, PREFIX.length + MIN_CHARACTERS)
    const body = key.slice(PREFIX.length + MIN_CHARACTERS)
    if (!isSameSecret(given, signature(await this.#secret(), body))) return null
    const json = inflateRawSync(Buffer.from(body, 'base64url'), { maxOutputLength: MAX_JSON }).toString()
    const content = JSON.parse(json) as Sealed
    return content.provider === provider && content.expiresAt > now / 1000 ? content.session : null
  }
}

function signature(secret: Buffer, body: string): string {
  return createHmac('sha256', secret).update(body).digest('base64url').slice(0, MIN_CHARACTERS)
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

interface SecretWire {
  body: object
}

export function createClientSecret(
  engine: Engine,
  { path, base, secrets }: { path: string; base: string; secrets: ClientSecrets },
): LlmRoute<OwnParsed<SecretWire>> {
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
          body: JSON.stringify({ session: { type: 'realtime', model: 'svc-gpt' } }),
          bodyType: 'json',
          expectStatus: 200,
        },
      ],
    },
    async parse(input) {
      const { expires_after: after, session: given = {} } = form(engine, input.json(), '') as ClientSecretBody
      const named = engine.json.own(given, 'type') === 'transcription' ? 'transcription' : 'realtime'
      const model = input.defaultModel ?? 'svc-gpt'
      const session = updateSession(engine, newSession(named, model), given)
      const expiresAt = Math.floor(Date.now() / 1000) + (after?.seconds ?? USUAL_SECONDS)
      const content = { id: engine.randomId(16), provider: input.provider, expiresAt, session }
      const value = JSON.stringify(content).length > MAX_JSON ? null : await secrets.seal(content)
      if (value === null || value.length > MAX_KEY)
        throw engine.badInput('The session is too large for a client secret. Send the rest with session.update.', {
          param: 'session',
          code: 'invalid_value',
        })
      const shown = showSession(session, { id: `sess_${engine.randomId(24)}`, expiresAt })
      const body = { value, expires_at: expiresAt, session: shown }
      return { op: 'own', promptTokens: 0, completionTokens: 0, wire: { body } }
    },
    render: (_result, { wire }) => ({ body: wire.body }),
  }
}
