/** `/auth/hmac`: dialects, dates, digests, and the reason of every rejection. */
import t from 'tap'
import { createHash, createHmac } from 'node:crypto'
import { connect } from 'node:http2'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { call, type Answer } from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t)
const path = '/auth/hmac?clock_skew=0'
const date = 'Tue, 01 Apr 2025 08:00:00 GMT'
const challenge = 'hmac realm="svc", headers="date request-line"'

const mac = (signingString: string, algorithm = 'sha256', secret = 'secret') =>
  createHmac(algorithm, secret).update(signingString).digest('base64')
const hmac = (signature: string, more = '', username = 'alice') =>
  `hmac username="${username}"${more}, signature="${signature}"`
const send = (headers: Record<string, string>, init: RequestInit = {}, target = path): Promise<Answer> =>
  call(server.url + target, { ...init, headers })

function isRefused(
  t: { strictSame(found: unknown, wanted: unknown, message: string): unknown },
  { status, headers, body }: Answer,
  reason: string,
  message = reason,
): void {
  t.strictSame(
    [status, body.authenticated, body.error, headers.get('www-authenticate')],
    [401, false, `unauthorized: ${reason}`, challenge],
    message,
  )
}

t.test('known signatures are valid [AUTH-9] [AUTH-11]', async t => {
  const first = await send({
    date,
    Authorization: hmac('49ITuOGaQBWQwttlgEQnRKJmBrP+hRduR+y+Zv/zC10=', ', algorithm="hmac-sha256", headers="date"'),
  })
  t.equal(first.status, 200)
  const second = await send({
    date,
    Authorization: hmac(
      'H6VfELmR1Kvso/MQnqhSTpddtIIovL4zkFJMiJQ1Zq0=',
      ', algorithm="hmac-sha256", headers="date request-line"',
    ),
  })
  t.strictSame(second.body, {
    authenticated: true,
    auth_type: 'hmac',
    username: 'alice',
    header: 'Authorization',
    claims: {
      algorithm: 'hmac-sha256',
      signed_headers: 'date request-line',
      signing_string: `date: ${date}\nGET /auth/hmac?clock_skew=0 HTTP/1.1`,
      date_header: 'date',
      clock_skew: 0,
      digest_verified: false,
      credential_header: 'Authorization',
    },
  })
  const third = await send(
    {
      date,
      Digest: 'SHA-256=D7JPoHpKJNqaP/dz6sjnYvP9Ji1lQ5g+fNFC3EX3B1I=',
      Authorization:
        'Signature keyId="carol",algorithm="hmac-sha512",headers="(request-target) date digest",signature="m56yefuTkzW31VHgHSmOfa5CBpQJTweYfqcsC4GREFdW/ELiv8mTrXzN/vmNHfU8BPYZlNKT5CrAsZ0Gt7RvBQ=="',
    },
    { method: 'POST', body: '{"qty":3}' },
    '/auth/hmac/carol/k3y?clock_skew=0',
  )
  t.match(third, { status: 200, body: { username: 'carol', claims: { digest_verified: true } } })
})

t.test('each part of the signing string [AUTH-9]', async t => {
  const target = '/auth/hmac?clock_skew=0&x=%2f..%41&y=1//2'
  const rows: [headers: string, signingString: string][] = [
    ['date', `date: ${date}`],
    ['DATE  Request-Line', `date: ${date}\nPOST ${target} HTTP/1.1`],
    ['(request-target) date', `(request-target): post ${target}\ndate: ${date}`],
    ['@request-target', `post ${target}`],
    ['host', `host: ${new URL(server.url).host}`],
    ['x-one x-one', 'x-one: a\nx-one: a'],
    ['x-empty', 'x-empty: '],
    ['x-utf8', 'x-utf8: ü'],
    ['content-type date', `content-type: text/plain\ndate: ${date}`],
  ]
  for (const [headers, signingString] of rows) {
    const { status, body } = await send(
      {
        date,
        'X-One': ' a ',
        'X-Empty': '',
        'X-Utf8': Buffer.from('ü').toString('latin1'),
        'Content-Type': 'text/plain',
        Authorization: hmac(mac(signingString), `, headers="${headers}"`),
      },
      { method: 'POST', body: 'x' },
      target,
    )
    t.strictSame(
      [status, (body.claims as Record<string, unknown> | undefined)?.signing_string],
      [200, signingString],
      headers,
    )
  }
})

