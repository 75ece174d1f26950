/** Header lists whose members may hold quoted strings (RFC 9110, 5.6.1 and 5.6.4). */

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Splits at a one-character separator outside quoted strings; members trimmed, at most `limit` of them, in one pass. */
export function splitList(text: string, separator: ',' | ';', limit: number): string[] {
  const separatorCode = separator.charCodeAt(0)
  const members: string[] = []
  let start = 0
  let isQuoted = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) isQuoted = !isQuoted
    else if (isQuoted && code === BACKSLASH) i++
    else if (!isQuoted && code === separatorCode) {
      members.push(text.slice(start, i).trim())
      if (members.length === limit) return members
      start = i + 1
    }
  }
  members.push(text.slice(start).trim())
  return members
}

/** The content of a quoted string, its escapes resolved; any other text as it is. */
export function unquote(text: string): string {
  if (text.length < 2 || text.charCodeAt(0) !== QUOTE || text.charCodeAt(text.length - 1) !== QUOTE) return text
  const content = text.slice(1, -1)
  return content.includes('\\') ? content.replace(/\\(.)/gs, '$1') : content
}
