/** Webhook signatures: verify, sign and receive. */
import { createHmac } from 'node:crypto'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { send, type RequestOptions } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t)

const DEMO = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const GITHUB = "It's a Secret to Everybody"
const BODY = '{"test": 2432232314}'
const runFile = promisify(execFile)
const now = (): number => Math.floor(Date.now() / 1000)
const mac = (key: string | Buffer, content: string): Buffer => createHmac('sha256', key).update(content).digest()

interface Report {
  valid: boolean
  error?: string
  message?: string
  expected_signature: string | null
  signature_valid: boolean | null
  timestamp_valid: boolean | null
  received_signatures: string[]
  tolerance_seconds: number | null
  age_seconds: number | null
}
type Headers = Record<string, string>

async function verify(
  path: string,
  headers: Headers,
  body: RequestOptions['body'] = BODY,
): Promise<{ status: number; report: Report }> {
  const reply = await send(url, `/webhooks/verify${path}`, { method: 'POST', headers, body })
  return { status: reply.status, report: reply.json<Report>() }
}

function standardHeaders({
  timestamp = String(now()),
  id = 'msg_1',
  body = BODY,
  secret = DEMO,
}: {
  timestamp?: string
  id?: string
  body?: string
  secret?: string
} = {}): Headers {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${mac(key, `${id}.${timestamp}.${body}`).toString('base64')}`,
  }
}
const withSecret = (headers: Headers, secret = DEMO): Headers => ({ ...headers, 'X-Webhook-Secret': secret })
const without = (headers: Headers, name: string): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name))

t.test('lists schemes and demo secrets [HOOK-1]', async t => {
  const list = (await send(url, '/webhooks')).json<{ schemes: Record<string, object> }>()
  t.match(list, {
    schemes: {
      standard: {
        headers: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
        signature: String,
        tolerance_seconds: 300,
        verify_path: '/webhooks/verify',
      },
      'hmac-hex': {
        headers: ['X-Hub-Signature-256'],
        tolerance_seconds: null,
        verify_path: '/webhooks/verify/hmac-hex',
      },
      timestamped: { headers: ['Alt-Signature'], tolerance_seconds: 300, verify_path: '/webhooks/verify/timestamped' },
    },
    demo_secrets: [
      { id: 'demo', secret: DEMO, receive_path: '/webhooks/receive/demo' },
      { id: 'github-docs', secret: GITHUB, receive_path: '/webhooks/receive/github-docs' },
    ],
    sign_path: '/webhooks/sign',
    outbound_delivery: false,
  })
  t.strictSame(Object.keys(list.schemes), ['standard', 'hmac-hex', 'timestamped'])
})

t.test('the public test vectors are valid [HOOK-2]', async t => {
  const standard = await verify(
    '?ignore_timestamp=true',
    withSecret({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    }),
  )
  t.match(standard, {
    status: 200,
    report: {
      valid: true,
      scheme: 'standard',
      webhook_id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: 1_614_265_330,
      tolerance_seconds: null,
      signature_valid: true,
      timestamp_valid: null,
      expected_signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
  })
  t.strictSame(Object.keys(standard.report), [
    'valid',
    'scheme',
    'webhook_id',
    'timestamp',
    'now',
    'age_seconds',
    'tolerance_seconds',
    'signature_valid',
    'timestamp_valid',
    'received_signatures',
    'expected_signature',
  ])
  const vector = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
  t.match(await verify('/hmac-hex', withSecret({ 'X-Hub-Signature-256': vector }, GITHUB), 'Hello, World!'), {
    status: 200,
    report: {
      valid: true,
      scheme: 'hmac-hex',
      expected_signature: vector,
      received_signatures: [vector],
      timestamp: null,
      age_seconds: null,
      tolerance_seconds: null,
    },
  })
})

t.test('accepts every documented form of secret, alias and signature [HOOK-3]', async t => {
  const timestamp = String(now())
  const stamped = (secret: string, body = BODY): string =>
    `t=${timestamp},v1=${mac(secret, `${timestamp}.${body}`).toString('hex')}`
  const plus = 'whsec_AB+/AB+/AB+/AB=='
  const rows: [what: string, path: string, headers: Headers, body?: string | Buffer][] = [
    ['header', '', withSecret(standardHeaders())],
    ['query', `?secret=${DEMO}`, standardHeaders()],
    ['header before query', '?secret=wrong', withSecret(standardHeaders())],
    ['a blank header is ignored', `?secret=${DEMO}`, withSecret(standardHeaders(), ' ')],
    ['without prefix', '', withSecret(standardHeaders(), DEMO.slice(6))],
    ['unencoded plus in the query', `?secret=${plus}`, standardHeaders({ secret: plus })],
    ['without padding', '', withSecret(standardHeaders({ secret: plus }), plus.replace(/=+$/, ''))],
    ['empty body', '', withSecret(standardHeaders({ body: '' })), ''],
    ['negative zero age', '', withSecret(standardHeaders({ timestamp: String(now() + 5) }))],
    [
      'with an old version',
      '',
      withSecret({
        ...standardHeaders(),
        'webhook-signature': `v2,x v1,wrong ${standardHeaders()['webhook-signature']} v1a,y`,
      }),
    ],
    ['standard by name', '/standard', withSecret(standardHeaders())],
    ['in any case', '/STANDARD-Webhooks', withSecret(standardHeaders())],
    ['timestamped', '/timestamped', withSecret({ 'Alt-Signature': stamped(DEMO) })],
    ['as a payment provider sends', '/stripe', withSecret({ 'Stripe-Signature': stamped('whsec_test') }, 'whsec_test')],
    [
      'own header first',
      '/timestamped',
      withSecret({ 'Alt-Signature': stamped(DEMO), 'Stripe-Signature': 't=1,v1=x' }),
    ],
    [
      'hex in capitals',
      '/timestamped',
      withSecret(
        {
          'Alt-Signature': `v1=00,t=${timestamp}, v0=x ,v1=${mac('s', `${timestamp}.${BODY}`).toString('hex').toUpperCase()}`,
        },
        's',
      ),
    ],
    [
      'github',
      '/GitHub',
      withSecret({ 'X-Hub-Signature-256': `sha256=${mac('s', BODY).toString('hex').toUpperCase()}` }, 's'),
    ],
    [
      'a secret of UTF-8',
      '/hmac-hex',
      withSecret(
        { 'X-Hub-Signature-256': `sha256=${mac('gehëim€', BODY).toString('hex')}` },
        Buffer.from('gehëim€').toString('latin1'),
      ),
      Buffer.from(BODY),
    ],
    [
      'binary body',
      '/hmac-hex',
      withSecret(
        {
          'X-Hub-Signature-256': `sha256=${createHmac('sha256', 's')
            .update(Buffer.from([0xff, 0]))
            .digest('hex')}`,
        },
        's',
      ),
      Buffer.from([0xff, 0]),
    ],
  ]
  for (const [what, path, headers, body] of rows)
    t.match(
      await verify(path, headers, body),
      { status: 200, report: { valid: true, signature_valid: true, error: undefined } },
      what,
    )
})

t.test('checks in order: secret, tolerance, headers, timestamp, age, signature [HOOK-4]', async t => {
  const good = standardHeaders()
  const at = (offset: number): Headers => withSecret(standardHeaders({ timestamp: String(now() + offset) }))
  const hex = { 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` }
  const alt = (value: string): Headers => withSecret({ 'Alt-Signature': value })
  const rows: [path: string, headers: Headers, status: number, error: string, signatureValid: boolean | null][] = [
    ['', good, 400, 'missing_secret', null],
    ['?secret=', good, 400, 'missing_secret', null],
    ['?secret=%20%20', good, 400, 'missing_secret', null],
    ['?tolerance=x', {}, 400, 'missing_secret', null],
    ['/hmac-hex', hex, 400, 'missing_secret', null],
    ...['whsec_', 'not base64!', 'whsec_a', 'AB=C', 'ABC==', '====', 'whsec_\u00fc'].map(
      secret => ['', withSecret(good, secret), 400, 'invalid_secret', null] as [string, Headers, number, string, null],
    ),
    ...['x', '-1', '1.5', '2592001', '', '99999999999999999999'].map(
      tolerance =>
        [`?tolerance=${tolerance}`, withSecret({}), 400, 'invalid_tolerance', null] as [
          string,
          Headers,
          number,
          string,
          null,
        ],
    ),
    ['/hmac-hex?tolerance=x', withSecret(hex), 400, 'invalid_tolerance', null],
    ...Object.keys(good).flatMap(
      name =>
        [
          ['', withSecret(without(good, name)), 400, 'missing_headers', null],
          ['', withSecret({ ...good, [name]: '' }), 400, 'missing_headers', null],
        ] as [string, Headers, number, string, null][],
    ),
    ['/hmac-hex', withSecret({}), 400, 'missing_headers', null],
    ['/timestamped', withSecret({}), 400, 'missing_headers', null],
    ...['x', '1.5', '+1', '1e3', '1234567890123456', ' ']
      .filter(timestamp => timestamp !== ' ')
      .map(
        timestamp =>
          ['', withSecret({ ...good, 'webhook-timestamp': timestamp }), 400, 'invalid_timestamp', null] as [
            string,
            Headers,
            number,
            string,
            null,
          ],
      ),
    ['/timestamped', alt('v1=00'), 400, 'invalid_timestamp', null],
    ['/timestamped', alt('t=,v1=00'), 400, 'invalid_timestamp', null],
    ['/timestamped', alt('nonsense'), 400, 'invalid_timestamp', null],
    ['', at(-400), 401, 'timestamp_too_old', true],
    ['', at(400), 401, 'timestamp_too_new', true],
    ['?tolerance=10', at(-60), 401, 'timestamp_too_old', true],
    ['', { ...at(-400), 'webhook-signature': 'v1,wrong' }, 401, 'timestamp_too_old', false],
    ['', { ...at(400), 'webhook-signature': 'v2,x' }, 401, 'timestamp_too_new', false],
    ['', withSecret({ ...good, 'webhook-timestamp': '-5' }), 401, 'timestamp_too_old', false],
    ['', withSecret({ ...good, 'webhook-signature': 'v2,abc' }), 401, 'no_supported_signature', false],
    ['/hmac-hex', withSecret({ 'X-Hub-Signature-256': 'abcdef' }), 401, 'no_supported_signature', false],
    ['/timestamped', alt(`t=${now()}`), 401, 'no_supported_signature', false],
    ['/timestamped', alt(`t=${now()},v0=00`), 401, 'no_supported_signature', false],
    ['', withSecret({ ...good, 'webhook-signature': 'v1,abc v1,' }), 401, 'signature_mismatch', false],
    ['', withSecret({ ...good, 'webhook-id': 'other' }), 401, 'signature_mismatch', false],
    ['', withSecret(good, 'whsec_AAAA'), 401, 'signature_mismatch', false],
    ['/hmac-hex', withSecret(hex), 401, 'signature_mismatch', false],
    ['/hmac-hex', withSecret({ 'X-Hub-Signature-256': 'sha256=' }), 401, 'signature_mismatch', false],
    ['?ignore_timestamp=true', { ...at(-9999), 'webhook-signature': 'v1,x' }, 401, 'signature_mismatch', false],
  ]
  for (const [path, headers, status, error, signatureValid] of rows) {
    const { status: actual, report } = await verify(path, headers)
    const what = `${path} ${JSON.stringify(headers)}`.slice(0, 160)
    t.strictSame(
      [actual, report.error, report.valid, report.signature_valid],
      [status, error, false, signatureValid],
      what,
    )
    t.type(report.message, 'string')
    t.ok('expected_signature' in report, `${what}: says what was expected`)
  }
  t.match((await verify('', withSecret(without(good, 'webhook-id')))).report.message, /webhook-id/)
})

