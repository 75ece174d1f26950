/** Credentials that are verified: tokens of the built-in provider, request signatures, certificates in headers. */
import { createHmac } from 'node:crypto'
import type { Family } from '../engine.ts'
import { mutateText } from '../mutate.ts'
import type { HttpInput, Target } from './server.ts'

const WORDS = [
  '.',
  'eyJhbGciOiJub25lIn0',
  'eyJhbGciOiJIUzI1NiJ9',
  '=',
  '"',
  ',',
  'keyId=',
  'headers="',
  'Bearer ',
  '-----BEGIN CERTIFICATE-----',
  '%0A',
  ':',
  'sig1=(',
  ')',
]

export async function credentials(target: Target, slice: number): Promise<Family<HttpInput>> {
  const answer = await fetch(`${target.server.url}/oauth/debug/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  const certificate = encodeURIComponent(await (await fetch(`${target.server.url}/auth/mtls/get-client-cert`)).text())
  const date = new Date().toUTCString()
  const signature = createHmac('sha256', 'password').update(`date: ${date}`).digest('base64')
  const get = (path: string, headers: Record<string, string>): HttpInput => ({
    method: 'GET',
    path,
    headers,
    body: null,
  })
  const bearer = { authorization: `Bearer ${token}` }
  return {
    name: 'credentials',
    slice,
    inFlight: 6,
    seeds: [
      get('/auth/jwt', bearer),
      get('/auth/jwt/decode', bearer),
      get('/oauth/userinfo', bearer),
      get('/mcp/protected', bearer),
      get('/a2a/echo/v1/extendedAgentCard', bearer),
      get('/auth/hmac', {
        authorization: `hmac username="user", algorithm="hmac-sha256", headers="date", signature="${signature}"`,
        date,
      }),
      get('/auth/hmac', {
        signature: `keyId="user",headers="date",signature="${signature}"`,
        date,
        digest: 'SHA-256=x',
      }),
      get('/auth/hmac', {
        'signature-input': 'sig1=("@method");created=1;keyid="user"',
        signature: `sig1=:${signature}:`,
      }),
      get('/auth/basic-auth', { authorization: `Basic ${Buffer.from('user:password').toString('base64')}` }),
      get('/auth/mtls', { 'x-client-cert': certificate.slice(0, 6000) }),
      {
        method: 'POST',
        path: '/ai/bedrock/model/x/converse',
        headers: {
          authorization:
            'AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature=0',
          'x-amz-date': '20260101T000000Z',
        },
        body: '{}',
      },
    ],
    mutate: (random, seed) => {
      const name = random.pick(Object.keys(seed.headers))
      return {
        ...seed,
        headers: {
          ...seed.headers,
          [name]: mutateText(random, seed.headers[name]!, WORDS)
            .replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')
            .slice(0, 12_000),
        },
      }
    },
    run: input => target.send(input),
  }
}
