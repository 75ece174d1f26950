/** What the Gemini API refuses, rule by rule, and what Vertex AI says in other words. */
import t from 'tap'
import { serveLlm } from '../../support/llm-formats.ts'
import {
  GEMINI_3,
  GEMINI_CASES,
  answer,
  call,
  declare,
  error,
  hello,
  object,
  turns,
  user,
} from '../../support/strict-cases/gemini.ts'
import { checkRules } from '../../support/strict.ts'

const server = await serveLlm(t)

t.test('generateContent', t =>
  checkRules(t, {
    url: server.url,
    path: '/ai/gemini/v1beta/models/gemini-2.5-flash:generateContent',
    flavour: 'gemini',
    cases: GEMINI_CASES,
  }),
)

async function ask(path: string, body: object): Promise<Response> {
  return fetch(server.url + path, {
    method: 'POST',
    headers: { 'X-Svc-Validation': 'enforce', 'X-Svc-Tokens-Per-Second': '0' },
    body: JSON.stringify(body),
  })
}

t.test('several wrong members are listed together [STR-20]', async t => {
  const body = declare(object({ a: { type: 'STRING', const: 'x' } }), {
    parameters: { ...object({}), $schema: 'x', additionalProperties: false },
  })
  const { error: found } = (await (await ask(GEMINI_3, body)).json()) as {
    error: { message: string; details: { fieldViolations: object[] }[] }
  }
  t.equal(found.message.split('\n').length, 2)
  t.equal(found.details[0]?.fieldViolations.length, 2)
})

t.test('Vertex AI [STR-21]', async t => {
  const path = '/ai/gemini/v1/projects/p/locations/l/publishers/google/models/gemini-3-pro-preview:generateContent'
  const closed = declare({ ...object({}), additionalProperties: false })
  t.equal((await ask(path, closed)).status, 200, 'its schemas have more keywords')
  t.equal((await ask(GEMINI_3, closed)).status, 400)
  t.match(await (await ask(path, turns({ parts: [{ text: 'x' }] }))).json(), error(/valid role/), 'a role is required')
  t.match(
    await (await ask(path, turns(user, call, answer))).json(),
    error(/^Unable to submit request because function call `default_api:look_up` in the 2\. content block is missing/),
  )
})

interface Reply {
  candidates: { content: { parts: { text?: string; functionCall?: object; thoughtSignature?: string }[] } }[]
}

t.test('parts are signed in Gemini 3 always, and in other models with thoughts [STR-25]', async t => {
  const body = {
    ...hello,
    toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    tools: [{ functionDeclarations: [{ name: 'look_up', parameters: object({ city: { type: 'STRING' } }) }] }],
  }
  const partsOf = async (path: string, sent: object): Promise<Reply['candidates'][0]['content']['parts']> =>
    ((await (await ask(path, sent)).json()) as Reply).candidates[0]!.content.parts
  const [part] = await partsOf(GEMINI_3, body)
  t.match(part, { functionCall: { name: 'look_up' }, thoughtSignature: /^[A-Za-z0-9+/=]{80,400}$/ })
  t.strictSame((await partsOf(GEMINI_3, body))[0]?.thoughtSignature, part?.thoughtSignature, 'the same each time')
  t.match((await partsOf(GEMINI_3, hello)).at(-1), { text: /./, thoughtSignature: /./ })
  const older = '/ai/gemini/v1beta/models/gemini-2.5-flash:generateContent'
  t.notOk((await partsOf(older, hello)).at(-1)?.thoughtSignature)
  const thoughts = { ...hello, generationConfig: { thinkingConfig: { includeThoughts: true } } }
  t.ok((await partsOf(older, thoughts)).at(-1)?.thoughtSignature)
  const stream = await (
    await ask('/ai/gemini/v1beta/models/gemini-3-pro-preview:streamGenerateContent?alt=sse', hello)
  ).text()
  const chunks = stream
    .split('\r\n\r\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line.slice('data: '.length)) as Reply)
  t.strictSame(
    chunks.map(({ candidates }) => candidates[0]!.content.parts.some(({ thoughtSignature }) => thoughtSignature)),
    chunks.map((_, index) => index === chunks.length - 1),
    'in the last chunk',
  )
})
