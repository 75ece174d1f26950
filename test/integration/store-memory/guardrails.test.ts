/** The memory of full stores: blocklists [HARD-12]. Runs alone: it measures the heap. */
import t from 'tap'
import { Blocklists } from '../../../plugins/guardrails/azure-blocklists.ts'
import { pluginState } from '../../support/plugin-state.ts'
import { MIB, ascii, slice, wide, bounded, times } from '../../support/store-memory.ts'

t.test('guardrails: svc.state "blocklists" [HARD-12]', async t => {
  const items: Record<string, (index: number) => { text: string; description: string }> = {
    'descriptions of two bytes a character': index => ({ text: ascii(`term ${index}`), description: wide(1_000) }),
    'cut from large texts': index => ({ text: slice(index).slice(0, 16), description: slice(index, 1_000) }),
  }
  for (const [name, item] of Object.entries(items)) {
    await t.test(name, async t =>
      bounded(t, 32 * MIB, async () => {
        const state = pluginState({ publicMode: false })
        const lists = new Blocklists(state.svc)
        await times(20, async list => {
          await lists.put('', `list ${list}`, undefined)
          await times(10, part =>
            lists.addItems(
              '',
              `list ${list}`,
              Array.from({ length: 100 }, (_, index) => item(part * 100 + index)),
            ),
          )
        })
        return state
      }),
    )
  }
})
