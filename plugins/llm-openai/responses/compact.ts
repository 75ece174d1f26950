/** `POST /responses/compact`: replaces what came before by a sealed summary. */
import type { Engine, LlmRoute, OwnParsed } from '../../llm/types.ts'
import { readContent } from '../format/messages.ts'
import { describePost } from '../format/describe.ts'
import { readContext } from './context.ts'
import { itemId, outputText, storedItem } from '../items/items.ts'
import { neutralRequest } from './request.ts'
import { usageOf } from './response-object.ts'
import type { ResponsesState } from './services.ts'

const PART_CHARACTERS = 80
const SUMMARY_CHARACTERS = 2000

interface CompactWire {
  id: string
  output: object[]
}

export function compactResponse(state: ResponsesState): LlmRoute<OwnParsed<CompactWire>> {
  const { engine } = state
  return {
    method: 'POST',
    path: '/responses/compact',
    op: 'chat',
    describe: describePost('/responses/compact', 'compact a conversation', [
      {
        name: 'Two messages',
        body: {
          model: 'svc-gpt',
          input: [
            { role: 'user', content: 'What is the capital of France?' },
            { role: 'assistant', content: 'Paris.' },
          ],
        },
      },
    ]),
    async parse(input) {
      const body = input.json()
      if (engine.json.textOf(body.model) === undefined && input.defaultModel === undefined)
        throw engine.badInput("Missing required parameter: 'model'.", {
          param: 'model',
          code: 'missing_required_parameter',
        })
      const [context, secret] = await Promise.all([
        readContext(state, input, body, { isInputOptional: true }),
        state.secret(),
      ])
      const id = `resp_${engine.randomId(48)}`
      const items = [...context.before, ...(context.resolved ?? [])]
      const request = engine.withoutDirectives(neutralRequest(engine, input, body, { context, secret }))
      const summary = summaryOf(engine, items)
      const user = items.filter(({ type = 'message', role }) => type === 'message' && role === 'user')
      return {
        op: 'own',
        mode: 'compaction',
        model: request.model,
        prompt: engine.render(request),
        promptTokens: engine.promptTokens(request),
        completionTokens: engine.count(summary),
        preview: summary,
        wire: {
          id,
          output: [
            ...user.map((item, place) => storedItem(engine, item, id, `input ${place}`)),
            {
              type: 'compaction',
              id: itemId(engine, 'compaction', id, 'output'),
              encrypted_content: engine.sealText(secret, summary),
            },
          ],
        },
      }
    },
    render: (_result, { wire, promptTokens, completionTokens }, { created }) => ({
      body: {
        id: wire.id,
        object: 'response.compaction',
        created_at: created,
        output: wire.output,
        usage: usageOf({ promptTokens, completionTokens, reasoningTokens: 0 }),
      },
    }),
  }
}

/** The beginning of what the model and its tools said. */
function summaryOf(engine: Engine, items: readonly Record<string, unknown>[]): string {
  const texts = items.flatMap(item => {
    const { type = 'message', role } = item
    if (type === 'message' && role === 'assistant') return [engine.textOfParts(readContent(engine, item.content))]
    if (type === 'function_call_output' || type === 'custom_tool_call_output') return [outputText(engine, item.output)]
    return []
  })
  return texts
    .map(text => text.slice(0, PART_CHARACTERS))
    .join(' ')
    .slice(0, SUMMARY_CHARACTERS)
}