t.test('reports the expected signature whenever it can be computed [HOOK-4]', async t => {
  const good = standardHeaders()
  t.equal(
    (await verify('', withSecret(without(good, 'webhook-signature')))).report.expected_signature,
    good['webhook-signature'],
  )
  t.equal((await verify('', withSecret(without(good, 'webhook-id')))).report.expected_signature, null)
  t.equal((await verify('', good)).report.expected_signature, null)
  t.equal(
    (await verify('/hmac-hex', withSecret({}, 's'))).report.expected_signature,
    `sha256=${mac('s', BODY).toString('hex')}`,
  )
})

t.test('an age equal to the tolerance is accepted, and the age can be ignored [HOOK-5]', async t => {
  const old = withSecret(standardHeaders({ timestamp: String(now() - 3000) }))
  t.match(await verify('?tolerance=2592000', old), {
    status: 200,
    report: { timestamp_valid: true, tolerance_seconds: 2_592_000 },
  })
  for (const query of ['ignore_timestamp=1', 'ignore_timestamp', 'ignore_timestamp=YES'])
    t.match(
      await verify(`?${query}`, old),
      { status: 200, report: { timestamp_valid: null, tolerance_seconds: null } },
      query,
    )
  t.equal((await verify('?ignore_timestamp=no', old)).status, 401)
  // The clock may advance by a second in between; one of the two ages is exactly the tolerance.
  const { report } = await verify('?tolerance=3000', withSecret(standardHeaders({ timestamp: String(now() - 3000) })))
  t.equal(report.timestamp_valid, report.age_seconds! <= 3000)
})

