/** The page of the comparison, which has tables that benchmarks write. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'comparison.md')

/** Puts a table between the marks of its name. */
export function put(name: string, table: string): void {
  const [before, rest] = split(readFileSync(PAGE, 'utf8'), `<!-- ${name} -->\n`)
  const [, after] = split(rest, `<!-- /${name} -->`)
  writeFileSync(PAGE, `${before}<!-- ${name} -->\n${table}\n<!-- /${name} -->${after}`)
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  if (at === -1) throw new Error(`docs/comparison.md has no ${mark.trim()}`)
  return [text.slice(0, at), text.slice(at + mark.length)]
}
