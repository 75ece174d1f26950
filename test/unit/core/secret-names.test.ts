/** The one rule for names of secrets, and what it finds in texts, JSON and headers. */
import t from 'tap'
import { isOrdinaryText, isSecretName, Redactor, SecretValues } from '../../../core/toolkit/toolkit.ts'
import { findSecrets } from '../../../core/toolkit/secret-scanner.ts'
import { slowness } from '../../support/reference-loop.ts'

const words = (text: string): string[] => text.trim().split(/\s+/)

t.test('names of secrets, in every spelling [SECRET-1]', async t => {
  const secret = words(`
    key api_key apikey API-KEY apiKey APIKey x-api-key X-Goog-Api-Key Ocp-Apim-Subscription-Key x-functions-key AccountKey projectKey
    AWSAccessKeyId aws_access_key_id aws_secret_access_key secretAccessKey SHAREDACCESSKEY signingKey encryption_key private_key
    privateKey PRIVATE-KEY ssh_private_key secretKey2 api_keys sharedKey
    token access_token accessToken ACCESS_TOKEN Access-Token refreshToken refresh_token id_token authToken authtoken token2 tokens
    SessionToken csrf_token XSRF-TOKEN X-Auth-Token Private-Token X-Vault-Token X-Amz-Security-Token public_key_token videosToken
    secret clientSecret client_secret client-secret Client-Secret CLIENTSECRET webhookSecret secrets xoauthTokenSecret
    password userPassword passwd passphrase pwd pass db.password password_hash PASSWORD
    credential credentials X-Amz-Credential awsCredentials
    assertion client_assertion clientAssertion
    signature X-Amz-Signature X-Goog-Signature x-hub-signature-256 Signature sig
    code code_verifier codeVerifier authorization_code device_code user_code otp
    authorization Authorization Proxy-Authorization X-Forwarded-Authorization bearer Bearer DPoP jwt
    cookie Cookie set-cookie cookies tokenizer_api_key`)
  for (const name of secret) t.equal(isSecretName(name), true, name)
})

t.test('names of other things that contain a part of such a name [SECRET-1]', async t => {
  const ordinary = words(`
    keyword keywords keyboard keyboardLayout monkey turkey hockey tokenizer tokenizerName tokenization tokenized secretary
    idempotency-key Idempotency_Key idempotencyKey idempotencykey primaryKey primary_key foreignKey object_key objectKey
    sec-websocket-key Sec-WebSocket-Accept public_key publicKey PUBLIC-KEY surrogate-key cache_key partitionKey sort_key routing_key
    key_id keyId key_ids key_type key_ops keyName keyCount
    token_type tokenType token_type_hint token_endpoint tokenUrl token_count token_endpoint_auth_methods_supported
    id_token_signing_alg_values_supported page_token nextPageToken next_token continuationToken stop_tokens
    x-ratelimit-remaining-tokens x-ratelimit-reset-tokens anthropic-ratelimit-tokens-reset anthropic-ratelimit-input-tokens-limit
    client_secret_expires_at accessTokenExpiresIn password_required signature_algorithm signatureVersion assertion_type
    status_code statusCode country_code error_code codec code_challenge postcode zip_code unicode
    author authority authorization_endpoint authorization_details cookie_policy grant_type expires_in
    content-type host user name signal sigma design passenger compass bypass id etag x`)
  for (const name of ordinary) t.equal(isSecretName(name), false, name)
  t.equal(isSecretName(''), false)
  t.equal(isSecretName('é'.repeat(10_000)), false)
  t.equal(isSecretName(`${'x'.repeat(100_000)}_api_key`), true)
})

