/** SDKs in Python with nothing changed but `HTTPS_PROXY` and the demo CA (sheet drop-in, 7.4). */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { serve } from '../support/server.ts'
import { pythonWith } from './support/python.ts'

t.setTimeout(0)
const LOOPS = join(import.meta.dirname, 'loops')
const python = await pythonWith(['openai', 'anthropic', 'google.genai'])

t.test(
  'the SDKs of OpenAI, Anthropic and Gemini for Python',
  { skip: typeof python === 'string' && python },
  async t => {
    if (typeof python === 'string') return
    const server = await serve(t, {
      plugins: ['llm-openai', 'llm-anthropic', 'llm-gemini', 'tls'],
      settings: { llm: { hosts: 'vendors' } },
    })
    const folder = t.testdir({})
    const ca = join(folder, 'svc-ca.pem')
    writeFileSync(ca, await (await fetch(`${server.url}/tls/ca.pem`)).text())
    const { output } = await python.run(['-W', 'ignore', join(LOOPS, 'provider_hosts.py')], {
      cwd: folder,
      env: {
        HTTPS_PROXY: server.url,
        SSL_CERT_FILE: ca,
        OPENAI_API_KEY: 'sk-demo',
        ANTHROPIC_API_KEY: 'sk-ant-demo',
        GEMINI_API_KEY: 'demo',
      },
    })
    const line = output.split('\n').findLast(text => text.startsWith('{'))
    const hello = /^Hello! I'm svc/
    t.match(JSON.parse(line ?? JSON.stringify({ output })), {
      chat: hello,
      streamed: hello,
      message: hello,
      generated: hello,
    })
  },
)
