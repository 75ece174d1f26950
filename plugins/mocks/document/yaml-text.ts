/** Writes documents as YAML, with pauses: a document of two megabytes takes more than a second. */
import { isRecord, Pacer } from 'svc/plugin'
import { stringify } from 'yaml'
import type { Json, JsonObject } from './json.ts'

/** Objects up to this level are written member by member: `paths./pets.get`, `components.schemas.Pet`. */
const LEVELS = 3
const OPTIONS = { aliasDuplicateObjects: false }

/** The YAML text of an object. */
export function yamlText(root: JsonObject): Promise<string> {
  return objectText(root, 1, new Pacer())
}

async function objectText(object: JsonObject, level: number, pacer: Pacer): Promise<string> {
  const parts: string[] = []
  for (const [name, member] of Object.entries(object)) {
    if (pacer.isDue) await pacer.pause()
    const key = level < LEVELS && isFilled(member) ? keyText(name) : null
    parts.push(
      key === null || !isFilled(member)
        ? stringify({ [name]: member }, OPTIONS)
        : `${key}\n${indented(await objectText(member, level + 1, pacer))}`,
    )
  }
  return parts.join('')
}

function isFilled(value: Json | undefined): value is JsonObject {
  return isRecord(value) && Object.keys(value).length > 0
}

/** The key with its colon; null if it takes more than a line. */
function keyText(name: string): string | null {
  const text = stringify({ [name]: 0 }, OPTIONS).trimEnd()
  return text.includes('\n') || text.startsWith('?') ? null : text.slice(0, -' 0'.length)
}

/** Empty lines stay empty. */
function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ')
}