t.test('numbers of tokens, codes of countries and codes of errors are not secrets [SECRET-2]', async t => {
  t.equal(isOrdinaryText('max_tokens', '4096'), true)
  t.equal(isOrdinaryText('tokens', 'abc'), false)
  t.equal(isOrdinaryText('password', '123456'), false)
  t.equal(isOrdinaryText('code', 'EUR'), true)
  t.equal(isOrdinaryText('code', 'context_length_exceeded'), false, 'nothing says that it is an error')
  t.equal(isOrdinaryText('code', 'context_length_exceeded', { message: '' }), true)
  t.equal(isOrdinaryText('code', 'E11000', { error: '' }), true)
  t.equal(isOrdinaryText('code', 'SplxlOBeZQQYbYS6WxSbIA', { message: '' }), false)
  t.equal(isOrdinaryText('token', ' Hello', { logprob: -1 }), true)
  t.equal(isOrdinaryText('token', ' Hello', { id: 1 }), false)
})

t.test('only texts of JSON are replaced, at every depth [SECRET-2]', async t => {
  const found: string[] = []
  const redactor = new Redactor({ onSecret: secret => void found.push(secret) })
  t.strictSame(
    redactor.json({
      max_tokens: 5,
      usage: { prompt_tokens: 1, completion_tokens_details: { reasoning_tokens: 2 } },
      accessToken: 'a',
      secret: { any: ['b', 1, { deep: 'c' }], none: null, on: true },
      tokens: ['d', 2],
      keys: [{ kty: 'RSA', n: 'modulus', kid: '1' }],
      token: null,
      password: 1234,
      error: { message: 'no', code: 'invalid_api_key' },
      list: [{ code: 'e12345' }],
      text: 'inner {"refresh_token": "f\\"g"} https://u:h@host/?a=1&sig=i%20j',
    }),
    {
      max_tokens: 5,
      usage: { prompt_tokens: 1, completion_tokens_details: { reasoning_tokens: 2 } },
      accessToken: 'REDACTED',
      secret: { any: ['REDACTED', 1, { deep: 'REDACTED' }], none: null, on: true },
      tokens: ['REDACTED', 2],
      keys: [{ kty: 'RSA', n: 'modulus', kid: '1' }],
      token: null,
      password: 1234,
      error: { message: 'no', code: 'invalid_api_key' },
      list: [{ code: 'REDACTED' }],
      text: 'inner {"refresh_token": "REDACTED"} https://REDACTED@host/?a=1&sig=REDACTED',
    },
  )
  t.strictSame(found, ['a', 'b', 'c', 'd', 'e12345', 'f"g', 'u:h', 'i j'])
  let deep: import('../../../core/contract/json.ts').Json = 'x'
  for (let level = 0; level < 300; level++) deep = [deep]
  t.match(JSON.stringify(redactor.json(deep)), /^\[{200}"REDACTED"\]{200}$/)
})

t.test('secrets are found in texts of every kind [SECRET-3]', async t => {
  const table: [text: string, shown: string][] = [
    ['{"token" : "abc", "n": "x"}', '{"token" : "#", "n": "x"}'],
    ['data: {"a":"b","api_key":"c\\"d"}\n\n', 'data: {"a":"b","api_key":"#"}\n\n'],
    ['{"inner":"{\\"token\\":\\"abc\\",\\"n\\":\\"x\\"}"}', '{"inner":"{\\"token\\":\\"#\\",\\"n\\":\\"x\\"}"}'],
    ['{"token":"unfinished', '{"token":"#'],
    ['{"token":"","max_tokens":"5","token_type":"Bearer"}', '{"token":"","max_tokens":"5","token_type":"Bearer"}'],
    ['see /cb?code=abc123&state=s#access_token=def', 'see /cb?code=#&state=s#access_token=#'],
    ['?X-Amz-Credential=a/b&X-Amz-Signature=c&X-Amz-Date=d', '?X-Amz-Credential=#&X-Amz-Signature=#&X-Amz-Date=d'],
    ['?client%5Fsecret=abc&b=c', '?client%5Fsecret=#&b=c'],
    ['"/x?a=1\\u0026token=abc"', '"/x?a=1\\u0026token=#"'],
    ['<a href="/x?a=1&amp;token=abc">', '<a href="/x?a=1&amp;token=#">'],
    ['postgres://user:pass@db/x and http://host/@a', 'postgres://#@db/x and http://host/@a'],
    ['<wsse:Password Type="t">abc</wsse:Password><n>x</n>', '<wsse:Password Type="t">#</wsse:Password><n>x</n>'],
    ['<x password="abc" name="n"/>', '<x password="#" name="n"/>'],
    ['Digest username="u", signature="abc"', 'Digest username="u", signature="#"'],
    [
      '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\nabc\r\n--b\r\nContent-Disposition: form-data; name="n"\r\n\r\nx',
      '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n#\r\n--b\r\nContent-Disposition: form-data; name="n"\r\n\r\nx',
    ],
    [
      'a key = value, key: value, 1 < 2 > 0 == "x" ::: <<<>>>',
      'a key = value, key: value, 1 < 2 > 0 == "x" ::: <<<>>>',
    ],
    ['', ''],
  ]
  const redactor = new Redactor({ marker: '#' })
  for (const [text, shown] of table) t.equal(redactor.text(text), shown, text)
  t.equal(redactor.query('code=abc123&a=b&password=c'), 'code=#&a=b&password=#')
})

