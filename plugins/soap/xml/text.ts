/** Decodes an XML document by its encoding (XML 1.0, 4.3.3 and F). */
import { malformed, unsupportedEncoding } from '../faults.ts'

const DECLARATION_BYTES = 200

/** Uses the byte order mark, else the charset of the content type, else the XML declaration, else UTF-8. Throws a fault. */
export function decodeXml(bytes: Buffer, contentType: string | undefined): string {
  const label = byteOrderMarkEncoding(bytes) ?? charsetOf(contentType) ?? declaredEncoding(bytes) ?? 'utf-8'
  const decoder = decoderFor(label)
  try {
    return decoder.decode(bytes)
  } catch {
    throw malformed(`the message is not valid ${decoder.encoding}`)
  }
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label, { fatal: true })
  } catch {
    throw unsupportedEncoding(label)
  }
}

/** The first character also reveals UTF-16, because a document starts with `<`. */
function byteOrderMarkEncoding(bytes: Buffer): string | null {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be'
  return null
}

function charsetOf(contentType: string | undefined): string | null {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1] ?? null
}

function declaredEncoding(bytes: Buffer): string | null {
  const head = bytes.toString('latin1', 0, DECLARATION_BYTES)
  return /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)["']/.exec(head)?.[1] ?? null
}
