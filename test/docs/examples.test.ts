/** The runner of examples itself: it detects output that differs from what a page shows. */
import t from 'tap'
import { blocksOf, findMismatch, unmentionedErrors, violatedRules, type Block } from '../support/examples.ts'
import { serveLlm } from '../support/llm-formats.ts'

const shown = (language: string, text: string): Block => ({ language, text, line: 1, end: 3 })

t.test('blocks have their language, text and lines', async t => {
  t.strictSame(blocksOf('a\n```sh\nls\n```\n```json\n{}\n```\nb'), [
    { language: 'sh', text: 'ls\n', line: 2, end: 4 },
    { language: 'json', text: '{}\n', line: 5, end: 7 },
  ])
})

t.test('shown lines are in the output in their order, and … matches anything within a line [DOC-1]', async t => {
  const output = 'HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\n\r\n{"id":"x-7"}'
  for (const text of ['HTTP/1.1 200 OK\nB: 2', '…"id":"x-…"…', 'A: …\n…\n{"id":"x-7"}'])
    t.equal(findMismatch(output, shown('text', text)), null, text)
  for (const text of ['HTTP/1.1 200', 'B: 2\nA: 1', 'C: …', '{"id":"y-…"}', '…"id":"x"…'])
    t.type(findMismatch(output, shown('text', text)), 'string', text)
})

t.test('shown JSON is contained in the output [DOC-1]', async t => {
  const output = '{"a":1,"b":[{"c":"xyz","d":null},2],"e":{"f":true}}'
  for (const text of ['{}', '{"a":1}', '{"b":[{"c":"x…"},2]}', '{"b":["…"]}', '{"e":"…"}', '{"b":[{"d":null},2]}'])
    t.equal(findMismatch(output, shown('json', text)), null, text)
  for (const text of [
    '{"a":2}',
    '{"z":1}',
    '{"b":[{"c":"xyz"}]}',
    '{"b":[{"c":"y…"},2]}',
    '{"a":"1"}',
    '[]',
    '{"e":{"f":null}}',
    '{"z":"…"}',
  ])
    t.type(findMismatch(output, shown('json', text)), 'string', text)
  t.type(findMismatch('no JSON', shown('json', '{"a":1}')), 'string')
})

t.test('an HTTP error that the page does not mention is detected [DOC-1]', async t => {
  t.strictSame(unmentionedErrors('<<status 200>><<status 404>>x<<status 503>>', 'curl … # 503'), ['404'])
})

t.test('a call of a model that its vendor would refuse is detected [DOC-1, STR-46]', async t => {
  const server = await serveLlm(t)
  const ask = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${server.url}/ai/anthropic/v1/messages`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'claude', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }),
    })
  t.equal((await ask({ 'anthropic-version': '2023-06-01' })).status, 200)
  t.strictSame(await violatedRules(server), [])
  t.equal((await ask({})).status, 200)
  t.strictSame(await violatedRules(server), ['anthropic.version'])
})
