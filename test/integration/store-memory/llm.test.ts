/** The memory of full stores: what providers of the mock LLM keep [HARD-12]. Runs alone: it measures the heap. */
import t from 'tap'
import type { Config } from '../../../core/contract/plugin.ts'
import { createEngine } from '../../../plugins/llm/engine/engine.ts'
import type { StoredResponse } from '../../../plugins/llm-openai/responses/response-store.ts'
import { ResponseStore } from '../../../plugins/llm-openai/responses/response-store.ts'
import { ConversationStore } from '../../../plugins/llm-openai/conversations/conversation-store.ts'
import { pluginState } from '../../support/plugin-state.ts'
import { MIB, ascii, bounded, nested, times, wideFor } from '../../support/store-memory.ts'

const engine = createEngine()
const config = { publicMode: false } as Config
const texts: Record<string, (index: number) => unknown> = {
  'two bytes a character': () => wideFor(150_000),
  'nested lists': () => Array.from({ length: 200 }, nested),
}

for (const [name, textOf] of Object.entries(texts)) {
  await t.test(`svc.state "responses": ${name} [HARD-12]`, async t =>
    bounded(t, 64 * MIB, async () => {
      const store = new ResponseStore(pluginState(config).svc)
      await times(400, index => {
        const id = `resp_${engine.randomId(48)}`
        const stored: StoredResponse = {
          provider: ascii('openai'),
          session: ascii(`session ${index}`),
          head: {
            id,
            created: index,
            model: ascii('svc-gpt'),
            body: { tools: [textOf(index)] },
            showsSummary: false,
            sealsReasoning: false,
            isBackground: false,
            conversation: null,
          },
          input: [{ type: 'message', id: ascii(`msg_${id}`), content: textOf(index) }],
          previous: null,
          reply: null,
          plan: null,
          cancelledAt: null,
        }
        return store.put(stored)
      })
      return store
    }),
  )

  await t.test(`svc.state "conversations": ${name} [HARD-12]`, async t =>
    bounded(t, 64 * MIB, async () => {
      const store = new ConversationStore(pluginState(config).svc, engine)
      await times(500, index =>
        store.create('openai', `session ${index}`, {
          items: [{ role: 'user', content: [textOf(index)] }],
          metadata: {},
        }),
      )
      return store
    }),
  )
}
