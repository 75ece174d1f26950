/** Configuration of llm-d-inference-sim (0.10) as providers: a kind of `svc import`. */
import type { JsonObject } from 'svc/plugin'
import type { ImportKind } from '../../../import/types.ts'
import { simulatorsIn } from './arguments.ts'
import { readProvider } from './provider.ts'

const MAX_PROVIDERS = 20

export const simulatorKind: ImportKind = {
  id: 'llm-d-sim',
  recognizes: ({ document }) => simulatorsIn(document).length > 0,
  convert(files, importing) {
    const providers: JsonObject[] = []
    let skipped = 0
    for (const file of files)
      for (const settings of simulatorsIn(file.document)) {
        if (providers.length === MAX_PROVIDERS) {
          skipped++
          importing.find(file, [], 'skipped', `at most ${MAX_PROVIDERS} providers are written`)
          continue
        }
        const name = providers.length === 0 ? 'sim' : `sim-${providers.length + 1}`
        providers.push(
          readProvider(name, settings, (path, severity, message) => importing.find(file, path, severity, message)),
        )
      }
    return { found: providers.length + skipped, disabled: 0, skipped, providers }
  },
}
