/** What each wire writes, its reader reads again. */
import t from 'tap'
import { compareRequests, scopeOf } from '../../../plugins/probe/wires/difference.ts'
import { emptyRequest } from '../../../plugins/probe/wires/neutral.ts'
import { WIRES } from '../../../plugins/probe/wires/wires.ts'

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
