/** Generated parts of pages. */

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. */
export function fill(text: string, name: string, content: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const from = text.indexOf(open) + open.length
  const to = text.indexOf(close)
  if (to < from) throw new Error(`the page has no ${open} … ${close}`)
  return `${text.slice(0, from)}\n${content.trim()}\n${text.slice(to)}`
}