t.test('texts are searched in linear time [SECRET-3]', async t => {
  const work = (text: string): number => {
    const before = process.cpuUsage()
    findSecrets(text)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000 / Math.max(1, slowness())
  }
  for (const piece of [
    '":',
    '"a":"',
    '\\":\\"',
    '?token=',
    '://',
    '<',
    '>',
    '<token>',
    ' token="',
    '; name="token"',
    '"token":"\\',
    '=',
  ])
    t.ok(work(piece.repeat(Math.ceil(1_000_000 / piece.length))) < 1500, piece)
})

t.test('headers: cookies keep their name and attributes [SECRET-2]', async t => {
  const redactor = new Redactor()
  t.equal(redactor.header('Set-Cookie', 'sid=abc; Path=/; HttpOnly'), 'sid=REDACTED; Path=/; HttpOnly')
  t.equal(redactor.header('set-cookie', 'abc'), 'REDACTED')
  t.equal(redactor.header('Location', '/next?a=1&code=abc123'), '/next?a=1&code=REDACTED')
  t.equal(redactor.header('x-ratelimit-limit-tokens', '6m0s'), '6m0s')
  t.equal(redactor.header('X-Vault-Token', 'abc'), 'REDACTED')
})

t.test('secrets that are repeated are found in every encoding [SECRET-4]', async t => {
  const secret = 'p"ss/wörd 1'
  const inJson = JSON.stringify({ a: JSON.stringify({ b: secret }) })
  const values = new SecretValues([
    secret,
    'Bearer token-of-client',
    `Basic ${btoa('user:s3cret-pass')}`,
    'sid=cookie-value; b="quoted-value"',
  ])
  for (const text of [
    secret,
    JSON.stringify(secret),
    inJson,
    encodeURIComponent(secret),
    encodeURIComponent(secret).replaceAll('%20', '+'),
    'p\\"ss/w\\u00f6rd 1',
  ])
    t.strictSame([values.text(text).includes('REDACTED'), values.text(text).includes('rd')], [true, false], text)
  for (const text of ['token-of-client', 's3cret-pass', 'user:s3cret-pass', 'cookie-value', 'quoted-value'])
    t.equal(values.text(`<${text}>`), '<REDACTED>')
  t.strictSame(values.json({ [secret]: [`x${secret}`, 1] }), { REDACTED: ['xREDACTED', 1] })

  const short = new SecretValues(['demo', '4711', 'abc'])
  t.equal(
    short.text('"demo" demos demo-x (demo) abc'),
    '"REDACTED" demos demo-x (REDACTED) abc',
    'short ones are words',
  )
  t.equal(short.text('{"id":4711,"pin":"4711"}'), '{"id":4711,"pin":"REDACTED"}', 'JSON stays JSON')

  const bytes = Buffer.concat([Buffer.from([0xff, 0]), Buffer.from('token-of-client'), Buffer.from([0xff])])
  t.strictSame(
    values.bytes(bytes),
    Buffer.concat([Buffer.from([0xff, 0]), Buffer.from('*'.repeat(15)), Buffer.from([0xff])]),
  )
  t.match(bytes.toString('latin1'), 'token-of-client', 'the original stays')
})
