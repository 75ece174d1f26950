/** Fixture files of aimock as rules: a kind of `svc import`, with the converter of `svc fixtures import`. */
import { isRecord } from 'svc/toolkit'
import type { JsonObject } from 'svc/plugin'
import type { ConvertedRules, ImportKind, ItemPath } from '../../../import/types.ts'
import { translateFixtures } from './translate.ts'

/** What the converter says of a fixture that it leaves out. */
const LEFT_OUT = /the fixture is left out$|this one is left out$/

export const aimockKind: ImportKind = {
  id: 'aimock',
  recognizes: ({ document }) => isRecord(document) && Array.isArray(document.fixtures),
  convert(files, importing) {
    const rules: ConvertedRules[] = []
    const counted = { found: 0, disabled: 0, skipped: 0 }
    for (const file of files) {
      const document = file.document as JsonObject
      const read = translateFixtures(document)!
      counted.found += (document.fixtures as unknown[]).length
      const skipped = new Set<string>()
      for (const { at, message } of read.problems) {
        const isSkipped = LEFT_OUT.test(message)
        if (isSkipped) skipped.add(/^fixtures\[\d+\]/.exec(at)?.[0] ?? at)
        importing.find(file, pathOf(at), isSkipped ? 'skipped' : 'lost', message)
      }
      counted.skipped += skipped.size
      const named = read.rules.map(({ rule }, index) => ({
        name: importing.ruleName(`${file.stem}-${index + 1}`),
        ...(rule as JsonObject),
        count: 'instance',
      }))
      rules.push({ file, rules: named })
    }
    return { ...counted, rules }
  },
}

/** `fixtures[0].match.model` as a path. */
function pathOf(at: string): ItemPath {
  return at
    .split(/[.[\]]+/)
    .flatMap((step): ItemPath => (step === '' ? [] : [/^\d+$/.test(step) ? Number(step) : step]))
}
