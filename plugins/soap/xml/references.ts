/** Resolves character and entity references strictly (XML 1.0, 4.1 and 4.6), and escapes text. */
import { malformed } from '../faults.ts'

const ENTITIES = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
])

/** Resolves the references in a text. Throws a fault for unknown entities and for characters that XML does not allow. */
export function resolveReferences(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&([^&;]{0,32};)?/g, (_match, reference: string | undefined) => resolve(reference))
}

function resolve(reference: string | undefined): string {
  if (reference === undefined) throw malformed('unescaped & (write &amp;)')
  const name = reference.slice(0, -1)
  const entity = ENTITIES.get(name)
  if (entity !== undefined) return entity
  const [, decimal, hexadecimal] = /^#(?:(\d+)|x([\da-f]+))$/i.exec(name) ?? []
  if (decimal === undefined && (hexadecimal === undefined || name[1] !== 'x'))
    throw malformed(`unknown entity &${name};`)
  const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hexadecimal!, 16)
  if (!isCharacter(code)) throw malformed(`&${name}; is not a valid XML character`)
  return String.fromCodePoint(code)
}

/** Char (XML 1.0, 2.2). */
function isCharacter(code: number): boolean {
  return (
    code === 0x9 ||
    code === 0xa ||
    code === 0xd ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff)
  )
}

const ILLEGAL = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

/** Throws a fault if the text contains a character that XML does not allow. */
export function checkCharacters(text: string): void {
  const illegal = ILLEGAL.exec(text)
  if (illegal !== null)
    throw malformed(
      `the character U+${illegal[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')} is not allowed`,
    )
}

const ESCAPES: Record<string, string> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
}

/** Escapes text for an element or a quoted attribute. */
export function escapeXml(text: string): string {
  return text.replace(/[<>&"'\r]/g, character => ESCAPES[character]!)
}
