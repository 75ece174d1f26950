/** Prompt tokens by message: what a request has less when its oldest messages are dropped. */
import t from 'tap'
import { promptTokens, render, tokensOfMessages } from '../../../plugins/llm/engine/prompt.ts'
import type { NeutralRequest, Part } from '../../../plugins/llm/contract/neutral.ts'
import { loadEncoding } from '../../../plugins/llm/tokenizers/encodings.ts'

const text = (value: string): Part => ({ type: 'text', text: value })
const REQUEST: NeutralRequest = {
  model: 'm',
  system: ['be brief \n'],
  messages: [
    { role: 'user', parts: [text('hello world  '), { type: 'image', description: 'a.png' }] },
    { role: 'assistant', parts: [text(''), { type: 'call', id: 'a', name: 'weather', args: { city: 'Rome' } }] },
    { role: 'tool', parts: [{ type: 'result', id: 'a', content: ' \n ' }] },
    { role: 'user', parts: [text('漢字 😀 and\n\nmore'), text('   ')] },
    { role: 'assistant', parts: [] },
    { role: 'user', parts: [text('the end ')] },
  ],
  tools: [{ name: 'weather', description: 'of a city', schema: {} }],
  toolChoice: 'auto',
  format: { type: 'none' },
  stop: [],
  n: 1,
}

for (const name of ['rule', 'o200k_base'] as const)
  t.test(`with the tokenizer ${name} [LLMN-206]`, async t => {
    const request = name === 'rule' ? REQUEST : { ...REQUEST, tokenizer: await loadEncoding(name) }
    const tokens = (dropped: number): number => {
      const rest = { ...request, messages: request.messages.slice(dropped) }
      return promptTokens(rest, render(rest))
    }
    const sizes = tokensOfMessages(request)
    for (const index of sizes.keys())
      if (index < request.messages.length - 1)
        t.equal(sizes[index], tokens(index) - tokens(index + 1), `message ${index}`)
  })

t.test('a tokenizer takes texts of a bounded length, all together [LLMN-206]', async t => {
  const tokenizer = await loadEncoding('o200k_base')
  const messages = Array.from({ length: 5 }, () => ({ role: 'user' as const, parts: [text('x'.repeat(60_000))] }))
  const request = { ...REQUEST, tokenizer, messages }
  t.throws(() => promptTokens(request, ''), { message: /takes texts of at most 262144 characters/ })
  t.doesNotThrow(() => promptTokens({ ...request, messages: messages.slice(1) }, ''))
})
