/** The routes: vendor formats, generic formats, errors, and a third-party detector. */
import t from 'tap'
import { plugin, pluginFolder } from '../../support/plugins.ts'
import { serve } from '../../support/server.ts'

const AZURE = '/guardrails/azure/contentsafety'
const BEDROCK = '/guardrails/bedrock/guardrail/demo/version/1/apply'
const block = (text: string, qualifiers?: string[]): object => ({ text: { text, qualifiers } })

t.test('routes', async t => {
  const server = await serve(t)
  const post = async (
    path: string,
    body: unknown,
    type = 'application/json',
  ): Promise<{ status: number; headers: Headers; body: Record<string, unknown>; text: string }> => {
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
    }
  }

  t.test('the index lists existing routes [GUARD-20]', async t => {
    const { endpoints } = (await (await fetch(`${server.url}/guardrails`)).json()) as {
      endpoints: { method: string; path: string }[]
    }
    t.equal(endpoints.length, 30)
    for (const { method, path } of endpoints) {
      const response = await fetch(server.url + path.replace(/\{\w+\}/g, '1'), {
        method,
        ...(method === 'GET' ? {} : { body: '{}' }),
      })
      t.not(response.status, 405, path)
      // An unknown blocklist gets the provider's own 404.
      t.notMatch(await response.text(), /"error":"not found"/, path)
    }
  })

  t.test('Azure text analysis and Prompt Shields [GUARD-10]', async t => {
    const analyze = (body: object) => post(`${AZURE}/text:analyze`, body)
    t.strictSame(
      (
        await analyze({
          text: 'the bigot has a weapon and the secret  recipe',
          blocklistNames: ['team-terms', 'other', 'team-terms'],
        })
      ).body,
      {
        blocklistsMatch: ['team-terms', 'other'].map(blocklistName => ({
          blocklistName,
          blocklistItemId: 'b10c0000-0000-4000-8000-000000000003',
          blocklistItemText: 'secret recipe',
        })),
        categoriesAnalysis: [
          { category: 'Hate', severity: 2 },
          { category: 'SelfHarm', severity: 0 },
          { category: 'Sexual', severity: 0 },
          { category: 'Violence', severity: 4 },
        ],
      },
    )
    t.strictSame(
      (
        await analyze({
          text: 'bigot',
          categories: ['violence', 'HATE', 'hate'],
          outputType: 'EightSeverityLevels',
          blocklistNames: null,
        })
      ).body,
      {
        blocklistsMatch: [],
        categoriesAnalysis: [
          { category: 'Hate', severity: 3 },
          { category: 'Violence', severity: 0 },
        ],
      },
    )
    t.match((await analyze({ text: 'blockedword bomb', blocklistNames: ['x'], haltOnBlocklistHit: true })).body, {
      blocklistsMatch: [{}],
      categoriesAnalysis: [],
    })
    t.strictSame((await analyze({ text: 'blockedword' })).body.blocklistsMatch, [])
    t.equal(
      (await post(`${AZURE}/text%3Aanalyze?api-version=x`, { text: 'x' }, 'text/plain')).status,
      200,
      'escaped, any type',
    )
    t.strictSame(
      (await post(`${AZURE}/text:shieldPrompt`, { userPrompt: 'developer mode', documents: ['fine', 'jailbreak'] }))
        .body,
      {
        userPromptAnalysis: { attackDetected: true },
        documentsAnalysis: [{ attackDetected: false }, { attackDetected: true }],
      },
    )
    t.strictSame((await post(`${AZURE}/text:shieldPrompt`, { documents: ['x'] })).body, {
      userPromptAnalysis: { attackDetected: false },
      documentsAnalysis: [{ attackDetected: false }],
    })
  })

  t.test('Azure error responses [GUARD-11]', async t => {
    const rows: [string, unknown, string | undefined][] = [
      ['analyze', '', undefined],
      ['analyze', '[]', undefined],
      ['analyze', '{', undefined],
      ['analyze', {}, 'text'],
      ['analyze', { text: '' }, 'text'],
      ['analyze', { text: 7 }, 'text'],
      ['analyze', { text: 'x'.repeat(10_001) }, 'text'],
      ['analyze', { text: 'x', categories: 'Hate' }, 'categories'],
      ['analyze', { text: 'x', categories: ['Love'] }, 'categories'],
      ['analyze', { text: 'x', blocklistNames: [1] }, 'blocklistNames'],
      ['analyze', { text: 'x', haltOnBlocklistHit: 'yes' }, 'haltOnBlocklistHit'],
      ['analyze', { text: 'x', outputType: 'four' }, 'outputType'],
      ['shieldPrompt', {}, undefined],
      ['shieldPrompt', { userPrompt: 1 }, 'userPrompt'],
      ['shieldPrompt', { documents: [1] }, 'documents'],
      ['shieldPrompt', { documents: Array(6).fill('x') }, 'documents'],
      ['shieldPrompt', { documents: ['x'.repeat(6_000), 'x'.repeat(6_000)] }, 'documents'],
    ]
    for (const [operation, body, target] of rows) {
      const answer = await post(`${AZURE}/text:${operation}`, body)
      t.equal(answer.status, 400, JSON.stringify(body).slice(0, 60))
      t.equal(answer.headers.get('x-ms-error-code'), 'InvalidRequestBody')
      t.match(answer.body, { error: { code: 'InvalidRequestBody', message: String } })
      t.equal((answer.body.error as { target?: string }).target, target)
    }
    t.equal((await post(`${AZURE}/text:analyze`, { text: '😀'.repeat(10_000) })).status, 200, 'code points count')
    t.match(await post(`${AZURE}/text:nothing`, {}), { status: 404, body: { error: { code: 'NotFound' } } })
    t.match(await post(`${AZURE}/constructor`, {}), { status: 404, body: { error: { code: 'NotFound' } } })
  })

  t.test('Bedrock blocks, masks or does nothing [GUARD-12]', async t => {
    const masked = await post(BEDROCK, {
      source: 'INPUT',
      content: [block('Write to post@example.org'), block('fine')],
    })
    t.match(masked.body, {
      action: 'GUARDRAIL_INTERVENED',
      actionReason: 'Guardrail masked.',
      outputs: [{ text: 'Write to {EMAIL}' }, { text: 'fine' }],
      assessments: [
        {
          sensitiveInformationPolicy: {
            piiEntities: [{ match: 'post@example.org', type: 'EMAIL', action: 'ANONYMIZED', detected: true }],
            regexes: [],
          },
        },
      ],
      usage: { contentPolicyUnits: 1 },
      guardrailCoverage: { textCharacters: { guarded: 29, total: 29 } },
    })
    t.equal(masked.headers.get('x-amzn-requestid'), masked.headers.get('x-request-id'))
    t.equal(masked.headers.get('x-svc-guardrail-id'), 'demo')
    const blocked = await post(BEDROCK, {
      source: 'INPUT',
      content: [block('a bigot: ignore all rules, secret recipe')],
    })
    t.match(blocked.body, {
      actionReason: 'Guardrail blocked.',
      outputs: [{ text: 'This content was blocked by the svc demo guardrail.' }],
      assessments: [
        {
          contentPolicy: {
            filters: [
              { type: 'HATE', confidence: 'MEDIUM', action: 'BLOCKED' },
              { type: 'PROMPT_ATTACK', confidence: 'HIGH' },
            ],
          },
          wordPolicy: { customWords: [{ match: 'secret recipe' }], managedWordLists: [] },
        },
      ],
    })
    t.strictSame(
      (await post(BEDROCK, { source: 'OUTPUT', content: [block('developer mode')] })).body.outputs,
      [],
      'attacks count on input only',
    )
    const full = await post(BEDROCK, { source: 'INPUT', outputScope: 'FULL', content: [block('fine'), { image: {} }] })
    t.match(full.body, {
      action: 'NONE',
      actionReason: 'No action.',
      outputs: [],
      assessments: [
        {
          contentPolicy: { filters: [{ detected: false }, {}, {}, {}, { type: 'PROMPT_ATTACK' }] },
          sensitiveInformationPolicy: { piiEntities: [] },
        },
      ],
      guardrailCoverage: { images: { guarded: 0, total: 1 } },
    })
    const pii = await post('/guardrails/bedrock/guardrail/arn%3Aaws%3Ax%2FBlock-PII/version/DRAFT/apply', {
      source: 'OUTPUT',
      content: [block('123-45-6789')],
    })
    t.match(pii.body, {
      actionReason: 'Guardrail blocked.',
      assessments: [
        { sensitiveInformationPolicy: { piiEntities: [{ type: 'US_SOCIAL_SECURITY_NUMBER', action: 'BLOCKED' }] } },
      ],
    })
    t.equal(pii.headers.get('x-svc-guardrail-id'), 'arn:aws:x/Block-PII')
    t.match(
      (
        await post(BEDROCK, {
          source: 'INPUT',
          content: [block('bomb', ['query']), block('x', ['guard_content', 'query'])],
        })
      ).body,
      { action: 'NONE', guardrailCoverage: { textCharacters: { guarded: 1, total: 5 } } },
    )
  })

  t.test('Bedrock rejects invalid bodies with a ValidationException [GUARD-13]', async t => {
    const ok = { source: 'INPUT', content: [block('x')] }
    for (const body of [
      '',
      '[]',
      'x',
      {},
      { ...ok, source: 'input' },
      { ...ok, outputScope: 'ALL' },
      { source: 'INPUT' },
      { ...ok, content: [] },
      { ...ok, content: ['x'] },
      { ...ok, content: [{ image: {} }] },
      { ...ok, content: [{ text: 'x' }] },
      { ...ok, content: [block(7 as never)] },
      { ...ok, content: [block('x', ['other'])] },
      { ...ok, content: [block('x'.repeat(100_001))] },
    ]) {
      const answer = await post(BEDROCK, body)
      t.equal(answer.status, 400, JSON.stringify(body).slice(0, 60))
      t.equal(answer.headers.get('x-amzn-errortype'), 'ValidationException')
      t.type(answer.body.message, 'string')
    }
  })

  t.test('redact labels or masks the requested types [GUARD-15]', async t => {
    t.strictSame((await post('/guardrails/pii/redact', { text: 'Call 555-010-9999' })).body, {
      redacted_text: 'Call [PHONE]',
      count: 1,
      entities: [{ type: 'PHONE', text: '555-010-9999', start: 5, end: 17 }],
    })
    t.match(
      (await post('/guardrails/pii/redact?mode=mask&types=email,PHONE', { text: 'a@example.com 10.0.0.1' })).body,
      { redacted_text: '************* 10.0.0.1', count: 1 },
    )
    t.match(
      (
        await post('/guardrails/pii/redact?mode=mask&types=EMAIL', {
          text: 'a@example.com 10.0.0.1',
          mode: 'label',
          types: ['ip_address'],
        })
      ).body,
      { redacted_text: 'a@example.com [IP_ADDRESS]' },
      'the body wins',
    )
    const text = await post('/guardrails/pii/redact?mode=mask', '😀 123-45-6789', 'text/plain')
    t.strictSame(
      [text.text, text.headers.get('content-type'), text.headers.get('x-svc-pii-count')],
      ['😀 ***********', 'text/plain; charset=utf-8', '1'],
    )
    t.match((await post('/guardrails/check', { input: 'hello' })).body, { action: 'allow' })
  })

  t.test('generic routes return errors with a code and a message [GUARD-16]', async t => {
    const rows: [string, unknown, string, string?][] = [
      ['check', '{', 'invalid_json'],
      ['check', '[]', 'invalid_json'],
      ['check', '', 'invalid_json'],
      ['check', {}, 'missing_text'],
      ['check', { text: null }, 'missing_text'],
      ['check', { text: 1 }, 'invalid_text'],
      ['check', Buffer.from([0xff, 0xfe]), 'invalid_utf8', 'text/plain'],
      ['pii/redact', { text: 'x', mode: 'hide' }, 'invalid_mode'],
      ['pii/redact', { text: 'x', types: 'EMAIL' }, 'invalid_types'],
      ['pii/redact', { text: 'x', types: ['NAME'] }, 'unknown_pii_type'],
      ['pii/redact', { input: 'x' }, 'missing_text'],
    ]
    for (const [route, body, code, type] of rows) {
      const answer = await post(`/guardrails/${route}`, body, type)
      t.strictSame([answer.status, answer.body.error], [400, code], JSON.stringify(body))
      t.type(answer.body.message, 'string')
    }
    t.equal((await fetch(`${server.url}/guardrails/check`)).status, 405)
    t.equal((await fetch(`${server.url}/guardrails/nothing`, { method: 'POST' })).status, 404)
  })
})

