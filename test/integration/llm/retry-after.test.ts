/** The time after which a client may try again is the same in `Retry-After`, texts, details and reset headers. */
import t from 'tap'
import { serve } from '../../support/server.ts'

t.test('a rule with retry_after sets all of them [LLM-31]', async t => {
  const server = await serve(t, { plugins: ['llm-openai', 'llm-anthropic', 'llm-gemini', 'llm-cohere'] })
  const rule = { match: { path: '/ai/**' }, then: { fail: 'rate_limit', retry_after: 7 } }
  await server.rules.put('limited', rule as never)
  const post = async (path: string) => {
    const response = await fetch(server.url + path, {
      method: 'POST',
      body: '{"messages":[{"role":"user","content":"a"}]}',
    })
    return { headers: response.headers, text: await response.text() }
  }
  const openai = await post('/ai/openai/v1/chat/completions')
  t.equal(openai.headers.get('retry-after'), '7')
  t.match(openai.text, /try again in 7s/)
  t.equal(openai.headers.get('x-ratelimit-reset-requests'), '7s')
  const gemini = await post('/ai/gemini/v1beta/models/gemini-2.5-flash:generateContent')
  t.equal(gemini.headers.get('retry-after'), '7')
  t.match(gemini.text, /retry in 7s/)
  t.match(gemini.text, /"retryDelay":"7s"/)
  const anthropic = await post('/ai/anthropic/v1/messages')
  const reset = Date.parse(anthropic.headers.get('anthropic-ratelimit-requests-reset')!) - Date.now()
  t.ok(reset > 3000 && reset <= 7000, `reset in ${reset} ms`)
  const cohere = await post('/ai/cohere/v2/chat')
  t.equal(cohere.headers.get('retry-after'), '7')
  t.notMatch(cohere.text, /2 s|\{retry\}/)
})

t.test('without a time it is two seconds everywhere [LLM-31]', async t => {
  const server = await serve(t, { plugins: ['llm-openai', 'llm-gemini', 'llm-cohere'] })
  for (const [path, text] of [
    ['/ai/openai/v1/chat/completions', /try again in 2s/],
    ['/ai/gemini/v1beta/models/gemini-2.5-flash:generateContent', /"retryDelay":"2s"/],
  ] as const) {
    const response = await fetch(`${server.url}${path}?fail=rate_limit`, { method: 'POST', body: '{}' })
    t.equal(response.headers.get('retry-after'), '2')
    t.match(await response.text(), text)
  }
})