t.test('several instances of a header are joined [AUTH-9]', async t => {
  const headers = new Headers({ date, Authorization: hmac(mac('x-many: a, b, c'), ', headers="x-many"') })
  for (const value of ['a', 'b', 'c']) headers.append('X-Many', value)
  t.equal((await call(server.url + path, { headers })).status, 200)
})

t.test('every algorithm, and SHA-256 by default [AUTH-9]', async t => {
  for (const [algorithm, hash] of [
    [undefined, 'sha256'],
    ['hmac-sha1', 'sha1'],
    ['HMAC-SHA256', 'sha256'],
    ['hmac-sha384', 'sha384'],
    ['hmac-sha512', 'sha512'],
  ] as const) {
    const { status, body } = await send({
      date,
      Authorization: hmac(mac(`date: ${date}`, hash), algorithm === undefined ? '' : `, algorithm="${algorithm}"`),
    })
    t.equal(status, 200, algorithm ?? 'none')
    t.equal((body.claims as Record<string, unknown>).algorithm, algorithm?.toLowerCase() ?? 'hmac-sha256')
  }
})

t.test('credentials are found where clients put them [AUTH-8]', async t => {
  const signature = mac(`date: ${date}`)
  const draft = `keyId="alice",algorithm="hmac-sha256",created=123,opaque="x, y",signature="${signature}"`
  const rows: [Record<string, string>, string][] = [
    [{ Authorization: hmac(signature) }, 'Authorization'],
    [{ Authorization: `HMAC   UserName=alice ,\tsignature="${signature}"` }, 'Authorization'],
    [{ Authorization: `Signature ${draft}` }, 'Authorization'],
    [{ 'Proxy-Authorization': hmac(signature) }, 'Proxy-Authorization'],
    [{ Authorization: 'Bearer x', 'Proxy-Authorization': `signature ${draft}` }, 'Proxy-Authorization'],
    [{ Authorization: hmac(signature), 'Proxy-Authorization': 'hmac wrong', Signature: 'keyId="x"' }, 'Authorization'],
    [{ Signature: draft }, 'Signature'],
    [{ Authorization: 'Basic eDp5', Signature: draft.replace('keyId', 'KEYID') }, 'Signature'],
  ]
  for (const [headers, header] of rows) {
    const { status, body } = await send({ date, ...headers })
    t.strictSame([status, body.header], [200, header], JSON.stringify(headers))
  }
  const none: Record<string, string>[] = [
    {},
    { Authorization: 'Bearer x' },
    { Authorization: `hmacs ${draft}` },
    { Signature: draft, 'Signature-Input': 'sig1=()' },
    { Signature: `sig1=:${signature}:` },
    { Signature: '' },
  ]
  for (const headers of none)
    isRefused(t, await send({ date, ...headers }), 'no hmac or Signature credentials', JSON.stringify(headers))
})