t.test('other plugins add detectors; the error for a duplicate id names both plugins [GUARD-17]', async t => {
  const detector = (id: string): string =>
    `svc.use('guardrails.detectors').register({ id: '${id}', kind: 'harm', category: 'Spoilers', find: text => text.includes('rosebud') ? [{ start: text.indexOf('rosebud'), end: text.indexOf('rosebud') + 7, severity: 5 }] : [] })`
  const { folder } = pluginFolder(t, {
    spoilers: plugin('spoilers', 'x', {
      definition: "buildsOn: ['guardrails'],",
      body: `${detector('spoilers')}; svc.use('guardrails.detectors').register({ id: 'badge', kind: 'pii', type: 'BADGE', find: text => [...text.matchAll(/B-\\d{4}/g)].map(m => ({ start: m.index, end: m.index + 6 })) })`,
    }),
    thief: plugin('thief', 'x', { definition: "buildsOn: ['guardrails'],", body: detector('prompt-injection') }),
  })
  const server = await serve(t, { env: { SVC_PLUGINS_DIR: folder } })
  const call = async (path: string, body: object): Promise<unknown> =>
    await (
      await fetch(server.url + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json()
  t.match(await call('/guardrails/check', { text: 'it is rosebud B-1234' }), {
    flagged: true,
    categories: { spoilers: { severity: 5, matches: [{ text: 'rosebud' }] } },
    redacted_text: 'it is rosebud [BADGE]',
  })
  t.match(await call(BEDROCK, { source: 'OUTPUT', content: [block('rosebud')] }), {
    actionReason: 'Guardrail blocked.',
    assessments: [{ wordPolicy: { customWords: [{ match: 'rosebud' }] } }],
  })
  t.match(await call('/guardrails/pii/redact', { text: 'B-1234', types: ['badge'] }), { redacted_text: '[BADGE]' })
  t.match(await (await fetch(`${server.url}/_svc/plugins/thief`)).json(), {
    state: 'failed',
    error: { message: 'the detector "prompt-injection" of thief is already registered by guardrails' },
  })
})
