/** The `url` member of httpbin: decoded for display where that is unambiguous. */
import { decodeText } from './query.ts'

/** Controls, spaces, `%` and DEL stay percent-encoded everywhere. */
const isPlain = (character: string): boolean => !/[\0-\x20%\x7f]/.test(character)

/** A target in origin form. The path is decoded except for its delimiters, the query except for those of pairs. */
export function shownTarget(target: string): string {
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  const shownPath = decodeText(path, character => isPlain(character) && !/[?#]/.test(character))
  if (mark === -1) return shownPath
  return `${shownPath}?${decodeText(target.slice(mark + 1), character => isPlain(character) && !/[&=+#]/.test(character))}`
}
