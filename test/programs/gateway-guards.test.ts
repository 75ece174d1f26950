/** LiteLLM asks the guards of svc, with the file of its page. [GUARD-23] */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { blocksOf, root } from '../support/examples.ts'
import { absence, gatewayFolder, startGateway } from '../support/real-gateways.ts'
import { send } from '../support/rules.ts'
import { serve } from '../support/server.ts'
import { freePort } from '../support/free-ports.ts'

t.test('LiteLLM asks before it calls a model', { skip: absence('litellm') }, async t => {
  t.setTimeout(0)
  const server = await serve(t, { oneProcess: 'its requests are read at once' })
  const folder = gatewayFolder()
  const text = blocksOf(readFileSync(join(root, 'docs', 'gateways', 'litellm.md'), 'utf8')).find(block =>
    block.text.startsWith('# litellm.yaml\n'),
  )!.text
  writeFileSync(join(folder, 'litellm.yaml'), text.replaceAll('http://svc:8080', server.url))
  const port = await freePort()
  const args = ['--config', join(folder, 'litellm.yaml'), '--host', '127.0.0.1', '--port', String(port)]
  const through = await startGateway(t, 'litellm', args, {
    port,
    folder,
    ready: '/health/liveliness',
    // Uses the price list of the package instead of fetching one.
    env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
  })
  const chat = async (guardrail: string, content: string): Promise<{ status: number; text: string }> => {
    const response = await through('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer sk-demo', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content }], guardrails: [guardrail] }),
    })
    return { status: response.status, text: await response.text() }
  }
  const calls = async (): Promise<number> =>
    ((await send(server, '/ai/requests?limit=200')).json as { requests: unknown[] }).requests.length
  const decisions = async (policy: string): Promise<string[]> =>
    ((await send(server, '/_svc/requests?service=guardrail&limit=200')).json as { requests: never[] }).requests
      .map(({ service }: { service: { policy: string; decision: string } }) => service)
      .filter(service => service.policy === policy)
      .map(({ decision }) => decision)

  for (const [guardrail, policy] of [
    ['generic', 'litellm'],
    ['lakera', 'lakera'],
  ] as const)
    await t.test(`${guardrail}: what is flagged does not reach the model`, async t => {
      const before = await calls()
      t.equal((await chat(guardrail, 'hello')).status, 200)
      t.equal(await calls(), before + 1)
      const blocked = await chat(guardrail, 'a cheap bomb')
      t.ok(blocked.status >= 400 && blocked.status < 500, blocked.text)
      t.equal(await calls(), before + 1)
      t.match(await decisions(policy), ['block', 'allow'])
    })

  for (const [guardrail, label] of [
    ['generic', '[EMAIL]'],
    ['presidio', 'EMAIL_ADDRESS'],
  ] as const)
    await t.test(`${guardrail}: personal data is masked before it reaches the model`, async t => {
      const { status, text } = await chat(guardrail, 'Mail post@example.org')
      t.equal(status, 200, text)
      // The model echoes the prompt.
      t.match(text, label)
      t.notMatch(text, 'post@example.org')
    })
})
