/** A mock LLM provider that reuses OpenAI's wire format under its own name. */
import { definePlugin } from 'svc/plugin'
import type { ProviderRoute } from 'svc/plugins/llm'
import type { OpenAiRouteName } from 'svc/plugins/llm-openai'

/** The routes of the format to serve. */
const ROUTES: OpenAiRouteName[] = ['chat', 'embeddings', 'models', 'model']

export default definePlugin({
  title: 'Mock LLM: Acme',
  description: 'Acme AI, which works with the OpenAI SDK.',
  paths: ['/ai/acme'],
  buildsOn: ['llm', 'llm-openai'],
  register(app, svc) {
    const llm = svc.use('llm.providers')!
    const wire = svc.use('llm-openai.wire')!()
    llm.register(app, {
      id: 'acme',
      title: 'Acme AI',
      basePath: '/ai/acme',
      sdkPath: '/v1',
      credentials: [{ source: 'bearer', scheme: 'Bearer' }],
      models: [{ id: 'acme-large' }, { id: 'acme-echo', mode: 'echo' }, { id: 'acme-embed', kind: 'embed' }],
      routes: ROUTES.map(
        (name): ProviderRoute => ({
          ...wire.routes[name],
          path: `/v1${wire.routes[name].path}`,
          describe: { summary: `Acme: ${name}`, examples: [] },
        }),
      ),
      error: (kind, facts) => ({ status: facts.status, body: wire.error(kind, facts) }),
      messages: wire.messages,
      finishReasons: wire.finishReasons,
      unknownModel: wire.unknownModel,
      headers: ({ prompt, completion }) => ({ 'x-acme-credits': String(prompt + completion) }),
    })
    // A scripted reply and a fault kind for X-Svc-Fail, both for all providers.
    llm.addRule({ match: { contains: 'anvil' }, reply: { text: 'Acme anvils fall {{prompt}}.' } })
    llm.addFault({ kind: 'acme_strike', like: 'unavailable', status: 503, message: 'Acme is on strike' })
  },
})
