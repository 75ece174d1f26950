/** Verification of tokens, including forged ones. */
import t from 'tap'
import { createHmac, createSign, generateKeyPairSync } from 'node:crypto'
import { BoundedMap } from '../../../core/toolkit/toolkit.ts'
import { generateJwk } from '../../../plugins/identity/jwt/algorithms.ts'
import { createImportedKeys, importThrough, publicJwk } from '../../../plugins/identity/keys/imported-keys.ts'
import { decodeCompactJwt } from '../../../plugins/identity/jwt/compact-jwt.ts'
import type { TokenChecks, TokenReason } from '../../../plugins/identity/types.ts'
import { type KnownToken, verifyToken } from '../../../plugins/identity/tokens/verification.ts'

const stored = { kid: 'svc-rs256-key', alg: 'RS256' as const, jwk: await generateJwk('RS256') }
const { publicKey } = importThrough(createImportedKeys())(stored)
const jwk = publicJwk(stored)
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const secret = 'svc-demo-secret-do-not-use-in-production'
const now = 1_763_712_000
const keys = {
  issuer: 'default',
  keys: [{ alg: 'RS256' as const, key: publicKey, id: 'k' }],
  secret,
  known: new BoundedMap<KnownToken>(100),
}
const good = { iss: 'i', sub: 's', aud: 'svc', exp: now + 60 }

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
/** A token signed with the demo secret or `key`, with any header. */
function forge(
  claims: unknown,
  header: unknown = { alg: 'HS256' },
  key: string | Buffer = secret,
  hash = 'sha256',
): string {
  const input = `${encode(header)}.${encode(claims)}`
  return `${input}.${createHmac(hash, key).update(input).digest('base64url')}`
}
/** The name of a token in the cache, if only its signature and dates were checked. */
const cached = (token: string): string => `[null,null,null] ${token}`
async function outcome(token: string, checks: TokenChecks = {}): Promise<TokenReason | 'valid'> {
  const verification = await verifyToken(token, checks, keys, now)
  return verification.valid ? 'valid' : verification.reason
}
const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 })
function signRsa(header: object, digest = 'RSA-SHA256'): string {
  const input = `${encode(header)}.${encode(good)}`
  return `${input}.${createSign(digest).update(input).sign(foreign.privateKey).toString('base64url')}`
}

t.test('a token signed with the demo secret is valid with any other header member [IDP-39]', async t => {
  for (const more of [
    {},
    { typ: 'JWT' },
    { kid: 'nobody' },
    { kid: '../../dev/null' },
    { jwk: { kty: 'oct', k: 'AA' } },
    { jku: 'http://evil.example/' },
    { x5c: ['AA'] },
    { zip: 'DEF' },
  ]) {
    t.equal(await outcome(forge(good, { alg: 'HS256', ...more })), 'valid', JSON.stringify(more))
  }
  t.equal(
    await outcome(
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaXNzIjoic3ZjIiwiYXVkIjoic3ZjIiwic2NvcGUiOiJvcGVuaWQgcHJvZmlsZSIsImlhdCI6MTUxNjIzOTAyMiwiZXhwIjo0MTAyNDQ0ODAwfQ.tbbyFQxyPPedrX-OumeaAzDQEdXQZNUxAwR6Toqb3lc',
    ),
    'valid',
    'the ready-made one',
  )
})

t.test('only the two algorithms are accepted, by exact name [IDP-39]', async t => {
  const input = (header: object) => `${encode(header)}.${encode(good)}.`
  const rows: [string, TokenReason][] = [
    [input({ alg: 'none' }), 'alg none is refused'],
    [input({ alg: 'NONE' }), 'alg none is refused'],
    [input({ alg: 'nOnE' }), 'alg none is refused'],
    [forge(good, { alg: 'none' }), 'alg none is refused'],
    [input({}), 'alg missing'],
    [forge(good, { typ: 'JWT' }), 'alg missing'],
    ...[
      'hs256',
      'HS256 ',
      'HS384',
      'HS512',
      'RS384',
      'PS256',
      'ES256',
      'EdDSA',
      '',
      'dir',
      'constructor',
      '__proto__',
    ].map(alg => [forge(good, { alg }), 'alg not supported'] as [string, TokenReason]),
    ...[5, null, ['HS256'], { a: 1 }].map(alg => [forge(good, { alg }), 'alg not supported'] as [string, TokenReason]),
  ]
  for (const [token, reason] of rows) t.equal(await outcome(token), reason, token.slice(0, 60))
})

