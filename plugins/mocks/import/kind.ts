/** OpenAPI documents as mocks: a kind of `svc import`. */
import type { JsonObject } from 'svc/plugin'
import { isRecord, pointerTokens } from 'svc/toolkit'
import type { ImportKind, ItemPath } from '../../import/types.ts'
import { boundsFor } from '../bounds.ts'
import { checkDefinition } from '../check/check.ts'
import { OfficialSchema } from '../check/official-schema.ts'
import { isMockName, nameFrom } from '../management/mock-name.ts'
import { bundle } from '../sources/bundle.ts'

const MAX_DELAY_MS = 30_000
/** Findings of one document. */
const MAX_FINDINGS = 20

export const openapiKind: ImportKind = {
  id: 'openapi',
  recognizes: ({ document }) => isRecord(document) && (document.openapi !== undefined || document.swagger === '2.0'),
  async convert(files, importing) {
    const mocks: JsonObject[] = []
    const written: { path: string; content: string }[] = []
    const used = new Set<string>()
    let skipped = 0
    for (const file of files) {
      const options = { folder: file.folder, bounds: boundsFor(false), watch: (): void => {} }
      const { text, problems } = await bundle(`${file.directory}/${file.name.split('/').at(-1)!}`, file.text, options)
      for (const problem of problems) importing.find(file, [], 'lost', problem)
      const { report } = await checkDefinition(
        { text, against: null, publicMode: false, maxDelayMs: MAX_DELAY_MS },
        new OfficialSchema(),
      )
      for (const { at, message } of report.errors.slice(0, MAX_FINDINGS))
        importing.find(file, pathOf(at), 'skipped', message)
      if (!report.deployable) {
        skipped++
        continue
      }
      const name = freeName(file.stem, used)
      const path = `mocks/${name}.${text === file.text && !file.isJson ? 'yaml' : 'json'}`
      mocks.push({ name, spec: path })
      written.push({ path, content: text })
    }
    return { found: files.length, disabled: 0, skipped, mocks, files: written }
  },
}

/** The path of a JSON pointer fragment. */
function pathOf(at: string | null): ItemPath {
  const tokens = at?.startsWith('#/') === true ? pointerTokens(at.slice(1)) : undefined
  return tokens ?? []
}

function freeName(stem: string, used: Set<string>): string {
  const derived = nameFrom(stem)
  const plain = isMockName(derived) ? derived : 'api'
  let name = plain
  for (let number = 2; used.has(name); number++) name = `${plain.slice(0, 60)}-${number}`
  used.add(name)
  return name
}
