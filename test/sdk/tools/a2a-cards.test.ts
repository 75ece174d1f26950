/** Signed cards and other variants of the card, verified by `jose` and by the official SDK. */
import { canonicalizeAgentCard, verifyAgentCardSignature, type AgentCard } from '@a2a-js/sdk'
import { createLocalJWKSet, decodeProtectedHeader, flattenedVerify, type JSONWebKeySet, type JWK } from 'jose'
import t from 'tap'
import { canonicalCard } from '../../../plugins/a2a/cards/canonical.ts'
import { CARD_VARIANTS } from '../../../plugins/a2a/cards/variants.ts'
import type { Json } from '../../support/a2a.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t)
const get = async (path: string, from = url): Promise<Json> => (await fetch(from + path)).json()
const card = (agent: string, variant: string, from = url) => get(`/a2a/${agent}/cards/${variant}`, from)

/** Whether one of the signatures is valid. */
async function isValid(signed: Json, from = url): Promise<boolean> {
  const keys = createLocalJWKSet((await get('/a2a/jwks.json', from)) as JSONWebKeySet)
  const { signatures, ...unsigned } = signed
  const payload = Buffer.from(canonicalCard(unsigned)).toString('base64url')
  for (const { protected: header, signature } of signatures) {
    try {
      await flattenedVerify({ payload, protected: header, signature }, keys)
      return true
    } catch {
      // The next one may be valid.
    }
  }
  return false
}

/** Whether the official SDK accepts the card; it takes the key that the header names. */
async function isAccepted(signed: Json): Promise<boolean> {
  const { keys } = (await get('/a2a/jwks.json')) as { keys: JWK[] }
  const debug = console.debug
  console.debug = () => {}
  try {
    await verifyAgentCardSignature(async kid => {
      const key = keys.find(known => known.kid === kid)
      if (!key) throw new Error('unknown key')
      return key
    })(signed as AgentCard)
    return true
  } catch {
    return false
  } finally {
    console.debug = debug
  }
}

t.test('each variant is valid or wrong as its name says [A2A-35]', async t => {
  const valid = ['signed', 'signed-two', 'full']
  const plain = await get('/a2a/jwks.json')
  t.match(plain, { keys: [{ kty: 'EC', crv: 'P-256', kid: 'svc-a2a-1', alg: 'ES256', use: 'sig', d: undefined }] })
  for (const agent of ['echo', 'secure'])
    for (const variant of CARD_VARIANTS) {
      const shown = await card(agent, variant)
      t.notOk('url' in shown, 'no keys of 0.3')
      if (shown.signatures === undefined) {
        t.ok(['grpc', 'tenant'].includes(variant), `${variant} has no signatures`)
        continue
      }
      t.equal(await isValid(shown), valid.includes(variant), `${agent} ${variant}`)
      t.equal(await isAccepted(shown), valid.includes(variant), `${agent} ${variant}, by the SDK`)
      t.equal(canonicalCard(shown), canonicalizeAgentCard(shown as AgentCard), 'the same canonical form')
    }
  const [signature] = (await card('echo', 'signed')).signatures
  t.same(decodeProtectedHeader(signature), { alg: 'ES256', kid: 'svc-a2a-1', typ: 'JOSE', jku: `${url}/a2a/jwks.json` })
  t.match(decodeProtectedHeader((await card('echo', 'signed-unknown-key')).signatures[0]), { kid: /unknown/ })
  t.match(decodeProtectedHeader((await card('echo', 'signed-none')).signatures[0]), { alg: 'none' })
  t.match((await card('echo', 'signed-tampered')).name, /\(changed\)$/)
})

t.test('the other variants add interfaces [A2A-35]', async t => {
  const interfacesOf = async (variant: string) =>
    (await card('weather', variant)).supportedInterfaces.map(
      ({ protocolBinding, tenant, protocolVersion }: Json) => `${protocolBinding} ${protocolVersion} ${tenant ?? '-'}`,
    )
  const plain = ['JSONRPC 1.0 -', 'HTTP+JSON 1.0 -', 'JSONRPC 0.3 -', 'HTTP+JSON 0.3 -']
  const tenants = ['JSONRPC 1.0 acme', 'HTTP+JSON 1.0 acme', 'JSONRPC 1.0 globex', 'HTTP+JSON 1.0 globex']
  t.same(await interfacesOf('signed'), plain)
  t.same(await interfacesOf('tenant'), [...plain, ...tenants])
  t.same(await interfacesOf('grpc'), [...plain, 'GRPC 1.0 weather'])
  t.same(await interfacesOf('full'), [...plain, 'GRPC 1.0 weather', ...tenants])
  const one = await serve(t, { oneProcess: 'the card contains its gRPC port' })
  t.equal((await card('weather', 'grpc', one.url)).supportedInterfaces[4].url, `127.0.0.1:${one.ports.grpc}`)
})

t.test('a variant is cached like the plain card, and an unknown one is 404 [A2A-35, A2A-1]', async t => {
  const path = '/a2a/echo/cards/signed'
  const first = await fetch(url + path)
  const tag = first.headers.get('etag')!
  t.equal(first.headers.get('cache-control'), 'public, max-age=300')
  t.equal((await fetch(`${url}${path}/.well-known/agent-card.json`)).headers.get('etag'), tag, 'signed once')
  t.equal((await fetch(url + path, { headers: { 'If-None-Match': tag } })).status, 304)
  const unknown = await fetch(`${url}/a2a/echo/cards/nope`)
  t.equal(unknown.status, 404)
  t.match(await unknown.json(), { error: 'unknown_variant', variants: [...CARD_VARIANTS] })
  t.match(await card('nobody', 'signed'), { error: 'unknown_agent' })
  t.equal((await fetch(`${url}/a2a/jwks.json`)).headers.get('cache-control'), 'no-cache')
})

t.test(
  'a configured variant is the answer of the plain routes, and the extended card is signed too [A2A-35]',
  async t => {
    const other = await serve(t, { yaml: 'a2a: { card: signed, tenants: [one] }' })
    for (const path of ['/.well-known/agent-card.json', '/a2a/echo', '/a2a/echo/.well-known/agent-card.json'])
      t.ok(await isValid(await get(path, other.url), other.url), path)
    t.equal((await get('/a2a/echo/.well-known/agent.json', other.url)).protocolVersion, '0.3.0')
    const token = (await (
      await fetch(`${other.url}/oauth/token`, {
        method: 'POST',
        headers: { Authorization: `Basic ${Buffer.from('svc:svc-secret').toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      })
    ).json()) as { access_token: string }
    const extended = await fetch(`${other.url}/a2a/secure/v1/extendedAgentCard`, {
      headers: { Authorization: `Bearer ${token.access_token}`, 'A2A-Version': '1.0' },
    })
    t.equal(extended.headers.get('cache-control'), 'private, no-store')
    t.ok(await isValid(await extended.json(), other.url))
    t.equal((await card('echo', 'tenant', other.url)).supportedInterfaces.length, 6)
    const wrong = await serve(t, { yaml: 'a2a: { card: sined, tenants: [One] }' })
    const { load_errors: errors } = (await (await fetch(`${wrong.url}/_svc/plugins`)).json()) as { load_errors: Json[] }
    t.equal(errors.length, 2)
  },
)
