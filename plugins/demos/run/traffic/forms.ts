/** The forms of svc's issuer: login, one-time code, consent, and the one that sends the answer. */

export interface FilledForm {
  action: string
  fields: URLSearchParams
}

const MAX_FORM = 64 * 1024

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#13': '\r',
  '#10': '\n',
}

/** The form of a page as this user fills it, whose password is their name; null: it has none. */
export function formIn(page: string, user: string): FilledForm | null {
  const start = page.indexOf('<form ')
  const end = page.indexOf('</form>', start)
  if (start === -1 || end === -1 || end - start > MAX_FORM) return null
  const text = page.slice(start, end)
  const [, form = ''] = /^<form ([^>]*)>/.exec(text) ?? []
  const { action, method } = attributesOf(form)
  if (action === undefined || method !== 'post') return null
  // The page of the one-time code says it.
  const code = /<label for="otp">[^<]*<code>(\w{1,20})<\/code>/.exec(text)?.[1] ?? ''
  const typed: Readonly<Record<string, string>> = { username: user, password: user, otp: code }
  const fields = new URLSearchParams()
  let isSubmitted = false
  for (const [, tag, rest] of text.matchAll(/<(input|button)\b([^<>]*)>/g)) {
    const { name, value = '', type, checked, disabled } = attributesOf(rest!)
    if (name === undefined || disabled !== undefined || (type === 'checkbox' && checked === undefined)) continue
    if (tag === 'button') {
      // The first button approves.
      if (!isSubmitted) fields.append(name, value)
      isSubmitted = true
    } else fields.append(name, typed[name] ?? value)
  }
  return { action, fields }
}

function attributesOf(text: string): Partial<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)].map(([, name, value = '']) => [name, unescaped(value)]),
  )
}

function unescaped(text: string): string {
  return text.replaceAll(/&(#?\w{1,6});/g, (whole, name: string) => ENTITIES[name] ?? whole)
}
