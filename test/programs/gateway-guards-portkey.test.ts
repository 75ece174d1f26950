/** Portkey asks the guard of svc with the webhook and the configuration of its page. [GUARD-23] */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { blocksOf, root } from '../support/examples.ts'
import { freePort } from '../support/free-ports.ts'
import { absenceOfPackage, gatewayFolder, startGateway } from '../support/real-gateways.ts'
import { send } from '../support/rules.ts'
import { serve } from '../support/server.ts'

/** What Portkey answers with if a check refuses a request or a response. */
const REFUSED = 446

t.test(
  'Portkey asks about prompts and answers',
  { skip: absenceOfPackage('gateway', '@portkey-ai/gateway') },
  async t => {
    t.setTimeout(0)
    const server = await serve(t, { oneProcess: 'its requests are read at once' })
    const page = readFileSync(join(root, 'docs', 'gateways', 'portkey.md'), 'utf8')
    const block = blocksOf(page).find(({ text }) => text.startsWith('# guards.yaml\n'))!
    // The time that the page gives the webhook is short for a machine that runs tests.
    const config = block.text.replaceAll('http://svc:8080', server.url).replaceAll('timeout: 3000', 'timeout: 60000')
    const port = await freePort()
    const folder = gatewayFolder()
    const through = await startGateway(t, 'gateway', [`--port=${port}`, '--headless'], {
      port,
      folder,
      ready: '/',
      env: { TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
    })
    const headers = { 'content-type': 'application/json', 'x-portkey-config': JSON.stringify(parse(config)) }
    const chat = async (content: string): Promise<{ status: number; text: string }> => {
      const body = JSON.stringify({ model: 'svc-echo', messages: [{ role: 'user', content }] })
      const response = await through('/v1/chat/completions', { method: 'POST', headers, body })
      return { status: response.status, text: await response.text() }
    }
    const calls = async (): Promise<number> =>
      ((await send(server, '/ai/requests?limit=200')).json as { requests: unknown[] }).requests.length
    const decisions = async (): Promise<string[]> =>
      (
        (await send(server, '/_svc/requests?service=guardrail&limit=200')).json as {
          requests: { service: { policy: string; decision: string } }[]
        }
      ).requests.map(({ service }) => `${service.policy} ${service.decision}`)

    await t.test('what is not flagged passes, and the answer is examined too', async t => {
      const { status, text } = await chat('hello')
      t.equal(status, 200, text)
      t.equal(await calls(), 1)
      t.strictSame(await decisions(), ['portkey allow', 'portkey allow'])
    })

    await t.test('what is flagged does not reach the model', async t => {
      const { status, text } = await chat('a cheap bomb')
      t.equal(status, REFUSED, text)
      t.equal(await calls(), 1)
      t.equal((await decisions())[0], 'portkey block')
    })

    await t.test('personal data is masked before it reaches the model', async t => {
      const { status, text } = await chat('Mail post@example.org')
      t.equal(status, 200, text)
      // The model echoes the prompt.
      const { choices } = JSON.parse(text) as { choices: { message: { content: string } }[] }
      t.match(choices[0]!.message.content, '[EMAIL]')
      t.notMatch(choices[0]!.message.content, 'post@example.org')
      t.ok((await decisions()).includes('portkey redact'))
    })
  },
)
