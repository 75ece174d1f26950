/** Text completions: a stream has the text of the complete reply. */
import t from 'tap'
import { serveLlm } from '../../support/llm-formats.ts'

const { url } = await serveLlm(t)

interface Choice {
  text: string
  finish_reason: string | null
}

async function complete(body: object, headers: Record<string, string> = {}): Promise<{ text: string; finish: string }> {
  const response = await fetch(`${url}/ai/v1/completions`, {
    method: 'POST',
    headers: { 'X-Svc-Tokens-Per-Second': '0', ...headers },
    body: JSON.stringify({ model: 'svc-gpt', prompt: 'hello', ...body }),
  })
  const text = await response.text()
  const chunks = text.startsWith('data:')
    ? text.match(/(?<=^data: )\{.*$/gm)!.map(line => JSON.parse(line) as { choices: Choice[] })
    : [JSON.parse(text) as { choices: Choice[] }]
  const choices = chunks.flatMap(chunk => chunk.choices)
  return { text: choices.map(choice => choice.text).join(''), finish: choices.at(-1)?.finish_reason ?? '' }
}

t.test('a stream has the echoed prompt, the reply and the suffix [LLM-52]', async t => {
  for (const body of [{ suffix: ' The end.' }, { echo: true, suffix: '!' }, { echo: true }]) {
    const whole = await complete(body)
    t.same(await complete({ ...body, stream: true }), whole)
    t.ok(whole.text.endsWith(body.suffix ?? ''))
  }
})

t.test('a filtered reply has neither, with and without streaming [LLM-52]', async t => {
  const filter = { 'X-Svc-Fail': 'content_filter' }
  for (const stream of [false, true])
    t.same(await complete({ echo: true, suffix: '!', stream }, filter), { text: '', finish: 'content_filter' })
})
