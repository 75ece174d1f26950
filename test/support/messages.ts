/** Collects user-visible messages in the sources: errors, warnings, descriptions and labels. */
import { isSyntaxNode, nodesOf, parseSource, sourceFiles } from './sources.ts'
import type { SyntaxNode } from './sources.ts'

/** Functions with messages as string arguments. */
const CALLS =
  /error|fail|refus|reject|warn|problem|invalid|bad|wrong|denied|forbidden|missing|unsupported|unknown|notfound|throw|check|expect|require|violat|report|info$/i
/** Object members with messages as values. */
const MEMBERS =
  /^(?:error|message|detail|details|reason|remedy|hint|expected|problem|warning|error_description|description|summary|title|label|note|text|help|placeholder|usage|what|explanation)$/
/** Attributes of console elements that users read. */
const ATTRIBUTES = /^(?:title|label|placeholder|hint|help|description|aria-label|alt|text|empty|note)$/

/** Messages by file, each once, in source order. `…` marks interpolated values. */
export function collectMessages(): Map<string, string[]> {
  const byFile = new Map<string, string[]>()
  for (const file of sourceFiles()) {
    const found = new Set<string>()
    for (const node of nodesOf(parseSource(file).program))
      for (const text of messagesAt(node)) if (isProse(text)) found.add(text)
    if (found.size > 0) byFile.set(file, [...found])
  }
  return byFile
}

/** The messages of a node, without those of its children. */
function messagesAt(node: SyntaxNode): string[] {
  switch (node.type) {
    case 'NewExpression':
    case 'CallExpression':
      return CALLS.test(nameOf(node.callee)) ? (node.arguments as unknown[]).flatMap(textsOf) : []
    case 'ThrowStatement':
      return textsOf(node.argument)
    case 'ObjectProperty':
      return MEMBERS.test(nameOf(node.key)) ? textsOf(node.value) : []
    case 'JSXAttribute':
      return ATTRIBUTES.test(nameOf(node.name)) ? textsOf(node.value) : []
    case 'JSXText':
      return [String(node.value)].map(text => text.replace(/\s+/g, ' ').trim())
    default:
      return []
  }
}

/** Name of the called function or assigned member: the last part of `a.b.c`. */
function nameOf(node: unknown): string {
  if (!isSyntaxNode(node)) return ''
  if (node.type === 'MemberExpression') return nameOf(node.property)
  return String(node.name ?? node.value ?? '')
}

/** Strings in an expression: literals, templates, and both sides of `?:`, `??`, `||` and `+`. */
function textsOf(node: unknown): string[] {
  if (!isSyntaxNode(node)) return []
  switch (node.type) {
    case 'StringLiteral':
      return [String(node.value)]
    case 'TemplateLiteral':
      return [(node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('…')]
    case 'ConditionalExpression':
      return [...textsOf(node.consequent), ...textsOf(node.alternate)]
    case 'LogicalExpression':
    case 'BinaryExpression':
      return [...textsOf(node.left), ...textsOf(node.right)]
    case 'JSXExpressionContainer':
      return textsOf(node.expression)
    case 'ArrowFunctionExpression':
      return textsOf(node.body)
    default:
      return []
  }
}

/** The string has at least two words. */
function isProse(text: string): boolean {
  return /[A-Za-z]{2,}[^A-Za-z/]+(?:\S+ )*[A-Za-z]{2,}/.test(text) && text.includes(' ')
}