t.test('only the key of the algorithm verifies [IDP-39]', async t => {
  const rows = [
    forge(good, { alg: 'HS256' }, publicPem),
    forge(good, { alg: 'HS256' }, publicPem.trim()),
    forge(good, { alg: 'HS256' }, JSON.stringify(jwk)),
    forge(good, { alg: 'HS256' }, Buffer.from(jwk.n!, 'base64url')),
    forge(good, { alg: 'HS256' }, ''),
    forge(good, { alg: 'HS256' }, 'other'),
    forge(good, { alg: 'HS256' }, secret, 'sha512'),
    forge(good, { alg: 'RS256' }),
    forge(good, { alg: 'RS256' }, publicPem),
    signRsa({ alg: 'RS256', kid: 'svc-rs256-key' }),
    signRsa({ alg: 'RS256', jwk: foreign.publicKey.export({ format: 'jwk' }) }),
    signRsa({ alg: 'RS256' }, 'RSA-SHA512'),
    `${forge(good).split('.').slice(0, 2).join('.')}.`,
    forge(good).replace(/.{4}$/, 'AAAA'),
    forge({ ...good, sub: 'a' })
      .split('.')
      .with(1, encode({ ...good, sub: 'b' }))
      .join('.'),
  ]
  for (const [index, token] of rows.entries()) t.equal(await outcome(token), 'invalid signature', `row ${index}`)
})

t.test('a critical extension makes the token invalid [IDP-39]', async t => {
  for (const crit of [['x'], ['b64'], ['exp'], [], 'x', null])
    t.equal(await outcome(forge(good, { alg: 'HS256', crit, b64: false, x: 1 })), 'invalid token', JSON.stringify(crit))
})

t.test('the dates, with 30 seconds of leeway [IDP-40]', async t => {
  const rows: [Record<string, unknown>, TokenReason | 'valid'][] = [
    [{ exp: now + 1 }, 'valid'],
    [{ exp: now }, 'valid'],
    [{ exp: now - 29 }, 'valid'],
    [{ exp: now - 30 }, 'token expired'],
    [{ exp: 0 }, 'token expired'],
    [{ exp: -1e300 }, 'token expired'],
    [{ exp: 1e300 }, 'valid'],
    [{ exp: now + 0.5 }, 'valid'],
    [{ exp: undefined }, 'claim exp missing'],
    [{ exp: null }, 'invalid token'],
    [{ exp: `${now + 60}` }, 'invalid token'],
    [{ exp: {} }, 'invalid token'],
    [{ nbf: now }, 'valid'],
    [{ nbf: now + 30 }, 'valid'],
    [{ nbf: now + 31 }, 'token not yet valid'],
    [{ nbf: 'x' }, 'invalid token'],
    [{ nbf: null }, 'invalid token'],
    [{ iat: now + 99_999 }, 'valid'],
    [{ iat: 'x' }, 'invalid token'],
    [{ exp: now - 60, nbf: now + 60 }, 'token expired'],
  ]
  for (const [dates, expected] of rows)
    t.equal(await outcome(forge({ ...good, ...dates })), expected, JSON.stringify(dates))
})

