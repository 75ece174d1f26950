/** Cookies of a request, as the originals read them. */
import type { Call } from '../call.ts'

/** Values by name: of repeated names httpbin uses the first, go-httpbin the last. Quotes around a value are removed. */
export function cookiesOf(call: Call): Map<string, string> {
  const cookies = new Map<string, string>()
  for (const pair of (call.header('cookie') ?? '').split(';')) {
    const equals = pair.indexOf('=')
    const name = pair.slice(0, Math.max(equals, 0)).trim()
    if (name === '' || (!call.isGo && cookies.has(name))) continue
    cookies.set(name, unquote(pair.slice(equals + 1).trim(), call.isGo))
  }
  return cookies
}

/** httpbin also decodes `\"` and octal escapes such as `\303\251`. */
function unquote(value: string, isGo: boolean): string {
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value
  const inner = value.slice(1, -1)
  if (isGo || !inner.includes('\\')) return inner
  const bytes = inner.replace(/\\(?:([0-3][0-7]{2})|(.))/g, (_, octal?: string, character?: string) =>
    octal === undefined ? character! : String.fromCharCode(Number.parseInt(octal, 8)),
  )
  return Buffer.from(bytes, 'latin1').toString()
}
