/** Templates in the syntax of Handlebars as texts with references of rules. */

/** An expression between braces: `jsonPath request.body '$.a'`. */
export interface Expression {
  /** The whole text, for reports. */
  text: string
  /** The helper or path. */
  name: string
  /** Further words; quoted ones without their quotes. */
  args: readonly string[]
  /** Named arguments. */
  named: Readonly<Record<string, string>>
}

/** What an expression becomes: a reference without braces, a text, or undefined if there is no counterpart. */
export type Translate = (
  expression: Expression,
) => { reference: string; fallback?: string } | { literal: string } | undefined

export type Converted =
  | { text: string; isTemplate: boolean; lost: readonly string[] }
  /** Blocks cannot be expressed: the text is kept as it is. */
  | { block: string }

const EXPRESSION = /\{\{\{?~?([^{}]*)~?\}?\}\}/g
const WORD = /\s*(?:([A-Za-z_][\w-]*)=)?(?:"([^"]*)"|'([^']*)'|([^\s"'()]+))/y
const MAX_REFERENCE = 200
const MAX_FALLBACK = 1000

/** Converts a text. An expression without a counterpart is left out. */
export function convertTemplate(text: string, translate: Translate): Converted {
  if (!text.includes('{{')) return { text, isTemplate: false, lost: [] }
  const block = [...text.matchAll(EXPRESSION)].find(([, inner]) => /^\s*(?:[#^/>&]|else\b)/.test(inner!))
  if (block !== undefined) return { block: block[0].slice(0, 100) }
  const lost: string[] = []
  let isTemplate = false
  const converted = text.replaceAll(EXPRESSION, (whole, inner: string) => {
    if (/^\s*!/.test(inner)) return ''
    const found = referenceOf(inner, translate)
    if (found === undefined) {
      lost.push(whole.slice(0, 100))
      return ''
    }
    if ('literal' in found) return found.literal
    isTemplate = true
    return `{{${found.reference}${found.fallback === undefined ? '' : `|${found.fallback}`}}}`
  })
  return { text: converted, isTemplate, lost }
}

function referenceOf(inner: string, translate: Translate): ReturnType<Translate> {
  const expression = readExpression(inner)
  const found = expression === undefined ? undefined : translate(expression)
  if (found === undefined || 'literal' in found) return found
  const { reference, fallback = '' } = found
  const isWritable =
    reference.length <= MAX_REFERENCE && fallback.length <= MAX_FALLBACK && !/[{}|]/.test(reference + fallback)
  return isWritable ? found : undefined
}

/** Undefined for what has other syntax, such as expressions in parentheses. */
function readExpression(inner: string): Expression | undefined {
  const text = inner.trim()
  const args: string[] = []
  const named: Record<string, string> = {}
  WORD.lastIndex = 0
  let at = 0
  while (at < text.length) {
    WORD.lastIndex = at
    const found = WORD.exec(text)
    if (found === null) return undefined
    at = WORD.lastIndex
    const [, key, double, single, plain] = found
    const value = double ?? single ?? plain ?? ''
    if (key === undefined) args.push(value)
    else named[key] = value
  }
  const [name, ...rest] = args
  return name === undefined ? undefined : { text, name, args: rest, named }
}

const STEP = /\.?(?:\[(?:'([^']*)'|"([^"]*)"|([\w-]+))\]|([\w$-]+))/y

/** Names and indexes of a path such as `$.a.b[0]` or `a.[0].b`; undefined for other queries. */
export function pathNames(path: string): string[] | undefined {
  const names: string[] = []
  let at = path.startsWith('$') ? 1 : 0
  while (at < path.length) {
    STEP.lastIndex = at
    const found = STEP.exec(path)
    if (found === null) return undefined
    at = STEP.lastIndex
    const name = found[1] ?? found[2] ?? found[3] ?? found[4]!
    if (!/^[\w$-]+$/.test(name)) return undefined
    names.push(name)
  }
  return names
}
