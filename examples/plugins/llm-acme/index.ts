/** A provider of the mock LLM that speaks OpenAI's wire format under a name of its own. */
import { definePlugin } from 'svc/plugin'
import type { LlmRoute } from 'svc/plugins/llm'
import type { OpenAiRouteName } from 'svc/plugins/llm-openai'

/** What of the format is served. */
const ROUTES: OpenAiRouteName[] = ['chat', 'embeddings', 'models', 'model']

export default definePlugin({
  title: 'Mock LLM: Acme',
  description: 'Acme AI, which can be used with the SDK of OpenAI.',
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
        (name): LlmRoute => ({
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
    // For all providers: an answer by what was said, and a word for X-Svc-Fail.
    llm.addRule({ match: { contains: 'anvil' }, reply: { text: 'Acme anvils fall {{prompt}}.' } })
    llm.addFault({ kind: 'acme_strike', like: 'unavailable', status: 503, message: 'Acme is on strike' })
  },
})
