/** Texts of a stub in the syntax of Handlebars. */
import { convertTemplate, type Translate } from '../templates/handlebars.ts'
import type { ItemPath } from '../types.ts'
import type { Stub } from './stub.ts'

/** The text with references; what has none is lost. `translate`: null if it is not a template. */
export function filled(
  text: string,
  path: ItemPath,
  translate: Translate | null,
  stub: Stub,
): { text: string; isTemplate: boolean } {
  if (translate === null) return { text, isTemplate: false }
  const converted = convertTemplate(text, translate)
  if ('block' in converted) {
    stub.lost(path, `blocks have no counterpart, so the text is sent as it is: ${converted.block}`)
    return { text, isTemplate: false }
  }
  for (const one of converted.lost) stub.lost(path, `the helper has no counterpart and is left out: ${one}`)
  return converted
}