t.test('the first reason is reported [AUTH-12] [AUTH-4]', async t => {
  const signature = mac(`date: ${date}`)
  const rows: [authorization: string, reason: string][] = [
    ['hmac', 'malformed credentials'],
    ['hmac x', 'malformed credentials'],
    ['hmac username="alice', 'malformed credentials'],
    ['hmac username="alice",', 'malformed credentials'],
    ['hmac username="alice" signature="x"', 'malformed credentials'],
    ['hmac =x', 'malformed credentials'],
    ['hmac username=', 'malformed credentials'],
    ['hmac username="a"b', 'malformed credentials'],
    ['hmac username="alice", headers=""', 'malformed credentials'],
    [`hmac username="alice", headers="${'x '.repeat(65)}"`, 'malformed credentials'],
    [`hmac a=${'\t'.repeat(4000)}"`, 'malformed credentials'],
    ['hmac username="alice", username="alice"', 'duplicate parameter in the credentials'],
    ['hmac username="alice", USERNAME="alice", signature="x"', 'duplicate parameter in the credentials'],
    ['hmac signature="x"', 'username or keyId is missing'],
    ['hmac keyId="alice", signature="x"', 'username or keyId is missing'],
    ['Signature username="alice", signature="x"', 'username or keyId is missing'],
    ['hmac username="", signature="x"', 'username or keyId is missing'],
    ['hmac username="bob", algorithm="x"', 'unknown username'],
    ['hmac username="Alice"', 'unknown username'],
    ['hmac username="__proto__"', 'unknown username'],
    ['hmac username="alice", algorithm="hmac-md5"', 'unsupported algorithm'],
    ['hmac username="alice", algorithm="constructor"', 'unsupported algorithm'],
    ['hmac username="alice", algorithm="rsa-sha256"', 'unsupported algorithm'],
    ['hmac username="alice"', 'signature is missing'],
    ['hmac username="alice", signature=""', 'signature is missing'],
  ]
  for (const [authorization, reason] of rows)
    isRefused(t, await send({ Authorization: authorization }), reason, authorization.slice(0, 80))
  isRefused(t, await send({ Authorization: hmac(signature) }), 'no Date or X-Date header')
  for (const headers of ['x-none', 'date x-none', '__proto__', '(created)', ':path', 'digest']) {
    isRefused(
      t,
      await send({ date, Authorization: hmac(signature, `, headers="${headers}"`) }),
      `signed header is missing: ${headers.split(' ').at(-1)}`,
    )
  }
})

t.test('oversized headers are rejected like others [AUTH-12]', async t => {
  const rows: [Record<string, string>, string][] = [
    [{ Authorization: `hmac ${'a="b",'.repeat(10_000)}` }, 'duplicate parameter in the credentials'],
    [
      { Authorization: `hmac ${Array.from({ length: 6_000 }, (_, n) => `p${n}=1`).join(',')}` },
      'username or keyId is missing',
    ],
    [{ Authorization: `hmac ${'a'.repeat(60_000)}` }, 'malformed credentials'],
    [{ Authorization: `hmac a="${'"'.repeat(30_000)}` }, 'malformed credentials'],
    [{ Signature: `${', '.repeat(30_000)}keyid` }, 'no hmac or Signature credentials'],
    [{ date: `${date}${' '.repeat(30_000)}x`, Authorization: hmac('x') }, 'the date is not a valid HTTP date'],
  ]
  for (const [headers, reason] of rows) isRefused(t, await send(headers), reason)
})

t.test('the error of a wrong signature contains the signing string [AUTH-12]', async t => {
  for (const signature of [
    mac('x'),
    mac(`date: ${date}`, 'sha512'),
    mac(`date: ${date}`, 'sha256', 'other'),
    '!',
    mac(`date: ${date}`).slice(0, -4),
  ]) {
    const answer = await send({ date, Authorization: hmac(signature) })
    isRefused(t, answer, 'signature mismatch', signature)
    t.equal(answer.body.signing_string, `date: ${date}`)
  }
  isRefused(
    t,
    await send({ date, Authorization: hmac(mac(`date: ${date}`)) }, {}, '/auth/hmac/alice/other?clock_skew=0'),
    'signature mismatch',
  )
  isRefused(
    t,
    await send({ date: date.replace('08', '09'), Authorization: hmac(mac(`date: ${date}`)) }),
    'signature mismatch',
  )
})

