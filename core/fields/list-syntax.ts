/** Header lists with members that may contain quoted strings (RFC 9110, 5.6.1 and 5.6.4). */

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Splits at a separator outside of quoted strings, in one pass; members are trimmed, at most `limit` are returned. */
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

/** The content of a quoted string with its escapes resolved; any other text unchanged. */
export function unquote(text: string): string {
  if (text.length < 2 || text.charCodeAt(0) !== QUOTE || text.charCodeAt(text.length - 1) !== QUOTE) return text
  const content = text.slice(1, -1)
  return content.includes('\\') ? content.replace(/\\(.)/gs, '$1') : content
}
