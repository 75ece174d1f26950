/** A mock LLM provider with its own wire format: shows how to write `parse`, `render` and `stream`. */
import { definePlugin } from 'svc/plugin'
import type { ChatParsed, Engine, LlmProvider, LlmRoute } from 'svc/plugins/llm'

export default definePlugin({
  title: 'Mock LLM: Telegraph',
  description: 'A provider that exchanges telegrams.',
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
    // The finish reasons and the errors of the format.
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
          name: 'Short telegram',
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
      if (typeof text !== 'string') throw engine.badInput('the field "text" must be a string', { param: 'text' })
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