t.test('requested checks are made [IDP-41]', async t => {
  const rows: [TokenChecks, Record<string, unknown>, TokenReason | 'valid'][] = [
    [{ issuer: 'i' }, {}, 'valid'],
    [{ issuer: 'i/' }, {}, 'issuer mismatch'],
    [{ issuer: 'I' }, {}, 'issuer mismatch'],
    [{ issuer: 'i' }, { iss: ['i'] }, 'issuer mismatch'],
    [{ issuer: 'i' }, { iss: undefined }, 'issuer mismatch'],
    [{ audiences: ['svc'] }, {}, 'valid'],
    [{ audiences: ['x', 'svc'] }, {}, 'valid'],
    [{ audiences: ['x'] }, { aud: ['svc', 'x'] }, 'valid'],
    [{ audiences: ['x'] }, {}, 'audience mismatch'],
    [{ audiences: [] }, {}, 'audience mismatch'],
    [{ audiences: ['svc'] }, { aud: undefined }, 'audience mismatch'],
    [{ audiences: ['svc'] }, { aud: { svc: 1 } }, 'audience mismatch'],
    [{ audiences: ['svc'] }, { aud: [['svc']] }, 'audience mismatch'],
    [{ algorithms: ['HS256'] }, {}, 'valid'],
    [{ algorithms: ['RS256'] }, {}, 'alg not supported'],
    [{ algorithms: [] }, {}, 'alg not supported'],
    [{ issuer: 'x', audiences: ['x'] }, { exp: 1 }, 'token expired'],
    [{ issuer: 'x', audiences: ['x'] }, {}, 'issuer mismatch'],
  ]
  for (const [checks, claims, expected] of rows)
    t.equal(await outcome(forge({ ...good, ...claims }), checks), expected, JSON.stringify([checks, claims]))
  for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt'])
    t.equal(await outcome(forge(good, { alg: 'HS256', typ }), { typ: 'at+jwt' }), 'valid', typ)
  for (const typ of ['JWT', undefined, 5, 'at+jwt ', 'x/at+jwt'])
    t.equal(await outcome(forge(good, { alg: 'HS256', typ }), { typ: 'at+jwt' }), 'wrong type', String(typ))
})

t.test('structure: three parts, JSON objects, 64 levels [IDP-38] [IDP-48]', async t => {
  const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)},"exp":${now + 60}}`
  t.equal(await outcome(forge(nested(64))), 'valid')
  const [header, claims, signature] = forge(good).split('.') as [string, string, string]
  const rows = [
    '',
    '.',
    '..',
    '...',
    'a.b',
    'a.b.c',
    'a.b.c.d',
    `${header}.${claims}`,
    `${header}.${claims}.${signature}.`,
    `${header}..${signature}`,
    ` ${header}.${claims}.${signature}`,
    `${header}.${claims}.${signature}=`,
    `${header}.${claims}.${signature} `,
    `${header}.${claims}=.${signature}`,
    `${header}.${encode('x')}.${signature}`,
    forge('null'),
    forge('[]'),
    forge('"x"'),
    forge('5'),
    forge(good, 'null'),
    forge(good, '[]'),
    forge('{'),
    forge(good, '{'),
    forge(nested(65)),
    forge(nested(20_000)),
    forge(good, nested(65)),
    `${header}.${Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]).toString('base64url')}.${signature}`,
    forge('\ufeff{}'),
    '.'.repeat(100_000),
    'a'.repeat(1_000_000),
  ]
  for (const [index, token] of rows.entries()) {
    t.equal(await outcome(token), 'malformed token', `row ${index}: ${token.slice(0, 30)}`)
    t.ok('malformed' in decodeCompactJwt(token))
  }
})

t.test('any claim name is an ordinary key [IDP-38]', async t => {
  const decoded = decodeCompactJwt(forge('{"__proto__":{"polluted":true},"constructor":1,"":2}'))
  t.ok('claims' in decoded)
  if ('claims' in decoded) t.strictSame(Object.keys(decoded.claims), ['__proto__', 'constructor', ''])
  t.notOk('polluted' in {})
})

t.test('a cached token does not skip other checks [IDP-39]', async t => {
  const token = forge({ ...good, sub: 'known' })
  t.equal(await outcome(token), 'valid')
  t.match(keys.known.get(cached(token)), { keyId: 'secret', until: good.exp + 30 })
  t.equal(await outcome(token), 'valid')
  t.match(await verifyToken(token, {}, keys, now + 120), { valid: false, reason: 'token expired' })
  t.equal(await outcome(token, { algorithms: ['RS256'] }), 'alg not supported')
  t.equal(await outcome(token, { issuer: 'another' }), 'issuer mismatch')
  t.equal(await outcome(`${token.slice(0, -4)}AAAA`), 'invalid signature')
  const long = forge({ ...good, padding: 'x'.repeat(5000) })
  t.equal(await outcome(long), 'valid')
  t.equal(keys.known.get(cached(long)), undefined, 'long tokens are not cached')
})
