/** The four steps of `/orchestration`. */
import t from 'tap'
import { cardType, riskLevel, riskScore } from '../../../plugins/orchestration/risk-score.ts'
import { readXml } from '../../support/refusals.ts'
import { send, type Reply } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t)
type Headers = Record<string, string>
const CORRELATED: Headers = { 'X-Correlation-Id': 'demo-corr-1' }

const step = (number: number, headers: Headers, body: unknown = {}): Promise<Reply> =>
  send(url, `/orchestration/step/${number}`, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

t.test('the chain succeeds if every header is passed on [ORCH-1]', async t => {
  const first = await step(1, { 'X-Api-Key': 'any' }, { merchant_id: 'merchant_123' })
  t.match(first.json(), {
    step: 1,
    name: 'authenticate',
    status: 'success',
    correlation_id: /^[0-9a-f-]{36}$/,
    timestamp: /Z$/,
    merchant: { id: 'merchant_123', name: 'Demo Merchant Ltd', tier: 'gold', mcc: '5411', country: 'GB' },
    permissions: ['card_payment', 'direct_debit', 'refund'],
  })
  const id = first.json<{ correlation_id: string }>().correlation_id
  t.equal(first.headers['x-correlation-id'], id)
  // The score must not affect this test, whatever the id is.
  const second = await step(
    2,
    { 'X-Correlation-Id': id },
    { merchant_id: 'merchant_123', amount: 99.99, card_number: '4111 1111 1111 1111' },
  )
  t.match(second.json(), {
    step: 2,
    name: 'enrich',
    status: 'success',
    correlation_id: id,
    enrichment: {
      risk_threshold: 70,
      card_type: 'visa_credit',
      issuing_bank: 'Demo Bank',
      issuing_country: 'GB',
      customer_tier: 'premium',
      velocity_check: { amount_24h: Number },
    },
  })
  const third = await step(
    3,
    { 'X-Correlation-Id': id },
    { amount: 99.99, risk_score: 35, permissions: ['card_payment'] },
  )
  t.strictSame(
    [third.status, third.headers['x-validation-result'], third.headers['x-correlation-id']],
    [200, 'approved', id],
  )
  const fourth = await step(
    4,
    { 'X-Correlation-Id': id, 'X-Validation-Result': third.headers['x-validation-result'] as string },
    { merchant_id: 'merchant_123', amount: 99.99, currency: 'EUR' },
  )
  t.match(fourth.json(), {
    step: 4,
    name: 'process',
    transaction: {
      id: /^[0-9a-f-]{36}$/,
      merchant_id: 'merchant_123',
      amount: 99.99,
      currency: 'EUR',
      status: 'completed',
      authorization_code: /^AUTH-[0-9A-F]{6}$/,
      processor_response: { code: '00', message: 'Approved' },
    },
  })
  t.match((await step(4, { ...CORRELATED, 'X-Validation-Result': 'APPROVED' }, '')).json(), {
    transaction: { merchant_id: 'unknown', amount: 0, currency: 'GBP' },
  })
})

t.test('the score is a hash, the same on every instance [ORCH-2]', async t => {
  t.equal(
    riskScore({ correlationId: 'demo-corr-1', merchantId: 'merchant_123', amount: 99.99, card: '4111 1111 1111 1111' }),
    35,
  )
  t.equal(
    riskScore({ correlationId: 'demo-corr-1', merchantId: 'merchant_123', amount: 99.99, card: '411111' }),
    35,
    'six digits are enough',
  )
  t.not(riskScore({ correlationId: 'demo-corr-2', merchantId: 'merchant_123', amount: 99.99, card: '411111' }), 35)
  t.match(
    (
      await step(2, CORRELATED, { merchant_id: 'merchant_123', amount: 99.99, card_bin: '411111', card_number: '5' })
    ).json(),
    { enrichment: { risk_score: 35, risk_level: 'medium', velocity_check: { flagged: false } } },
  )
  for (const [score, level] of [
    [0, 'low'],
    [29, 'low'],
    [30, 'medium'],
    [69, 'medium'],
    [70, 'high'],
    [99, 'high'],
  ] as const)
    t.equal(riskLevel(score), level)
  for (const [card, type] of [
    ['4', 'visa_credit'],
    ['2', 'mastercard_credit'],
    ['5', 'mastercard_credit'],
    ['3', 'amex'],
    ['6', 'visa_credit'],
    ['x', 'visa_credit'],
    [undefined, 'visa_credit'],
  ] as const)
    t.equal(cardType(card), type)
})

t.test('the rules pass and fail in order, always with 200 [ORCH-3]', async t => {
  const rows: [body: object, failed: string[]][] = [
    [{ amount: 50_000, risk_score: 69 }, []],
    [{ amount: 50_000.01, risk_score: 0 }, ['amount_limit']],
    [{ risk_score: 70 }, ['risk_threshold']],
    [{ risk_score: 100, amount: 60_000 }, ['amount_limit', 'risk_threshold']],
    [{ risk_score: 0, permissions: [] }, ['permission_check']],
    [{ risk_score: 0, permissions: ['refund', 'card_payment'] }, []],
    [{ merchant_id: 'merchant_123', amount: 99.99, card_number: '4111111111111111' }, []],
  ]
  for (const [body, failed] of rows) {
    const reply = await step(3, CORRELATED, body)
    const { validation } = reply.json<{
      validation: { applied_rules: { rule: string; result: string; detail: string }[] }
    }>()
    t.equal(reply.status, 200)
    t.strictSame(
      validation.applied_rules.map(({ rule }) => rule),
      ['amount_limit', 'risk_threshold', 'merchant_active', 'permission_check', 'velocity_check'],
    )
    t.strictSame(
      validation.applied_rules.filter(({ result }) => result === 'fail').map(({ rule }) => rule),
      failed,
      JSON.stringify(body),
    )
    t.match(validation, {
      approved: failed.length === 0,
      result: failed.length === 0 ? 'approved' : 'declined',
      risk_score_source: 'risk_score' in body ? 'request' : 'computed',
      rules_evaluated: 5,
      rules_passed: 5 - failed.length,
      rules_failed: failed.length,
    })
    t.equal(reply.headers['x-validation-result'], failed.length === 0 ? 'approved' : 'declined')
  }
})

t.test('rejects missing or invalid values, in JSON and XML [ORCH-4]', async t => {
  const long = 'x'.repeat(129)
  const rows: [number: number, headers: Headers, body: unknown, status: number, error: string][] = [
    [1, {}, { merchant_id: 'm' }, 401, 'unauthorized'],
    [1, { 'X-Api-Key': '' }, { merchant_id: 'm' }, 401, 'unauthorized'],
    [1, { 'X-Api-Key': long }, { merchant_id: 'm' }, 401, 'unauthorized'],
    [1, {}, 'nonsense', 401, 'unauthorized'],
    ...['', {}, { merchant_id: '' }, { merchant_id: long }, { merchant_id: 1 }, { merchant_id: null }].map(
      body => [1, { 'X-Api-Key': 'k' }, body, 400, 'bad_request'] as [number, Headers, unknown, number, string],
    ),
    ...[2, 3, 4].flatMap(
      number =>
        [
          [number, {}, {}, 400, 'bad_request'],
          [number, { 'X-Correlation-Id': '' }, {}, 400, 'bad_request'],
          [number, { 'X-Correlation-Id': long }, {}, 400, 'bad_request'],
        ] as [number, Headers, unknown, number, string][],
    ),
    ...[1, 2, 3, 4].flatMap(number =>
      ['nonsense', '[]', 'null', '"x"', '7', '{'].map(
        body =>
          [
            number,
            { ...CORRELATED, 'X-Api-Key': 'k', 'X-Validation-Result': 'approved' },
            body,
            400,
            'invalid_json',
          ] as [number, Headers, unknown, number, string],
      ),
    ),
    ...[2, 3, 4].flatMap(number =>
      [
        { amount: -1 },
        { amount: '5' },
        { amount: null },
        '{"amount":1e999}',
        { merchant_id: [] },
        { currency: 5 },
        { card_number: 4111 },
        { card_bin: {} },
        { risk_score: -1 },
        { risk_score: 101 },
        { risk_score: '5' },
        { permissions: 'card_payment' },
        { permissions: [1] },
      ].map(
        body =>
          [number, { ...CORRELATED, 'X-Validation-Result': 'approved' }, body, 400, 'bad_request'] as [
            number,
            Headers,
            unknown,
            number,
            string,
          ],
      ),
    ),
    [4, CORRELATED, {}, 403, 'transaction_denied'],
    [4, { ...CORRELATED, 'X-Validation-Result': 'declined' }, {}, 403, 'transaction_denied'],
    [4, { ...CORRELATED, 'X-Validation-Result': '' }, {}, 403, 'transaction_denied'],
  ]
  for (const [number, headers, body, status, error] of rows) {
    const what = `${number} ${JSON.stringify(headers)} ${JSON.stringify(body)}`.slice(0, 120)
    const reply = await step(number, headers, body)
    t.match([reply.status, reply.json(), reply.headers.vary], [status, { error, details: String }, 'Accept'], what)
    const xml = await step(number, { ...headers, Accept: 'application/xml' }, body)
    t.match([xml.status, readXml(xml.text)], [status, { error }], `${what} as XML`)
  }
})

t.test('describes the steps [ORCH-5]', async t => {
  const { description, steps } = (await send(url, '/orchestration/status')).json<{
    description: string
    steps: {
      step: number
      name: string
      path: string
      required_headers: string[]
      example_body: object
      output_keys: string[]
    }[]
  }>()
  t.type(description, 'string')
  t.strictSame(
    steps.map(({ step: number, name }) => [number, name]),
    [
      [1, 'authenticate'],
      [2, 'enrich'],
      [3, 'validate'],
      [4, 'process'],
    ],
  )
  for (const { path, required_headers: names, example_body: body, output_keys: keys } of steps) {
    const headers = Object.fromEntries(names.map(name => [name, name === 'X-Validation-Result' ? 'approved' : 'demo']))
    const reply = await send(url, path, { method: 'POST', headers, body: JSON.stringify(body) })
    t.strictSame([reply.status, Object.keys(reply.json())], [200, keys], path)
  }
  t.match(readXml((await send(url, '/orchestration/status', { headers: { Accept: 'text/xml' } })).text), {
    steps: { item: Array },
  })
})