t.test('the date must be present, valid and within the clock skew [AUTH-10]', async t => {
  const signed = (value: string, name = 'date') => ({
    [name]: value,
    Authorization: hmac(mac(`${name}: ${value}`), `, headers="${name}"`),
  })
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toUTCString()
  for (const [headers, target] of [
    [signed(ago(0)), '/auth/hmac'],
    [signed(ago(0), 'x-date'), '/auth/hmac'],
    [signed(ago(290)), '/auth/hmac'],
    [signed(ago(-290)), '/auth/hmac'],
    [signed(ago(0).replace('GMT', '+0000')), '/auth/hmac'],
    [signed(ago(-7200).replace('GMT', '+0200')), '/auth/hmac'],
    [signed(ago(50)), '/auth/hmac?clock_skew=60'],
    [signed(ago(604_000)), '/auth/hmac?clock_skew=604800'],
    [signed(date), path],
    [signed('Sat, 29 Feb 2020 23:59:60 GMT'), path],
  ] as const)
    t.equal((await send(headers, {}, target)).status, 200, JSON.stringify([headers, target]))
  const both = await send(
    { date: ago(0), 'x-date': 'nonsense', Authorization: hmac(mac('x-date: nonsense'), ', headers="x-date"') },
    {},
    '/auth/hmac',
  )
  t.equal((both.body.claims as Record<string, unknown>).date_header, 'date', 'Date takes precedence')

  for (const seconds of [400, -400, 1e8])
    isRefused(
      t,
      await send(signed(ago(seconds)), {}, '/auth/hmac'),
      'the date differs from the server time by more than 300 s',
      String(seconds),
    )
  isRefused(
    t,
    await send(signed(ago(20)), {}, '/auth/hmac?clock_skew=5'),
    'the date differs from the server time by more than 5 s',
  )
  for (const value of [
    'nonsense',
    '',
    '2025-04-01T08:00:00Z',
    '1743494400',
    'Tue, 01 Foo 2025 08:00:00 GMT',
    'Tue, 31 Feb 2025 08:00:00 GMT',
    'Tue, 01 Apr 2025 24:00:00 GMT',
    'Tue, 01 Apr 2025 08:60:00 GMT',
    'Tue, 01 Apr 2025 08:00:00',
    'Tuesday, 01-Apr-25 08:00:00 GMT',
    `${date}, ${date}`,
  ]) {
    isRefused(t, await send(signed(value)), 'the date is not a valid HTTP date', value)
  }
  for (const skew of ['-1', '604801', 'x', '1.5', '']) {
    const { status, body } = await send(signed(date), {}, `/auth/hmac?clock_skew=${skew}`)
    t.equal(status, 400, skew)
    t.match(body, { authenticated: false, error: /^bad_request: clock_skew / })
  }
})

t.test('a signed digest is compared with the bytes of the body [AUTH-11]', async t => {
  const digest = (name: 'SHA-256' | 'SHA-512', body: string) =>
    `${name}=${createHash(name.replace('-', '')).update(body).digest('base64')}`
  const signed = (value: string, body: string | undefined = 'body') =>
    send(
      { date, digest: value, Authorization: hmac(mac(`date: ${date}\ndigest: ${value}`), ', headers="date digest"') },
      { method: 'POST', body },
    )
  for (const [value, body] of [
    [digest('SHA-256', 'body')],
    [digest('SHA-512', 'body')],
    [`${digest('SHA-256', 'body')}, ${digest('SHA-512', 'body')}`],
    [`MD5=x,${digest('SHA-256', 'body').replace('SHA', 'sha')}`],
    [digest('SHA-256', ''), ''],
  ] as const) {
    const answer = await signed(value, body)
    t.equal(answer.status, 200, value)
    t.equal((answer.body.claims as Record<string, unknown>).digest_verified, true)
  }
  for (const value of [
    digest('SHA-256', 'other'),
    `${digest('SHA-256', 'body')},${digest('SHA-512', 'other')}`,
    'SHA-256=',
    'SHA-256=%%%',
  ]) {
    const answer = await signed(value)
    isRefused(t, answer, 'body digest mismatch', value)
    t.equal(answer.body.signing_string, `date: ${date}\ndigest: ${value}`)
  }
  for (const value of ['', 'MD5=x', 'SHA-256', 'x'])
    isRefused(t, await signed(value), 'no supported digest (SHA-256 or SHA-512)', value)
  const unsigned = await send(
    { date, digest: 'SHA-256=wrong', Authorization: hmac(mac(`date: ${date}`)) },
    { method: 'POST', body: 'x' },
  )
  t.match(unsigned, { status: 200, body: { claims: { digest_verified: false } } })
})

t.test('over HTTP/2 the request line and the host are what the client sent [AUTH-9]', async t => {
  const secure = await serve(t, { env: { SVC_GRPC_ON_HTTP: 'true' } })
  const session = connect(secure.httpsUrl, { rejectUnauthorized: false })
  t.teardown(() => session.close())
  const host = new URL(secure.httpsUrl).host
  const stream = session.request({
    ':path': path,
    date,
    authorization: hmac(mac(`GET ${path} HTTP/2.0\nhost: ${host}`), ', headers="request-line host"'),
  })
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
  t.equal(headers[':status'], 200, await text(stream))
})
