/** Starts LiteLLM, if it is installed, with the exported configuration, and calls every model in it. */
import t from 'tap'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { root } from '../../support/examples.ts'
import { absence, gatewayFolder, startGateway } from '../../support/real-gateways.ts'
import { serve } from '../../support/server.ts'
import { freePort } from '../../support/free-ports.ts'

const KEY = { Authorization: 'Bearer sk-demo', 'Content-Type': 'application/json' }
const PROVIDERS = ['llm', 'openai', 'azure', 'anthropic', 'gemini', 'bedrock', 'ollama', 'cohere']
const PLUGINS = [...PROVIDERS.map(name => (name === 'llm' ? name : `llm-${name}`)), 'llm-acme', 'exports', 'mcp']

t.test(
  'every model of litellm.yaml takes parameters and tools, and the MCP server lists its tools [EXPORT-12]',
  {
    skip: absence('litellm'),
  },
  async t => {
    const server = await serve(t, { folders: [join(root, 'examples', 'plugins')], plugins: PLUGINS })
    const configuration = await (await fetch(`${server.url}/export/litellm.yaml`)).text()
    const folder = gatewayFolder()
    const file = join(folder, 'litellm.yaml')
    writeFileSync(file, configuration)
    const port = await freePort()
    const args = ['--config', file, '--host', '127.0.0.1', '--port', String(port)]
    const through = await startGateway(t, 'litellm', args, {
      port,
      folder,
      ready: '/health/liveliness',
      // Uses the price list of the package instead of fetching one.
      env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    })

    const { model_list: models } = parse(configuration) as { model_list: { model_name: string }[] }
    t.equal(models.length, 8)
    const request = {
      temperature: 0.3,
      presence_penalty: 0.1,
      seed: 3,
      messages: [{ role: 'user', content: 'weather in Oslo' }],
      tools: [
        {
          type: 'function',
          function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
        },
      ],
    }
    for (const { model_name: model } of models) {
      const body = JSON.stringify({ ...request, model })
      const response = await through('/v1/chat/completions', { method: 'POST', headers: KEY, body })
      const reply = (await response.json()) as any
      t.equal(response.status, 200, model)
      t.match(reply.choices?.[0].message.tool_calls[0].function, { name: 'get_weather', arguments: /Oslo/ }, model)
    }

    const list = await through('/mcp/', {
      method: 'POST',
      headers: { ...KEY, Accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    })
    t.match(await list.text(), /"name":"[^"]*echo"/)
  },
)
