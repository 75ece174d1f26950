/** Configuration of llm-d-inference-sim (0.10) as providers: a kind of `svc import`. */
import type { JsonObject } from 'svc/plugin'
import type { ImportKind } from '../../../import/types.ts'
import { simulatorsIn } from './arguments.ts'
import { readProvider } from './provider.ts'

export const simulatorKind: ImportKind = {
  id: 'llm-d-sim',
  recognizes: ({ document }) => simulatorsIn(document).length > 0,
  convert(files, importing) {
    const providers: JsonObject[] = []
    for (const file of files)
      for (const settings of simulatorsIn(file.document)) {
        const name = providers.length === 0 ? 'sim' : `sim-${providers.length + 1}`
        providers.push(
          readProvider(name, settings, (path, severity, message) => importing.find(file, path, severity, message)),
        )
      }
    return { found: providers.length, disabled: 0, skipped: 0, providers }
  },
}
