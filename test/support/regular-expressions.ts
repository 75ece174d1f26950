/** Finds regular expressions in the sources: literals, and calls that build one at run time. */
import { isSyntaxNode, lineOf, nodesOf, parseSource, sourceFiles } from './sources.ts'

export interface Literal {
  pattern: string
  flags: string
  places: string[]
}
/** A call of `RegExp`, with the text of its arguments. */
export interface BuiltAtRunTime {
  file: string
  built: string
}

/** All regular expressions; equal literals are listed once. */
export function collectRegularExpressions(): { literals: Literal[]; builtAtRunTime: BuiltAtRunTime[] } {
  const literals = new Map<string, Literal>()
  const builtAtRunTime: BuiltAtRunTime[] = []
  for (const file of sourceFiles()) {
    const { source, program } = parseSource(file)
    for (const node of nodesOf(program)) {
      if (node.type === 'RegExpLiteral') {
        const { pattern, flags } = node as unknown as { pattern: string; flags: string }
        const known = literals.get(`/${pattern}/${flags}`) ?? { pattern, flags, places: [] }
        literals.set(`/${pattern}/${flags}`, known)
        known.places.push(`${file}:${lineOf(source, node.start ?? 0)}`)
      }
      if ((node.type === 'NewExpression' || node.type === 'CallExpression') && isRegExp(node.callee))
        builtAtRunTime.push({ file, built: source.slice(node.start ?? 0, node.end ?? 0) })
    }
  }
  return { literals: [...literals.values()], builtAtRunTime }
}

function isRegExp(callee: unknown): boolean {
  return isSyntaxNode(callee) && callee.type === 'Identifier' && callee.name === 'RegExp'
}