t.test('an unknown scheme is 404 on verify and 400 on sign [HOOK-6]', async t => {
  for (const name of ['nope', '__proto__', 'v1']) {
    t.match(
      await verify(`/${name}`, {}),
      { status: 404, report: { valid: false, error: 'unknown_scheme', message: String, expected_signature: null } },
      name,
    )
    t.match(
      await send(url, `/webhooks/sign?scheme=${name}`).then(reply => [reply.status, reply.json()]),
      [400, { error: 'unknown_scheme' }],
      name,
    )
  }
})

interface Signed {
  scheme: string
  secret: string
  headers: Headers
  body: string
  signed_content: string
  verify_path: string
  receive_path: string | null
  curl: string
}
const sign = async (query = '', options: RequestOptions = {}): Promise<Signed> =>
  (await send(url, `/webhooks/sign${query}`, options)).json<Signed>()

t.test('signs the body, else the payload, else a sample event [HOOK-7]', async t => {
  const sample = await sign()
  t.match(JSON.parse(sample.body), {
    type: 'order.created',
    timestamp: /Z$/,
    data: { id: 'ord_1001', amount: 4200, currency: 'EUR' },
  })
  t.match(sample, {
    scheme: 'standard',
    secret: DEMO,
    verify_path: '/webhooks/verify',
    receive_path: '/webhooks/receive/demo',
    headers: {
      'webhook-id': /^msg_[0-9a-f]{32}$/,
      'webhook-timestamp': /^\d+$/,
      'webhook-signature': /^v1,/,
      'content-type': 'application/json',
    },
  })
  t.equal(
    sample.signed_content,
    `${sample.headers['webhook-id']}.${sample.headers['webhook-timestamp']}.${sample.body}`,
  )
  t.equal((await sign('?payload=from%20query')).body, 'from query')
  t.equal((await sign('?payload=query', { method: 'POST', body: 'from body' })).body, 'from body')
  t.equal((await sign('?payload=query', { method: 'POST' })).body, 'query')
  const vector = await sign('?timestamp=1614265330&id=msg_p5jXN8AQM9LWM0D4loKWxJek', { method: 'POST', body: BODY })
  t.equal(vector.headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  t.match(await sign('?scheme=github&secret=own'), {
    scheme: 'hmac-hex',
    headers: { 'x-hub-signature-256': /^sha256=[0-9a-f]{64}$/ },
    verify_path: '/webhooks/verify/hmac-hex',
    receive_path: null,
  })
  t.match(await sign(`?scheme=Stripe&secret=${encodeURIComponent(GITHUB)}`), {
    scheme: 'timestamped',
    headers: { 'alt-signature': /^t=\d+,v1=[0-9a-f]{64}$/ },
    receive_path: '/webhooks/receive/github-docs',
  })
  for (const id of ['', 'x'.repeat(257), 'a%0Ab', '%C3%A9', '%20a'])
    t.match((await sign(`?id=${id}`)).headers['webhook-id'], /^msg_[0-9a-f]{32}$/, `id=${id.slice(0, 20)}`)
  t.equal((await sign(`?id=${'x'.repeat(256)}`)).headers['webhook-id'], 'x'.repeat(256))
})

t.test('rejects values that cannot be signed [HOOK-7]', async t => {
  const rows: [query: string, body: RequestOptions['body'], error: string][] = [
    ['?timestamp=x', '', 'invalid_timestamp'],
    ['?timestamp=', '', 'invalid_timestamp'],
    ['?timestamp=1.5', '', 'invalid_timestamp'],
    ['?timestamp=1234567890123456', '', 'invalid_timestamp'],
    ['?secret=not%20base64!', '', 'invalid_secret'],
    ['?secret=whsec_', '', 'invalid_secret'],
    ['', Buffer.from([0xff]), 'invalid_payload'],
  ]
  for (const [query, body, error] of rows)
    t.match(
      await send(url, `/webhooks/sign${query}`, { method: 'POST', body }).then(reply => [reply.status, reply.json()]),
      [400, { error, details: String }],
      query,
    )
})

t.test('the printed command sends exactly these bytes and returns 200 [HOOK-8]', async t => {
  const rows: [query: string, body?: string][] = [
    [''],
    ['', 'it\'s \\n "quoted" $HOME `id` %s !x\n€'],
    ['', '@/etc/passwd'],
    ['', 'a\0b%\\c'],
    ['?timestamp=1614265330'],
    ['?scheme=hmac-hex&secret=%0Aline%27s%20end%20', 'x'],
    ['?scheme=hmac-hex&secret=gehëim€', 'x'.replace('x', 'y')],
    ['?scheme=timestamped', '[1]'],
  ].map(([query, body]) => [encodeURI(decodeURI(query!)).replaceAll('%25', '%'), body])
  for (const [query, body] of rows) {
    const { curl, body: signed } = await sign(query, body === undefined ? {} : { method: 'POST', body })
    if (body !== undefined) t.equal(signed, body)
    const { stdout } = await runFile('sh', ['-c', curl], { env: { PATH: process.env.PATH, HOME: '/' } })
    const report = JSON.parse(stdout) as Report
    t.match(report, { valid: true, signature_valid: true }, `${query} ${body}`)
  }
})

t.test('accepts webhooks signed with a demo secret, in every scheme [HOOK-9]', async t => {
  const receive = (id: string, headers: Headers, body = BODY) =>
    send(url, `/webhooks/receive/${id}`, { method: 'POST', headers, body })
  const timestamp = String(now())
  const taken: [id: string, headers: Headers][] = [
    ['demo', standardHeaders()],
    ['demo', { 'X-Hub-Signature-256': `sha256=${mac(DEMO, BODY).toString('hex')}` }],
    ['github-docs', { 'X-Hub-Signature-256': `sha256=${mac(GITHUB, BODY).toString('hex')}` }],
    ['demo', { 'Stripe-Signature': `t=${timestamp},v1=${mac(DEMO, `${timestamp}.${BODY}`).toString('hex')}` }],
    ['github-docs', { 'Alt-Signature': `t=${timestamp},v1=${mac(GITHUB, `${timestamp}.${BODY}`).toString('hex')}` }],
  ]
  for (const [id, headers] of taken)
    t.strictSame(
      await receive(id, headers).then(reply => [reply.status, reply.text]),
      [204, ''],
      `${id} ${Object.keys(headers)[0]}`,
    )
  const refused: [id: string, headers: Headers, scheme: string | null, error: string][] = [
    ['demo', {}, null, 'missing_headers'],
    ['demo', { 'webhook-id': 'x' }, null, 'missing_headers'],
    ['demo', without(standardHeaders(), 'webhook-id'), 'standard', 'missing_headers'],
    ['github-docs', standardHeaders(), 'standard', 'invalid_secret'],
    ['demo', { ...standardHeaders(), 'webhook-timestamp': 'x' }, 'standard', 'invalid_timestamp'],
    ['demo', standardHeaders({ timestamp: '1614265330' }), 'standard', 'timestamp_too_old'],
    ['demo', { 'X-Hub-Signature-256': 'sha256=00' }, 'hmac-hex', 'signature_mismatch'],
    ['demo', { 'X-Hub-Signature-256': 'x', 'Alt-Signature': 'y' }, 'hmac-hex', 'no_supported_signature'],
    ['demo', { 'Alt-Signature': 'v1=x' }, 'timestamped', 'invalid_timestamp'],
  ]
  for (const [id, headers, scheme, error] of refused) {
    const reply = await receive(id, headers)
    t.equal(reply.status, 401)
    t.match(reply.json(), { valid: false, scheme, error, message: String }, `${id} ${error}`)
    t.strictSame(Object.keys(reply.json()), ['valid', 'scheme', 'error', 'message'])
  }
  for (const id of ['nope', '__proto__', 'DEMO'])
    t.match(
      await receive(id, standardHeaders()).then(reply => [reply.status, reply.json()]),
      [404, { error: 'unknown_secret_id' }],
      id,
    )
})
