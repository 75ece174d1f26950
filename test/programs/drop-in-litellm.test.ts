/** `examples/drop-in/litellm.yaml` as it is: the vendors' own addresses, through svc as the proxy (sheet drop-in, 7.4). */
import { spawn } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { root } from '../support/examples.ts'
import { findProgram } from './support/program.ts'
import { freePort } from '../support/free-ports.ts'

const litellm = findProgram('litellm')

t.test('LiteLLM reaches the hosts of the vendors', { skip: typeof litellm === 'string' && litellm }, async t => {
  if (typeof litellm === 'string') return
  t.setTimeout(0)
  t.comment(litellm.title)
  const server = await launch({ settings: { llm: { hosts: 'vendors' } } })
  t.teardown(() => server.stop())
  const folder = t.testdir({})
  copyFileSync(join(root, 'examples', 'drop-in', 'litellm.yaml'), join(folder, 'litellm.yaml'))
  writeFileSync(join(folder, 'svc-ca.pem'), await (await fetch(`${server.url}/tls/ca.pem`)).text())
  const port = await freePort()
  let output = ''
  const gateway = spawn(litellm.path, ['--config', 'litellm.yaml', '--host', '127.0.0.1', '--port', String(port)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      HTTPS_PROXY: server.url,
      https_proxy: server.url,
      SSL_CERT_FILE: join(folder, 'svc-ca.pem'),
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    },
  })
  for (const stream of [gateway.stdout, gateway.stderr]) stream.on('data', chunk => (output += chunk))
  const exited = new Promise<void>(resolve => gateway.on('exit', () => resolve()))
  t.teardown(async () => {
    gateway.kill()
    await exited
  })
  const url = `http://127.0.0.1:${port}`
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/health/liveliness`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (gateway.exitCode === null && !(await isReady())) await new Promise(resolve => setTimeout(resolve, 250))
  t.equal(gateway.exitCode, null, output)
  for (const model of ['gpt', 'claude', 'gemini']) {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer sk-of-the-gateway-only' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
    })
    const text = await response.text()
    t.equal(response.status, 200, `${model}: ${text.slice(0, 400)}`)
    t.match(JSON.parse(text), { object: 'chat.completion', choices: [{ message: { role: 'assistant' } }] }, model)
  }
})
