/** What the Live API refuses: the setup closes the socket with the message of the vendor. */
import t from 'tap'
import { connectJson, type JsonMessage, type JsonSocket } from '../../support/json-socket.ts'
import { serveLlm } from '../../support/llm-formats.ts'

const server = await serveLlm(t, {
  yaml: `llm:
  providers:
    - { name: strict-live, format: gemini, validation: { level: enforce, fields: [const] } }
`,
})
const pathOf = (provider: string): string =>
  `/ai/${provider}/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent`
const text = { generationConfig: { responseModalities: ['TEXT'] } }
const declare = (parameters: object): object => ({
  ...text,
  tools: [{ functionDeclarations: [{ name: 'look_up', parameters }] }],
})
const object = (properties: object): object => ({ type: 'OBJECT', properties })
const FUNCTION = 'setup.tools[0].function_declarations[0]'

async function open(
  t: Parameters<typeof connectJson>[0],
  setup: object,
  { headers = {}, provider = 'gemini' }: { headers?: Record<string, string>; provider?: string } = {},
): Promise<JsonSocket> {
  const client = await connectJson(t, server.url + pathOf(provider), {
    headers: { 'X-Svc-Tokens-Per-Second': '0', ...headers },
  })
  client.send({ setup: { model: 'models/svc-echo', ...setup } })
  return client
}
const enforced = (session: string, more = ''): { headers: Record<string, string> } => ({
  headers: { 'X-Svc-Validation': `enforce${more}`, 'X-Svc-Session': session },
})
const isReady = ({ setupComplete }: JsonMessage): boolean => setupComplete !== undefined
const say = { clientContent: { turns: [{ role: 'user', parts: [{ text: 'hello' }] }], turnComplete: true } }
const isComplete = ({ serverContent }: JsonMessage): boolean => serverContent?.turnComplete === true

interface Recorded {
  status: number
  violations: string[]
}
async function recordsOf(session: string): Promise<Recorded[]> {
  const response = await fetch(`${server.url}/ai/requests?session=${session}`)
  return ((await response.json()) as { requests: Recorded[] }).requests
}

interface Case {
  rule: string
  setup: object
  message: string
  valid: object
}
const cases: Case[] = [
  {
    rule: 'live.schema-field',
    setup: declare(object({ a: { type: 'STRING', const: 'x' } })),
    message: `Invalid JSON payload received. Unknown name "const" at '${FUNCTION}.parameters.properties[0].value': Cannot find field.`,
    valid: declare(object({ a: { type: 'STRING', max_length: 3 } })),
  },
  {
    rule: 'live.type-list',
    setup: { ...text, tools: [{ function_declarations: [{ name: 'a', response: { type: ['STRING', 'NULL'] } }] }] },
    message: `Invalid JSON payload received. Unknown name "type" at '${FUNCTION}.response': Proto field is not repeating, cannot start list.`,
    valid: { ...text, tools: [{ function_declarations: [{ name: 'a', response: { type: 'STRING' } }] }] },
  },
  {
    rule: 'live.modalities',
    setup: { generation_config: { response_modalities: ['TEXT', 'AUDIO'] } },
    message: 'Request contains an invalid argument.',
    valid: text,
  },
]

for (const { rule, setup, message, valid } of cases)
  t.test(rule, async t => {
    const session = rule.replace('.', '-')
    const refused = await open(t, setup, enforced(session))
    const { code, reason } = await refused.closed
    t.equal(code, 1007)
    t.equal(reason, message.slice(0, 123), 'the message, as far as a frame can hold it')
    t.notOk(refused.messages.some(isReady))
    t.match(await recordsOf(session), [{ status: 400, violations: [rule] }], 'the refusal is recorded')
    const { level, rules } = (await (await fetch(`${server.url}/ai/validation?rule=${rule}`)).json()) as {
      level: string
      rules: { confidence: string; flavours: string[]; sources: object[] }[]
    }
    t.equal(level, 'warn')
    t.match(rules, [{ confidence: 'reported', flavours: ['gemini-live'] }])
    t.ok(rules[0]!.sources.length > 0)

    const neighbor = await open(t, valid, enforced(`${session}-valid`))
    await neighbor.until(isReady)
    neighbor.send(say)
    await neighbor.until(isComplete)
    t.match(await recordsOf(`${session}-valid`), [{ status: 200, violations: [] }])
  })

t.test('every rule has a case [STR-22]', async t => {
  const { rules } = (await (await fetch(`${server.url}/ai/validation?flavour=gemini-live`)).json()) as {
    rules: { rule: string }[]
  }
  t.strictSame(rules.map(({ rule }) => rule).sort(), cases.map(({ rule }) => rule).sort())
})

t.test('below enforce, a session begins, and its turns name the violations', async t => {
  for (const [level, violations] of [
    ['warn', ['live.schema-field']],
    ['off', []],
  ] as const) {
    const session = `live-${level}`
    const client = await open(t, cases[0]!.setup, { headers: { 'X-Svc-Validation': level, 'X-Svc-Session': session } })
    await client.until(isReady)
    t.strictSame(await recordsOf(session), [], 'a setup is not a call of the model')
    client.send(say)
    await client.until(isComplete)
    t.match(await recordsOf(session), [{ status: 200, violations }])
  }
  const spoken = await open(t, { generationConfig: { responseModalities: ['TEXT', 'AUDIO'] } })
  t.match(await spoken.closed, { code: 1007, reason: /expected either/ }, 'what no session can be is always refused')
})

t.test('rules can be left out, and a provider can take more keywords', async t => {
  await (await open(t, cases[0]!.setup, enforced('live-except', '; except=live.*'))).until(isReady)
  await (await open(t, cases[0]!.setup, { provider: 'strict-live' })).until(isReady)
  t.equal((await (await open(t, cases[1]!.setup, { provider: 'strict-live' })).closed).code, 1007)
})

t.test('a wrong level is an error at the setup', async t => {
  const client = await open(t, text, { headers: { 'X-Svc-Validation': 'strict' } })
  t.match(await client.closed, { code: 1007, reason: /^X-Svc-Validation: / })
})

t.test('a rule of a session sets the level of its turns', async t => {
  const session = 'live-rules'
  const stored = await fetch(`${server.url}/s/${session}/_svc/rules`, {
    method: 'POST',
    body: JSON.stringify({ name: 'strict', match: { llm: {} }, then: { llm: { validation: 'enforce' } } }),
  })
  t.equal(stored.status, 201)
  const client = await open(t, cases[0]!.setup, { headers: { 'X-Svc-Session': session } })
  await client.until(isReady)
  client.send(say)
  t.match(await client.closed, { code: 1007, reason: /^Invalid JSON payload received\. Unknown name "const"/ })
  t.match(await recordsOf(session), [{ status: 400, violations: ['live.schema-field'] }])
})

t.test('metrics count a refused setup once', async t => {
  const count = async (name: string): Promise<number> => {
    const metrics = await (await fetch(`${server.url}/_svc/metrics`)).text()
    return Number(new RegExp(`${name}\\{rule="live\\.modalities"\\} (\\d+)`).exec(metrics)?.[1] ?? 0)
  }
  const before = [await count('svc_llm_refused_total'), await count('svc_llm_violations_total')]
  await (await open(t, cases[2]!.setup, enforced('live-metrics'))).closed
  t.strictSame(
    [await count('svc_llm_refused_total'), await count('svc_llm_violations_total')],
    before.map(n => n + 1),
  )
})
