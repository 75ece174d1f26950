/** The same request gives the same content and usage, in every format, from every process. */
import t from 'tap'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { askFormat, formats, serveLlm } from '../../support/llm-formats.ts'

/** Removes the values that differ in each response: ids, times, signatures of calls. */
function stable(text: string): string {
  return text.replace(/"(?:id|created|created_at|completed_at|responseId|request_id)":(?:"[^"]*"|\d+)/g, '""')
}

t.test('two servers send identical replies [LLM-34]', async t => {
  const [first, second] = [await serveLlm(t), await serveLlm(t)]
  for (const format of formats) {
    for (const [text, mode] of [
      ['hello', 'canned'],
      ['hello', 'random'],
      ['lorem 30', 'scripted'],
      ['an echo', 'echo'],
    ] as const) {
      for (const stream of [false, true]) {
        const headers = { 'X-Svc-Mode': mode }
        const [a, b] = [
          await askFormat(first.url, format, { text, stream, headers }),
          await askFormat(second.url, format, { text, stream, headers }),
        ]
        const read = ({ bytes }: typeof a): unknown => (stream ? format.pieces(bytes) : stable(bytes.toString()))
        t.same(read(a), read(b), `${format.id} ${mode} ${stream}`)
      }
    }
    const whole = format.text(
      (await askFormat(first.url, format, { text: 'lorem 30', headers: { 'X-Svc-Mode': 'scripted' } })).json<never>(),
    )
    const pieces = format.pieces(
      (await askFormat(first.url, format, { stream: true, text: 'lorem 30', headers: { 'X-Svc-Mode': 'scripted' } }))
        .bytes,
    )
    t.equal(pieces.join(''), whole, `${format.id}: the stream is the text`)
  }
  const embed = (url: string): Promise<string> =>
    fetch(`${url}/ai/v1/embeddings`, { method: 'POST', body: '{"input":["hello world","weather"]}' }).then(answer =>
      answer.text(),
    )
  t.equal(await embed(first.url), await embed(second.url))
})

t.test('another process sends the same reply [LLM-34]', async t => {
  const engine = join(import.meta.dirname, '../../../plugins/llm/registry/engine.ts')
  const script = `import { createEngine } from ${JSON.stringify(engine)}
const engine = createEngine()
const request = { model: 'm', system: ['s'], messages: [{ role: 'user', parts: [{ type: 'text', text: 'weather in Rome' }] }], tools: [{ name: 'get_weather', description: '', schema: {} }], toolChoice: 'auto', format: { type: 'none' }, stop: [], n: 2 }
console.log(JSON.stringify([engine.generate(request, { mode: 'canned', loremWords: 9 }), engine.generate({ ...request, tools: [] }, { mode: 'random', loremWords: 9 }), engine.embed('x y', 16), engine.relevance('a', ['b', 'a'])]))`
  const run = (): string =>
    execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      encoding: 'utf8',
      cwd: join(import.meta.dirname, '../../..'),
    })
  const first = run()
  t.match(first, /get_weather/)
  t.equal(run(), first)
})
