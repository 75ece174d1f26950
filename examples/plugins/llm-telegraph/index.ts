/** A provider of the mock LLM with a wire format of its own: what `parse`, `render` and `stream` are for. */
import { definePlugin } from 'svc/plugin'
import type { ChatParsed, Engine, LlmProvider, LlmRoute } from 'svc/plugins/llm'

export default definePlugin({
  title: 'Mock LLM: Telegraph',
  description: 'A provider that takes and sends telegrams.',
  paths: ['/ai/telegraph'],
  buildsOn: ['llm'],
  register(app, svc) {
    const llm = svc.use('llm.providers')!
    llm.register(app, telegraph(llm.engine))
  },
})

function telegraph(engine: Engine): LlmProvider {
  return {
    id: 'telegraph',
    title: 'Telegraph',
    basePath: '/ai/telegraph',
    credentials: [{ source: 'operator', header: 'x-operator' }],
    models: [{ id: 'morse' }, { id: 'morse-echo' }],
    routes: [telegram(engine)],
    // Why a text ended, and how an error looks, in the format's own words.
    finishReasons: {
      stop: 'STOP',
      stop_sequence: 'STOP',
      length: 'CUT',
      tool_calls: 'STOP',
      content_filter: 'CENSORED',
      prompt_filter: 'CENSORED',
    },
    error: (kind, { status, message }) => ({ status, body: { fault: kind, message } }),
  }
}

function telegram(engine: Engine): LlmRoute<ChatParsed> {
  return {
    method: 'POST',
    path: '/telegrams',
    op: 'chat',
    describe: {
      summary: 'Send a telegram',
      examples: [
        {
          name: 'A short one',
          method: 'POST',
          path: '/ai/telegraph/telegrams',
          body: '{"text":"ARRIVING MONDAY"}',
          bodyType: 'json',
          expectStatus: 200,
        },
      ],
    },
    framing: 'ndjson',
    parse(input) {
      const { text, model, live } = input.json()
      if (typeof text !== 'string') throw engine.badInput('a telegram needs a text', { param: 'text' })
      const name = typeof model === 'string' ? model : (input.defaultModel ?? 'morse')
      return {
        op: 'chat',
        model: name,
        stream: live === true,
        wire: undefined,
        request: {
          model: name,
          system: [],
          messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
          tools: [],
          toolChoice: 'none',
          format: { type: 'none' },
          stop: [],
          n: 1,
        },
      }
    },
    render(result, _parsed, { finishReasons }) {
      const [choice] = result.choices
      return {
        body: {
          text: choice?.text.toUpperCase(),
          end: finishReasons[choice?.finish ?? 'stop'],
          words: result.completionTokens,
        },
      }
    },
    *stream(result) {
      for (const piece of result.choices[0]?.pieces ?? []) yield { data: { text: piece.toUpperCase() }, paced: true }
      yield { data: { words: result.completionTokens } }
    },
  }
}
