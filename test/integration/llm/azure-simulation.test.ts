/** The object of Azure-Samples' mock in the first message, on `/ai/azure`. */
import t from 'tap'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const PATH = '/ai/azure/openai/deployments/svc-gpt/chat/completions?api-version=2024-10-21'

async function ask(url: string, content: unknown, headers: Record<string, string> = {}) {
  return send(url, PATH, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'api-key': 'k', ...headers },
    body: JSON.stringify({ messages: [{ role: 'user', content }] }),
  })
}

const failing = (status: number, host = 'default') => ({ simulation: { [host]: { response_status_code: status } } })

t.test('the object asks for a failure, as an object or as JSON text [DIN-40]', async t => {
  const { url } = await serve(t, { plugins: ['llm-azure'] })
  t.equal((await ask(url, failing(429))).status, 429)
  t.equal((await ask(url, JSON.stringify(failing(503)))).status, 503)
  t.equal((await ask(url, failing(200))).status, 200)
  const both = {
    simulation: { default: { response_status_code: 500, wait_time_ms: 1 }, 'b.test': { response_status_code: 200 } },
  }
  t.equal((await ask(url, both)).status, 500)
  t.equal((await ask(url, both, { Host: 'b.test' })).status, 200, 'the values of the host win')
  t.equal((await ask(url, failing(429), { 'X-Svc-Fail': '503' })).status, 503, 'a header comes first')
  t.equal((await ask(url, { other: 1 })).status, 200)
  t.equal((await ask(url, { simulation: 'x' })).status, 200)
  t.equal((await ask(url, `${'{"simulation":'.repeat(5000)}`)).status, 200, 'text')
})

t.test('without directives it has no meaning [DIN-41]', async t => {
  const { url } = await serve(t, { plugins: ['llm-azure'], settings: { llm: { directives: false } } })
  t.equal((await ask(url, failing(429))).status, 200)
  t.equal((await ask(url, JSON.stringify(failing(429)))).status, 200)
})
