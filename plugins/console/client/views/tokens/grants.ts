/** The ways to get a token, each with its fields. */
import { authorize, redirectUri } from '../../lib/tokens/code-flow.ts'
import { urlAt } from '../../lib/instance/gateway.ts'
import { parseJson } from '../../lib/protocol/http.ts'
import { randomSecret } from '../../lib/protocol/ids.ts'
import { sendAndRead, challengeOf, postForm, type Client } from '../../lib/tokens/oauth.ts'
import type { Gateway } from '../../lib/shell/storage.ts'
import { note, takeTokens, token } from './lab.ts'

export type GrantKey = 'client_credentials' | 'password' | 'authorization_code' | 'refresh_token' | 'exchange' | 'order'
export type FieldKey = 'username' | 'password' | 'refresh' | 'subject' | 'actor' | 'audience' | 'order' | 'nonce'

export interface Grant {
  key: GrantKey
  title: string
  about: string
  fields: readonly FieldKey[]
  /** Whether it takes scope and resource. */
  isScoped: boolean
}

export const GRANTS: readonly Grant[] = [
  {
    key: 'client_credentials',
    title: 'Client credentials',
    about: 'A token for the client itself, without a user.',
    fields: [],
    isScoped: true,
  },
  {
    key: 'password',
    title: 'Password',
    about: 'A token for a user: demo, alice or bob. The password is the user name.',
    fields: ['username', 'password'],
    isScoped: true,
  },
  {
    key: 'authorization_code',
    title: 'Code with PKCE',
    about: 'The user signs in in a window of the provider. The client svc-public needs no secret.',
    fields: ['nonce'],
    isScoped: true,
  },
  {
    key: 'refresh_token',
    title: 'Refresh',
    about: 'Exchanges a refresh token for new tokens. A refresh token works only once.',
    fields: ['refresh'],
    isScoped: true,
  },
  {
    key: 'exchange',
    title: 'Token exchange',
    about: 'Exchanges a token for one with another audience, optionally on behalf of someone (RFC 8693).',
    fields: ['subject', 'actor', 'audience'],
    isScoped: true,
  },
  {
    key: 'order',
    title: 'Custom token',
    about: 'A token as you specify it, for example expired, for another audience, or with a wrong signature.',
    fields: ['order'],
    isScoped: false,
  },
]

export type GrantValues = Record<FieldKey | 'scope' | 'resource', string>

export const NO_VALUES: GrantValues = {
  username: 'alice',
  password: 'alice',
  refresh: '',
  subject: '',
  actor: '',
  audience: '',
  nonce: '',
  scope: '',
  resource: '',
  order: '{\n  "expires_in": -60,\n  "claims": { "aud": "other" },\n  "wrong_signature": false\n}',
}

const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'
const TOKEN_PATH = '/oauth/token'

/** Gets tokens. Throws the error of the provider or of the browser. */
export async function getToken(
  grant: GrantKey,
  values: GrantValues,
  client: Client,
  gateway: Gateway | null,
  { opened, signal }: { opened: Window | null; signal: AbortSignal },
): Promise<void> {
  const { scope, resource } = values
  const post = (what: string, fields: Record<string, string>) =>
    postForm(what, TOKEN_PATH, { ...fields, scope, resource }, client, gateway)
      .then(note)
      .then(takeTokens)
  switch (grant) {
    case 'client_credentials':
      return post('Client credentials', { grant_type: grant })
    case 'password':
      return post('Password', { grant_type: grant, username: values.username, password: values.password })
    case 'refresh_token':
      return post('Refresh', { grant_type: grant, refresh_token: values.refresh })
    case 'exchange':
      return post('Token exchange', {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        audience: values.audience,
        subject_token: values.subject,
        subject_token_type: TOKEN_TYPE,
        ...(values.actor === '' ? {} : { actor_token: values.actor, actor_token_type: TOKEN_TYPE }),
      })
    case 'authorization_code':
      return byCode(values, client, gateway, opened!, signal)
    case 'order':
      return customToken(values.order, gateway)
  }
}

async function byCode(
  { scope, resource, nonce }: GrantValues,
  client: Client,
  gateway: Gateway | null,
  opened: Window,
  signal: AbortSignal,
): Promise<void> {
  const [verifier, state] = [randomSecret(), randomSecret()]
  const { challenge, method } = await challengeOf(verifier)
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    scope: scope || 'openid profile email',
    state,
    code_challenge: challenge,
    code_challenge_method: method,
    ...(nonce === '' ? {} : { nonce }),
    ...(resource === '' ? {} : { resource }),
  })
  const authorization = await authorize(opened, urlAt(`/oauth/authorize?${query}`, gateway), state, signal)
  if (authorization.code === undefined)
    throw new Error(
      `${authorization.error ?? 'No code'}: ${authorization.error_description ?? 'the provider gave no reason'}`,
    )
  takeTokens(
    note(
      await postForm(
        'Code for tokens',
        TOKEN_PATH,
        {
          grant_type: 'authorization_code',
          code: authorization.code,
          redirect_uri: redirectUri,
          code_verifier: verifier,
          resource,
        },
        client,
        gateway,
      ),
    ),
  )
}

async function customToken(specification: string, gateway: Gateway | null): Promise<void> {
  if (parseJson(specification) === undefined) throw new Error('The token specification is not valid JSON.')
  const { status, body } = note(
    await sendAndRead('Custom token', {
      method: 'POST',
      path: '/oauth/debug/token',
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      body: specification,
      gateway,
    }),
  )
  const made = body as { token?: unknown; error?: unknown; error_description?: unknown }
  if (status !== 200 || typeof made.token !== 'string')
    throw new Error(`${String(made?.error ?? status)}: ${String(made?.error_description ?? 'no token')}`)
  token.value = made.token
}
