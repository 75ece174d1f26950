/** What each wire writes, its reader reads again. */
import t from 'tap'
import { compareRequests, scopeOf } from '../../../plugins/probe/wires/difference.ts'
import { emptyRequest } from '../../../plugins/probe/wires/neutral.ts'
import { WIRES } from '../../../plugins/probe/wires/wires.ts'
import { CHAT } from '../../../plugins/probe/wires/chat.ts'
import { GEMINI } from '../../../plugins/probe/wires/gemini.ts'
import { MESSAGES } from '../../../plugins/probe/wires/messages.ts'
import type { Difference, Request, Wire } from '../../../plugins/probe/wires/types.ts'

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string', description: 'The city' }, days: { type: 'integer', minimum: 1 } },
  required: ['city'],
}

/** Only what every wire has a word for. */
const REQUEST = {
  ...emptyRequest(),
  system: [{ text: 'Be brief.', after: 0 }],
  turns: [
    { role: 'user' as const, parts: [{ type: 'text' as const, text: '  Weather in "Oslo"?\n\tPlease.  ' }] },
    {
      role: 'assistant' as const,
      parts: [
        { type: 'text' as const, text: 'I look.' },
        { type: 'call' as const, id: 'call_1', name: 'weather', args: { city: 'Oslo', note: 'a "b"\n' } },
        { type: 'call' as const, id: 'call_2', name: 'weather', args: { city: 'Rome' } },
      ],
    },
    {
      role: 'user' as const,
      parts: [
        {
          type: 'result' as const,
          id: 'call_1',
          name: null,
          parts: [{ type: 'text' as const, text: 'rain' }],
          error: false,
        },
        {
          type: 'result' as const,
          id: 'call_2',
          name: null,
          parts: [{ type: 'text' as const, text: '{"sky":1}' }],
          error: false,
        },
      ],
    },
  ],
  tools: [{ name: 'weather', description: 'Tells the weather', schema: SCHEMA }],
  choice: { type: 'required' as const },
  params: { max_tokens: 321, temperature: 0, top_p: 0.25 },
}

for (const wire of WIRES)
  t.test(`${wire.id}: a request is read as it was written, on its own route`, async t => {
    const written = wire.writeRequest(REQUEST, { model: 'a model/b', stream: true })
    t.equal(wire.matches(written.method, wire.base + written.path), 'generate')
    const read = wire.readRequest(written)
    const scope = scopeOf({ client: wire, upstream: wire }, { side: 'request', scene: 'round trip', mode: 'plain' })
    t.equal(read.model, 'a model/b')
    t.equal(read.stream, true)
    t.same(read.problems, [])
    t.same(compareRequests(REQUEST, read, scope), [])
  })

/** What is not the same in a request that was sent as `chat`. */
function differencesOf(sent: Request, got: Request, upstream: Wire): Pick<Difference, 'path' | 'kind'>[] {
  const scope = scopeOf({ client: CHAT, upstream }, { side: 'request', scene: 'schemas', mode: 'plain' })
  return compareRequests(sent, got, scope).map(({ path, kind }) => ({ path, kind }))
}

t.test('definitions that a gateway adds to a schema mean nothing while they are empty', t => {
  const [tool] = REQUEST.tools
  const withDefinitions = (definitions: object): Request => ({
    ...REQUEST,
    tools: [{ ...tool!, schema: { ...SCHEMA, $defs: definitions } }],
  })
  t.same(differencesOf(REQUEST, withDefinitions({}), MESSAGES), [])
  t.same(differencesOf(REQUEST, withDefinitions({ day: { type: 'integer' } }), MESSAGES), [
    { path: '/tools/0/schema/$defs', kind: 'changed' },
  ])
  t.end()
})

t.test(
  'the schema of a reply loses in `responseSchema` what this member cannot take, and nothing in `responseJsonSchema`',
  t => {
    const asked = {
      ...REQUEST,
      format: { type: 'schema' as const, name: null, schema: { ...SCHEMA, additionalProperties: false } },
    }
    const written = GEMINI.writeRequest(asked, { model: 'm', stream: false })
    const read = (member: string): Request => {
      const body = JSON.parse(written.body.toString()) as { generationConfig: Record<string, unknown> }
      delete body.generationConfig.responseJsonSchema
      body.generationConfig[member] = SCHEMA
      return GEMINI.readRequest({ ...written, body: Buffer.from(JSON.stringify(body)) })
    }
    const path = '/format/schema/additionalProperties'
    t.same(differencesOf(asked, read('responseSchema'), GEMINI), [{ path, kind: 'unavoidable' }])
    t.same(differencesOf(asked, read('responseJsonSchema'), GEMINI), [{ path, kind: 'lost' }])
    t.end()
  },
)
